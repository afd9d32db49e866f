-- Held unknowns on a CUDA device against the CPU: over maps, with pairs that change, with every
-- solver; and what comes back to the host. Exits with 77 where there is no device.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local chain_parts = require "chain_parts"
local h = require "harness"

h.need_cuda()

local function compare(found, expected, tolerance, what)
  local scale = math.max(1, expected:max_abs())
  local difference = (found - expected):max_abs()
  if not (difference <= tolerance * scale) then -- luacheck: ignore 581
    error(("%s differs by %.3g"):format(what, difference), 2)
  end
end

-- Free points, points of affine bodies and points turned by an angle in one union; springs over it,
-- one list fixed and one that changes.
local function make(device)
  local scene = basin.scene("held", { device = device })
  local mesh = scene:add_mesh("m")
  local free = mesh:add_primitive("free", 3, { dynamic = true })
  local x = free:add_attribute("position", { rows = 3, value = chain_parts.free })
  local affine, A, t, _, bodies = chain_parts.affine(mesh)
  local turned = mesh:add_primitive("turned", 1)
  local angle = turned:add_attribute("angle", { rows = 3, value = { 0.4, 1, 2 } })
  turned:add_attribute("position", basin.vector { 2 * angle:at(1):cos(),
    1.5 * angle:at(1):sin() + angle:at(2), angle:at(2) * angle:at(3) })
  local all = mesh:add_primitive_union("all", { affine, turned, free })
  local p = all:add_attribute("position")
  local function springs(name, indices, dynamic)
    local primitive = mesh:add_primitive(name, #indices, { dynamic = dynamic })
    local ends = primitive:add_connectivity("ends", all, indices, 2)
    local q = ends:gather(p)
    scene:add_energy(primitive:add_attribute("spring",
      0.5 * ((q:row(1) - q:row(2)):norm() - 0.5) ^ 2), { projection = "none" })
    return primitive, ends
  end
  springs("fixed", { { 0, 3 }, { 1, 4 }, { 5, 2 } }, false)
  local pairs_of, ends = springs("pairs", { { 0, 5 }, { 4, 6 } }, true)
  scene:add_energy(free:add_attribute("near", 0.5 * x:dot(x)))
  scene:add_energy(bodies:add_attribute("still", (A:transpose() * A):trace() + t:dot(t)))
  scene:add_energy(turned:add_attribute("small", 0.5 * angle:dot(angle)))
  scene:add_minimize_target { x, A, t, angle }
  return { scene = scene, targets = { x, A, t, angle }, pairs = pairs_of, ends = ends, free = free }
end

local function both(change)
  local made = { make(h.host()), make "cuda" }
  for _, one in ipairs(made) do change(one) end
  return made[1], made[2]
end

local function compare_assembly(cpu, cuda, what)
  for _, dropped in ipairs { true, false } do
    local a, b = { cpu.scene:gradient { drop_held = dropped } },
      { cuda.scene:gradient { drop_held = dropped } }
    for i in ipairs(a) do compare(b[i], a[i], 1e-13, what .. ", gradient " .. i) end
    for _, projection in ipairs { "none", "abs" } do
      local given = { projection = projection, drop_held = dropped }
      compare(cuda.scene:hessian(given):dense(), cpu.scene:hessian(given):dense(), 1e-12,
        what .. ", Hessian")
    end
  end
end

local function hold_some(one)
  local x, A, t, angle = table.unpack(one.targets)
  x:hold(1)
  A:hold(0, { entries = { { 1, 2 }, 7 } })
  t:hold(0)
  angle:hold(0, { entries = { 2 } })
end

h.test("assembly", function()
  local cpu, cuda = both(hold_some)
  compare_assembly(cpu, cuda, "some")
  for _, one in ipairs { cpu, cuda } do
    one.pairs:resize(3)
    one.ends:update { { 0, 5 }, { 4, 6 }, { 1, 5 } }
    one.targets[1]:hold({ 0, 2 }, { entries = { 3 } })
    one.targets[4]:release()
  end
  compare_assembly(cpu, cuda, "others")
  for _, one in ipairs { cpu, cuda } do
    one.pairs:resize(1)
    one.ends:update { { 0, 5 } }
    one.free:resize(2)
    one.scene.m.fixed.ends:update { { 0, 3 }, { 1, 4 }, { 5, 2 } }
  end
  compare_assembly(cpu, cuda, "fewer")
end)

local function start_of(one)
  local start = {}
  for i, target in ipairs(one.targets) do start[i] = target:value() end
  return start
end

-- What is held keeps its bits; the others agree.
h.test("Newton's method with every solver, and other instances held each time", function()
  local cpu, cuda = both(hold_some)
  local start = start_of(cpu)
  for round, linear in ipairs { { solver = "direct" }, { solver = "pcg" },
    { solver = "pcg", preconditioner = "schwarz" }, { solver = "minres" },
    { solver = "minres", preconditioner = "schwarz" },
    { solver = "pcg", preconditioner = "schwarz", single_precision = true } } do
    linear.tolerance = linear.single_precision and 1e-10 or 1e-24
    for _, one in ipairs { cpu, cuda } do
      for i, target in ipairs(one.targets) do target:update(start[i]) end
      one.targets[1]:release(round % 3)
      one.targets[1]:hold((round + 1) % 3)
      local report = basin.newton(one.scene, { rule = "gradient", tolerance = 1e-8,
        max_iterations = 200, linear = linear })
      h.equal(report.converged, true, report.reason)
    end
    for i, target in ipairs(cuda.targets) do
      local _, mask = target:held()
      compare(target:value(), cpu.targets[i]:value(), 1e-6, "unknown " .. i)
      local moved = basin.array.from(target:value() - start[i], { rows = 1 }):table()
      for k, held in ipairs(basin.array.from(mask, { rows = 1 }):table()) do
        if held == 1 then h.equal(moved[k], 0, "a held entry moves") end
      end
    end
  end
end)

-- A rope with both ends held: what an iteration brings back does not grow with it, and nothing is
-- sent.
h.test("transfers of an iteration", function()
  local function measure(n)
    local scene = basin.scene("rope", { device = "cuda" })
    local mesh = scene:add_mesh("m")
    local knots = mesh:add_primitive("knots", n)
    local x = knots:add_attribute("x",
      { rows = 3, value = basin.array.line({ 0, 0, 0 }, { n, 0, 0 }, n) })
    local links = mesh:add_primitive("links", n - 1)
    local p = links:add_connectivity("ends", knots, basin.array.chain(n), 2):gather(x)
    scene:add_energy(20 * ((p:row(1) - p:row(2)):norm() - 0.9) ^ 2, { name = "spring" })
    scene:add_energy(5 * x:at(2) + 0.5 * x:squared_norm(), { name = "weight" })
    scene:add_minimize_target { x }
    x:hold { 0, n - 1 }
    local last, most, sent = nil, 0, 0
    basin.newton(scene, { rule = "gradient", tolerance = 1e-7, max_iterations = 4,
      linear = { solver = "pcg", tolerance = 1e-6 },
      monitor = function(iteration)
        local now = scene._system:transfers()
        if last and iteration.number > 1 then
          most = math.max(most, (now.downloaded_bytes - last.downloaded_bytes)
            / (iteration.linear_iterations + 1))
          sent = math.max(sent, now.uploaded_bytes - last.uploaded_bytes)
        end
        last = now
        return true
      end })
    assert(most > 0, "nothing was measured")
    return most, sent
  end
  local small, small_sent = measure(12)
  local large, large_sent = measure(72)
  assert(large < 2048 and large < 4 * small,
    ("%g bytes an iteration for 12 knots, %g for 72"):format(small, large))
  assert(large_sent <= small_sent + 256, ("%g and %g bytes sent"):format(small_sent, large_sent))
end)

h.finish()
