-- Maps that are not affine on a CUDA device: the CPU's numbers, and that nothing but scalars comes
-- back. Exits with 77 where there is no device. SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

h.need_cuda()

-- Bodies with a frame that is a polynomial of three numbers (so that the operations of both devices
-- are the same), turned by it points of two kinds in a union, means of these, springs between all.
-- Bodies beyond the first have four points each, the first has `points`.
local function make(device, options)
  local scene = basin.scene("frames", { device = device })
  local mesh = scene:add_mesh("m")
  local count, points = options.bodies or 2, options.points or 4
  local function numbers(n, f)
    local list = {}
    for i = 1, n do list[i] = { math.sin(f * i), math.cos(f * i * i), math.sin(i) * f } end
    return list
  end
  local bodies = mesh:add_primitive("bodies", count)
  local q = bodies:add_attribute("q", { rows = 3, value = numbers(count, 0.3) })
  local t = bodies:add_attribute("t", { rows = 3, value = numbers(count, 2) })
  local a, b, c = q:at(1), q:at(2), q:at(3)
  local frame = bodies:add_attribute("frame", basin.matrix {
    { 1 - 0.5 * (b * b + c * c), a * b - c, a * c + b },
    { a * b + c, 1 - 0.5 * (a * a + c * c), b * c - a },
    { a * c - b, b * c + a, 1 - 0.5 * (a * a + b * b) } })
  local owners = {}
  for i = 1, points do owners[i] = 0 end
  for i = 2, count do for _ = 1, 4 do owners[#owners + 1] = i - 1 end end
  local turned = mesh:add_primitive("turned", #owners)
  local owner = turned:add_connectivity("owner", bodies, owners, 1)
  local X = turned:add_constant("rest", { rows = 3, value = numbers(#owners, 0.7) })
  turned:add_attribute("position", owner:gather(frame) * X + owner:gather(t))
  local free = mesh:add_primitive("free", 3)
  local x = free:add_attribute("position", { rows = 3, value = numbers(3, 1.1) })
  local both = mesh:add_primitive_union("both", { turned, free })
  local p = both:add_attribute("position")
  local means = mesh:add_primitive("means", 2)
  local around = means:add_connectivity("around", both, { { 0, 1, #owners }, { 3, 2 } }, 0)
  means:add_attribute("position", 1.5 * around:mean(p))
  local all = mesh:add_primitive_union("all", { both, means })
  local y = all:add_attribute("position")
  local links = {}
  local total = #owners + 5
  for i = 0, total - 1 do links[#links + 1] = { i, (3 * i + 1) % total } end
  local springs = mesh:add_primitive("springs", #links)
  local z = springs:add_connectivity("ends", all, links, 2):gather(y)
  local d = z:row(1) - z:row(2)
  local u = d:dot(d)
  scene:add_energy(springs:add_attribute("spring", 0.05 * u * u + 0.5 * u), { projection = "none" })
  scene:add_energy(free:add_attribute("held", 0.5 * x:dot(x)))
  scene:add_energy(bodies:add_attribute("still", 2 * q:dot(q) + 0.5 * t:dot(t)))
  scene:add_minimize_target { q, t, x }
  return { scene = scene, targets = { q, t, x }, around = around, means = means, turned = turned }
end

local function largest(array)
  return basin.array.from(array):max_abs()
end

local function compare(found, expected, tolerance, what)
  local difference = largest(basin.array.from(found) - basin.array.from(expected))
  if not (difference <= tolerance * math.max(1, largest(expected))) then -- luacheck: ignore 581
    error(("%s differs by %.3g"):format(what, difference), 2)
  end
end

-- Bit for bit, unless a tolerance is given; projections to rounding. The interpreter rounds in
-- another order.
local function compare_all(cpu, cuda, what, given)
  local tolerance = given or (h.host() == "cpu" and 0 or 1e-14)
  local a, b = { cpu.scene:gradient() }, { cuda.scene:gradient() }
  for i in ipairs(a) do compare(b[i], a[i], tolerance, what .. ", gradient") end
  for _, mode in ipairs { "none", "abs" } do
    compare(cuda.scene:hessian({ projection = mode }):dense(),
      cpu.scene:hessian({ projection = mode }):dense(),
      mode == "none" and tolerance or math.max(tolerance, 1e-14), what .. ", Hessian " .. mode)
  end
end

h.test("gradient and Hessian, bodies that move", function()
  local cpu, cuda = make(h.host(), {}), make("cuda", {})
  compare_all(cpu, cuda, "as made")
  for _, one in ipairs { cpu, cuda } do
    one.targets[1]:update(one.targets[1]:value() * 1.3)
  end
  compare_all(cpu, cuda, "turned")
end)

h.test("a body of six hundred points: sums of many", function()
  local given = { points = 600 }
  compare_all(make(h.host(), given), make("cuda", given), "large", 1e-12)
end)

-- The maps' rows change, on the device.
h.test("means over other points", function()
  local cpu, cuda = make(h.host(), {}), make("cuda", {})
  for k, rows in ipairs { { { 7, 8, 0 }, { 1 } }, { {}, { 4, 4, 9, 4 } }, { { 0 }, { 1, 2 } } } do
    for _, one in ipairs { cpu, cuda } do one.around:update(rows) end
    compare_all(cpu, cuda, "change " .. k)
  end
end)

h.test("Newton's method", function()
  local found, iterations = {}, {}
  for k, device in ipairs { h.host(), "cuda" } do
    local made = make(device, {})
    local report = basin.newton(made.scene, { rule = "gradient", tolerance = 1e-9,
      max_iterations = 100, linear = { solver = "pcg", tolerance = 1e-24 } })
    h.equal(report.converged, true, report.reason)
    found[k], iterations[k] = made.targets, report.iterations
  end
  h.equal(iterations[2], iterations[1], "iterations")
  for i = 1, 3 do
    compare(found[2][i]:value(), found[1][i]:value(), 1e-8, "unknown " .. i)
    print(("%a"):format(found[2][i]:value():sum())) -- the same in every order of execution
  end
end)

-- What an iteration sends and fetches, for each graph of the solver and trial of the line search.
local function transfers(options)
  local made, last, most = make("cuda", options), nil, nil
  basin.newton(made.scene, { rule = "gradient", tolerance = 1e-6, max_iterations = 100,
    linear = { solver = "pcg", tolerance = 1e-20 },
    monitor = function(iteration)
      local now = made.scene._system:transfers()
      local rounds = iteration.linear_iterations // 8 + iteration.line_search_trials + 2
      if last and iteration.number > 2 then
        local found = { downloads = (now.downloads - last.downloads) / rounds,
          bytes = (now.downloaded_bytes - last.downloaded_bytes) / rounds,
          sent = now.uploaded_bytes - last.uploaded_bytes }
        most = most or found
        for key, value in pairs(found) do most[key] = math.max(most[key], value) end
      end
      last = now
      return true
    end })
  return assert(most, "nothing was measured")
end

h.test("what an iteration sends and fetches", function()
  local small, large = transfers {}, transfers { bodies = 20, points = 60 }
  for key, most in pairs { downloads = 6, bytes = 1024, sent = 4096 } do
    if not (large[key] <= most and large[key] <= 2 * small[key] + 1) then
      error(("%s: %g for 2 bodies, %g for 20"):format(key, small[key], large[key]))
    end
  end
end)

h.finish()
