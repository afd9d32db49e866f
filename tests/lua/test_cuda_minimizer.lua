-- Minimizers on a CUDA device against the CPU: energies, gradients, Hessians, Newton's method, what
-- is named as not finite, and what comes back to the host. Exits with 77 where there is no device.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local chain_parts = require "chain_parts"
local h = require "harness"

h.need_cuda()

-- ---- scenes: functions of the options that make the same scene on every device ----

local scenes = {}

-- Springs between free and held points; every spring also pulls at one point that all share, so
-- that one node gets contributions from all elements.
function scenes.shared(given, count)
  local n = count or 24
  local scene = basin.scene("shared", given)
  local mesh = scene:add_mesh("m")
  local knots = mesh:add_primitive("knots", n)
  local values = {}
  for i = 1, n do values[i] = { i * 0.9, math.sin(i), math.cos(2 * i) } end
  local x = knots:add_attribute("position", { rows = 3, value = values })
  local center = scene:add_attribute("center", { rows = 3, value = { 5, 1, 0 } })
  local links = mesh:add_primitive("links", n - 1)
  local ends = links:add_connectivity("ends", knots, basin.array.chain(n), 2)
  local p = ends:gather(x)
  local stretch = (p:row(1) - p:row(2)):norm() - 0.7
  local away = p:row(1) - center
  scene:add_energy(links:add_attribute("spring", 0.5 * stretch ^ 2), { projection = "clamp" })
  scene:add_energy(links:add_attribute("pull", 0.2 * (1 + away:dot(away)):sqrt()),
    { projection = "abs" })
  local weight = knots:add_constant("mass", { value = 2 })
  local rest = knots:add_constant("rest", { rows = 3, value = values })
  local off = x - 1.1 * rest
  scene:add_energy(knots:add_attribute("held", 0.5 * weight * off:dot(off)))
  scene:add_minimize_target { x, center }
  return scene, { x, center }
end

-- Free points, scaled means of free points, points of affine bodies and (curved) points turned by
-- an angle, in unions; springs over all of them.
local function chain(given, curved)
  local scene = basin.scene("chain", given)
  local mesh = scene:add_mesh("m")
  local free = mesh:add_primitive("free", 3)
  local x = free:add_attribute("position", { rows = 3, value = chain_parts.free })
  local affine, A, t, _, bodies = chain_parts.affine(mesh)
  local turned = mesh:add_primitive("turned", 2)
  local angle = turned:add_attribute("angle",
    { rows = 3, value = { { 0.4, 1, 2 }, { 1.3, 0, 1 } } })
  if curved then
    turned:add_attribute("position", basin.vector { 2 * angle:at(1):cos(),
      1.5 * angle:at(1):sin() + angle:at(2), angle:at(2) * angle:at(3) })
  else
    turned:add_attribute("position", basin.vector { 2 * angle:at(1),
      1.5 * angle:at(1) + angle:at(2), angle:at(2) - angle:at(3) })
  end
  local means = mesh:add_primitive("means", 2)
  local around = means:add_connectivity("around", free, { { 0, 1, 2 }, { 2 } }, 0)
  means:add_attribute("position", means:add_constant("weight", { value = { 0.7, 1.2 } })
    * around:mean(x))
  local inner = mesh:add_primitive_union("inner", { affine, turned })
  inner:add_attribute("position")
  local all = mesh:add_primitive_union("all", { free, inner, means })
  local p = all:add_attribute("position")
  local springs = mesh:add_primitive("springs", 6)
  local ends = springs:add_connectivity("ends", all,
    { { 0, 3 }, { 1, 6 }, { 4, 7 }, { 5, 2 }, { 9, 2 }, { 8, 5 } }, 2)
  local q = ends:gather(p)
  local stretch = (q:row(1) - q:row(2)):norm() - 0.5
  scene:add_energy(springs:add_attribute("spring", 0.5 * stretch ^ 2), { projection = "none" })
  scene:add_energy(free:add_attribute("held", 0.5 * x:dot(x)))
  local d = A - bodies:add_constant("B", { rows = 3, cols = 3, value = { { { 1, 0, 0 }, { 0, 1, 0 },
    { 0, 0, 1 } }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } })
  scene:add_energy(bodies:add_attribute("stiff", (d:transpose() * d):trace() + 0.1 * t:dot(t)))
  scene:add_energy(turned:add_attribute("small", 0.5 * angle:dot(angle)))
  local targets = { x, A, t, angle }
  scene:add_minimize_target(targets)
  return scene, targets
end

function scenes.affine(given) return chain(given, false) end
function scenes.curved(given) return chain(given, true) end

-- Plane triangles, nodes of two numbers.
function scenes.plane(given)
  local scene = basin.scene("plane", given)
  local mesh = scene:add_mesh("m")
  local points = mesh:add_primitive("points", 4)
  local x = points:add_attribute("position",
    { rows = 2, value = { { 0, 0 }, { 1.1, 0.1 }, { 0, 0.9 }, { 1, 1.2 } } })
  local triangles = mesh:add_primitive("triangles", 2)
  local corners = triangles:add_connectivity("corners", points, { { 0, 1, 2 }, { 1, 3, 2 } }, 3)
  local p = corners:gather(x)
  local a, b = p:row(2) - p:row(1), p:row(3) - p:row(1)
  local area = a:at(1) * b:at(2) - a:at(2) * b:at(1)
  scene:add_energy(triangles:add_attribute("area", (area - 1) ^ 2 + 0.1 * a:dot(b) ^ 2))
  scene:add_minimize_target { x }
  return scene, { x }
end

-- Independent parts of one element, whose matrices are projected one after the other: of nine, five
-- and seven unknowns, all indefinite.
function scenes.parts(given)
  local scene = basin.scene("parts", given)
  local cells = scene:add_mesh("m"):add_primitive("cells", 12)
  local energy, targets = 0, {}
  for k, rows in ipairs { 9, 5, 7 } do
    local values = {}
    for i = 1, 12 do
      values[i] = {}
      for r = 1, rows do values[i][r] = 0.3 * math.sin(i * r + k) end
    end
    local v = cells:add_attribute("v" .. k, { rows = rows, value = values })
    targets[k] = v
    energy = energy + (v:dot(v) - 2 * k) ^ 2 + v:at(1) * v:at(rows)
  end
  scene:add_energy(cells:add_attribute("all", energy))
  scene:add_minimize_target(targets)
  return scene, targets
end

-- ---- comparisons ----

local function largest(array)
  return basin.array.from(array):max_abs()
end

local function compare(found, expected, tolerance, what)
  local scale = math.max(1, largest(expected))
  local difference = largest(basin.array.from(found) - basin.array.from(expected))
  if not (difference <= tolerance * scale) then -- luacheck: ignore 581
    error(("%s differs by %.3g"):format(what, difference), 2)
  end
end

local function dense(matrix)
  return matrix:dense()
end

local function compare_assembly(make, given, tolerance)
  local function with(device)
    local options = { device = device }
    for k, v in pairs(given or {}) do options[k] = v end
    return (make(options))
  end
  local cpu, cuda = with(h.host()), with "cuda"
  local total, parts = cpu:energy_of_terms()
  local other, other_parts = cuda:energy_of_terms()
  h.close(other, total, tolerance, "energy")
  for name, part in pairs(parts) do h.close(other_parts[name], part, tolerance, name) end
  local a, b = { cpu:gradient() }, { cuda:gradient() }
  for i in ipairs(a) do compare(b[i], a[i], tolerance, "gradient " .. i) end
  for _, mode in ipairs { "none", "clamp", "abs", "adaptive" } do
    for repetition = 1, 2 do
      compare(dense(cuda:hessian { projection = mode }), dense(cpu:hessian { projection = mode }),
        tolerance * 10, ("Hessian %s, %d"):format(mode, repetition))
    end
  end
end

for name, make in pairs(scenes) do
  h.test("energies, gradient, Hessian: " .. name, function() compare_assembly(make, nil, 1e-13) end)
end

-- Sums in any order: atomic additions on the device, nothing else on the CPU.
for name, make in pairs(scenes) do
  h.test("atomic additions: " .. name, function()
    compare_assembly(make, { deterministic = false }, 1e-13)
  end)
end

h.test("which order sums have", function()
  local launches = {}
  for _, deterministic in ipairs { true, false } do
    local scene = scenes.shared { device = "cuda", deterministic = deterministic }
    local before = scene._system:transfers().launches
    scene:gradient()
    launches[deterministic] = scene._system:transfers().launches - before
  end
  assert(launches[false] < launches[true], "contributions are sorted")
  for _, device in ipairs { h.host(), "cuda" } do
    local scene = scenes.plane { device = device, deterministic = false }
    h.equal(scene:device():find("sums in any order", 1, true) ~= nil, device == "cuda")
    h.equal(scenes.plane { device = device }:device():find("any order", 1, true), nil)
  end
  h.fails("'deterministic' must be a boolean", basin.scene, "wrong", { deterministic = 1 })
end)

h.test("single precision", function()
  local tolerance = h.host() == "cpu" and 2e-6 or 2e-5 -- the interpreter computes in double
  compare_assembly(scenes.shared, { precision = "float" }, tolerance)
end)

h.test("an unknown that a thousand elements share", function()
  local function make(given) return scenes.shared(given, 700) end
  compare_assembly(make, nil, 1e-12)
  compare_assembly(make, { deterministic = false }, 1e-12)
end)

h.test("changed data, switched terms", function()
  local cpu, a = scenes.shared { device = h.host() }
  local cuda, b = scenes.shared { device = "cuda" }
  for _, step in ipairs { "moved", "switched", "back" } do
    for k, scene in ipairs { cpu, cuda } do
      local x = (k == 1 and a or b)[1]
      if step == "moved" then x:update(x:value() * 1.1) end
      scene:energy("pull"):enable(step ~= "switched")
    end
    h.close(cuda:compute_total_energy(), cpu:compute_total_energy(), 1e-13, step)
    compare(dense(cuda:hessian()), dense(cpu:hessian()), 1e-12, step)
  end
end)

-- Springs between pairs that come and go, over the points of affine bodies and free points: the
-- dynamic part of the matrix, over maps.
local function changing_pairs(deterministic)
  local function make(device)
    local scene = basin.scene("pairs", { device = device, deterministic = deterministic })
    local mesh = scene:add_mesh("m")
    local free = mesh:add_primitive("free", 4, { dynamic = true })
    local x = free:add_attribute("position",
      { rows = 3, value = { { 0, 0.1, 0 }, { 1, 0.3, -0.2 }, { 0.5, 1, 0.4 }, { 2, 1, 1 } } })
    local affine, A, t, _, bodies = chain_parts.affine(mesh)
    local all = mesh:add_primitive_union("all", { affine, free })
    local p = all:add_attribute("position")
    local pair = mesh:add_primitive("pair", 0, { dynamic = true })
    local ends = pair:add_connectivity("ends", all, {}, 2)
    local q = ends:gather(p)
    local apart = q:row(1) - q:row(2)
    scene:add_energy(pair:add_attribute("push", (1 + apart:dot(apart)):log()))
    scene:add_energy(free:add_attribute("held", 0.5 * x:dot(x)))
    scene:add_energy(bodies:add_attribute("still", (A:transpose() * A):trace() + t:dot(t)))
    scene:add_minimize_target { A, t, x }
    return { scene = scene, pair = pair, ends = ends, free = free, x = x }
  end
  local both = { make(h.host()), make "cuda" }
  local function check(what)
    local cpu, cuda = both[1].scene, both[2].scene
    h.close(cuda:compute_total_energy(), cpu:compute_total_energy(), 1e-13, what)
    local a, b = { cpu:gradient() }, { cuda:gradient() }
    for i in ipairs(a) do compare(b[i], a[i], 1e-13, what .. ", gradient") end
    compare(dense(cuda:hessian()), dense(cpu:hessian()), 1e-12, what .. ", Hessian")
  end
  local function set(list)
    for _, one in ipairs(both) do
      one.pair:resize(#list)
      one.ends:update(list)
    end
  end
  check("no pairs")
  set { { 0, 1 }, { 3, 0 }, { 1, 2 }, { 4, 5 } }
  check("four pairs")
  set { { 2, 6 }, { 0, 1 } }
  check("two pairs")
  for _, one in ipairs(both) do one.free:resize(6) end
  for _, one in ipairs(both) do one.x:update(one.x:value() + 0.25) end
  set { { 8, 0 }, { 7, 6 }, { 3, 3 } }
  check("more points")
  set {}
  check("no pairs again")
  for _, one in ipairs(both) do one.free:resize(1) end
  set { { 3, 1 } }
  check("fewer points")
end

h.test("pairs that change, points that come and go", function() changing_pairs(true) end)
h.test("the same, by atomic additions", function() changing_pairs(false) end)

-- ---- Newton's method ----

-- Minimizes on both devices; the unknowns agree to rounding, and the iterations in number.
local function compare_newton(make, options, tolerance, deterministic)
  local found, iterations = {}, {}
  for _, device in ipairs { h.host(), "cuda" } do
    local scene, targets = make { device = device, deterministic = deterministic }
    local report = basin.newton(scene, options)
    h.equal(report.converged, true, device .. ": " .. report.reason)
    iterations[device] = report.iterations
    found[device] = {}
    for i, target in ipairs(targets) do found[device][i] = target:value() end
  end
  h.equal(iterations.cuda, iterations[h.host()], "iterations")
  for i, values in ipairs(found[h.host()]) do
    compare(found.cuda[i], values, tolerance, "unknown " .. i)
  end
end

for _, name in ipairs { "shared", "affine", "curved" } do
  for _, solver in ipairs { "direct", "pcg" } do
    h.test(("Newton, %s, %s"):format(name, solver), function()
      compare_newton(scenes[name], { rule = "gradient", tolerance = 1e-8, max_iterations = 200,
        linear = { solver = solver, tolerance = 1e-24 } }, 1e-7)
    end)
  end
end

-- A quadratic energy with eigenvalues of either sign.
h.test("MINRES", function()
  local found = {}
  for _, device in ipairs { h.host(), "cuda" } do
    local scene = basin.scene("saddle", { device = device })
    local n, mesh = 300, scene:add_mesh("rope")
    local knots, links = mesh:add_primitive("knots", n), mesh:add_primitive("links", n - 1)
    local x = knots:add_attribute("x",
      { rows = 3, value = basin.array.line({ 0, 1, 2 }, { 30, 4, -1 }, n) })
    local p = links:add_connectivity("ends", knots, basin.array.chain(n), 2):gather(x)
    local d = p:row(1) - p:row(2)
    scene:add_energy(links:add_attribute("pull", d:dot(d)), { projection = "none" })
    scene:add_energy(knots:add_attribute("push", x:at(1) - 0.7 * x:dot(x)),
      { projection = "none" })
    scene:add_minimize_target { x }
    local _, failed = scene:minimize_energy { solver = "pcg", tolerance = 1e-20 }
    h.equal(failed.converged, false)
    local direction, report = scene:minimize_energy { solver = "minres", tolerance = 1e-24 }
    h.equal(report.converged, true, device .. ": " .. report.status)
    x:update(x:value() - direction)
    h.close(scene:gradient():max_abs(), 0, 1e-9)
    found[device] = x:value()
  end
  compare(found.cuda, found[h.host()], 1e-9, "unknowns")
end)

h.test("Newton, atomic additions", function()
  compare_newton(scenes.curved, { rule = "gradient", tolerance = 1e-8, max_iterations = 200,
    linear = { solver = "direct" } }, 1e-7, false)
end)

h.test("callbacks: refresh, monitor, a filter that looks at the direction", function()
  local scene = scenes.shared { device = "cuda" }
  local refreshed, monitored, length = 0, 0, 0
  local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-6,
    refresh = function() refreshed = refreshed + 1 end,
    monitor = function(iteration)
      monitored = monitored + 1
      return iteration.energy == iteration.energy
    end,
    filters = { function(alpha, direction)
      length = math.max(length, largest(direction))
      return alpha
    end } })
  h.equal(report.converged, true, report.reason)
  h.equal(monitored, report.iterations)
  assert(refreshed >= report.line_search_trials and length > 0)
end)

-- Only scalars come back: as many bytes for a large problem as for a small one.
h.test("downloads of an iteration", function()
  local function bytes(count)
    local scene = scenes.shared({ device = "cuda" }, count)
    local last, most = nil, 0
    basin.newton(scene, { rule = "gradient", tolerance = 1e-6,
      linear = { solver = "pcg", tolerance = 1e-12 },
      monitor = function(iteration)
        local now = scene._system:transfers()
        if last and iteration.number > 2 then
          most = math.max(most, (now.downloaded_bytes - last) / (iteration.linear_iterations + 1))
        end
        last = now.downloaded_bytes
        return true
      end })
    assert(most > 0, "nothing was measured")
    return most
  end
  local small, large = bytes(20), bytes(200)
  assert(large < 2048 and large < 4 * small,
    ("%g bytes an iteration for 20 knots, %g for 200"):format(small, large))
end)

h.test("benchmark", function()
  local scene = scenes.shared { device = "cuda" }
  local _, parts = scene:energy_of_terms()
  local core = scene:main_minimizer():_synchronize()
  for _, form in ipairs { "cache", "stored", "assembled" } do
    local report = core:benchmark(0, { stage = "hessian", projection = "clamp", form = form,
      repeats = 3 })
    h.equal(report.elements, 23)
    assert(report.seconds >= report.best_seconds and report.best_seconds >= 0)
    if form ~= "assembled" then h.close(report.energy, parts["m.links.spring"], 1e-13, form) end
  end
end)

-- ---- what is not finite ----

h.test("the element whose energy or gradient is not finite is named", function()
  for _, device in ipairs { h.host(), "cuda" } do
    local scene = basin.scene("bad", { device = device })
    local points = scene:add_mesh("m"):add_primitive("points", 5)
    local x = points:add_attribute("x", { value = { 0, 0, 0, 0, 0 } })
    local a = points:add_constant("a", { value = { 1, 1, 1e20, 1, 1 } })
    local b = points:add_attribute("b", { value = { 1, 2, 1e300, 3, 4 } })
    scene:add_energy(points:add_attribute("wave", a * (b * x):sin() + x))
    scene:add_minimize_target { x }
    h.close(scene:compute_total_energy(), 0)
    h.fails("wave.*gradient of element 2 of .*points is not finite", scene.gradient, scene)
    h.fails("wave.*gradient of element 2 of .*points is not finite", scene.hessian, scene)
    x:update { 0, 0, 0, 1e308, 0 }
    h.fails("wave.*energy of element 3 of .*points is not a number", scene.compute_total_energy,
      scene)
    x:update { 0, 0, 0, 0, 0 }
    b:update { 1, 2, 0, 3, 4 }
    h.close_arrays(scene:gradient(), { 2, 3, 1, 4, 5 }, 1e-14)
  end
end)

-- What a step of time brings back: scalars, and the unknowns once, for the integrator.
h.test("downloads of a step", function()
  local std, simulation = require "basin.std", require "basin.simulation"
  for _, kind in ipairs { "quasistatic", "implicit_euler" } do
    local scene = basin.scene("step", { device = "cuda" })
    local soft = std.body.soft(scene, "soft", { density = 1000,
      mesh = basin.mesh.box { nx = 6, ny = 5, nz = 5, width = 1, height = 1, depth = 1 },
      material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.36 } })
    local x = scene:targets()[1]
    local bytes = x:value().count * 3 * 8
    assert(soft and bytes > 4000)
    x:update(x:value() * 1.01)
    local run = simulation.new(scene, { dt = 0.01, integrator = kind })
    run:step()
    local before = scene._system:transfers()
    assert(run:step().iterations > 0)
    local brought = scene._system:transfers().downloaded_bytes - before.downloaded_bytes
    local scalars = brought - bytes
    assert(scalars > 0 and scalars < bytes / 2, ("%s: %d bytes, %d a vector"):format(kind, brought,
      bytes))
  end
end)

-- Launches and waits of an iteration of Newton's method do not depend on the scene's size; those
-- of conjugate gradients are graphs, each with one download.
h.test("launches of an iteration", function()
  for _, count in ipairs { 20, 200 } do
    local scene = scenes.shared({ device = "cuda" }, count)
    local last, launches, downloads, seen = nil, 0, 0, 0
    basin.newton(scene, { rule = "gradient", tolerance = 1e-6,
      linear = { solver = "pcg", tolerance = 1e-12 },
      monitor = function(iteration)
        local now = scene._system:transfers()
        if last and iteration.number > 2 and iteration.alpha == 1 then
          local graphs = now.graph_launches - last.graph_launches
          launches = math.max(launches, now.launches - last.launches)
          downloads = math.max(downloads, now.downloads - last.downloads - graphs)
          seen = seen + 1
        end
        last = now
        return true
      end })
    assert(seen > 0, "no full step was seen")
    assert(launches <= 36 and downloads <= 7, -- 32 and 6 of three energies
      ("%d knots: %d launches, %d downloads"):format(count, launches, downloads))
  end
end)

-- A device whose memory runs out in the midst of a minimization: the state stays, and on the host
-- the same script goes on.
if os.getenv "BASIN_LIB_CUDA" and os.getenv "BASIN_COMMAND" then
  h.test("out of memory", function()
    local path = h.write("cuda_memory.lua", ([[
local basin = require "basin"
local function make(device)
  local scene = basin.scene("large", { device = device })
  local points = scene:add_mesh("m"):add_primitive("points", 4000)
  local x = points:add_attribute("x", { rows = 3, value = { 1, 2, 3 } })
  scene:add_energy(points:add_attribute("well", 0.25 * x:dot(x) ^ 2 + 0.5 * x:dot(x)))
  scene:add_minimize_target { x }
  return scene, x
end
local scene, x = make "cuda"
local ok, problem = pcall(basin.newton, scene, { rule = "gradient" })
print(ok, tostring(problem))
print(x:value():at(4000, 3), scene:device():sub(1, 4))
local other, y = make "HOST"
local report = basin.newton(other, { rule = "gradient", tolerance = 1e-6 })
print(report.converged, y:value():max_abs() < 1e-6)
]]):gsub("HOST", h.host()))
    h.expect_command("run --quiet " .. path, 0,
      "false\t.*out of memory: .* asked.*3.0\tcuda.*true\ttrue\n$", "SOFTCUDA_MEMORY=1500K")
  end)
end

h.finish()
