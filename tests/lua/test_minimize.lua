-- basin.minimize: every method against Newton's, its options and callbacks, step filters, and
-- simulations that choose it.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local methods <const> = { "lbfgs", "bfgs", "dfp", "gradient_descent", "fletcher_reeves",
  "polak_ribiere", "hestenes_stiefel", "dai_yuan" }

-- A rope between soft pins that hangs down.
local function rope(count, given)
  local scene = basin.scene("rope", given)
  local mesh = scene:add_mesh("m")
  local knots, links = mesh:add_primitive("knots", count), mesh:add_primitive("links", count - 1)
  local start = {}
  for i = 1, count do start[i] = { 0.45 * (i - 1), 0.1 * math.sin(3 * i), 0.05 * math.cos(i) } end
  local x = knots:add_attribute("position", { rows = 3, value = start })
  local ends = links:add_connectivity("ends", knots, basin.array.chain(count), 2):gather(x)
  local stretch = (ends:row(1) - ends:row(2)):norm() - 0.5
  scene:add_energy(links:add_attribute("spring", 20 * stretch ^ 2))
  scene:add_energy(knots:add_attribute("weight", 0.5 * x:at(2)))
  local hold = {}
  for i = 1, count do hold[i] = (i == 1 or i == count) and 50 or 0 end
  local off = x - knots:add_constant("anchor", { rows = 3, value = start })
  scene:add_energy(knots:add_attribute("pin",
    0.5 * knots:add_constant("hold", { value = hold }) * off:dot(off)))
  scene:add_minimize_target { x }
  return scene, x, start
end

h.test("all methods end where Newton's does", function()
  local scene, x, start = rope(9)
  local exact = basin.newton(scene, { rule = "gradient", tolerance = 1e-9 })
  h.equal(exact.converged, true, exact.reason)
  local expected = x:value()
  for _, method in ipairs(methods) do
    x:update(start)
    local report = basin.minimize(scene, { method = method, tolerance = 1e-6,
      max_iterations = 4000 })
    h.equal(report.converged, true, method .. ": " .. report.reason)
    h.close(report.energy, exact.energy, 1e-10, method)
    h.close_arrays(x:value(), expected, 1e-4, method)
    assert(report.gradient_norm <= 1e-6 and report.linear_iterations == 0)
  end
end)

h.test("Newton's method by its name, on a minimizer, with its own options", function()
  local scene, x = rope(5)
  local report = basin.minimize(scene:main_minimizer(), { method = "newton", rule = "gradient",
    tolerance = 1e-8, linear = { solver = "pcg" } })
  h.equal(report.converged, true, report.reason)
  assert(report.linear_iterations > 0)
  h.close(scene:gradient():max_abs(), 0, 1e-8)
  -- L-BFGS is the default, and at the minimum there is nothing to do.
  local again = basin.minimize(scene, { tolerance = 1e-7 })
  h.equal(again.iterations, 0)
  h.equal(again.reason, "converged")
  assert(tostring(again):find("converged after 0 iterations", 1, true), tostring(again))
  assert(x:value():max_abs() > 0)
end)

h.test("what is wrong with options", function()
  local scene = rope(3)
  h.fails("'method' must be one of .*; got 'lbfg'", basin.minimize, scene, { method = "lbfg" })
  h.fails("unknown option 'linear'; valid are curvature", basin.minimize, scene,
    { linear = { solver = "pcg" } })
  h.fails("unknown option 'memory'", basin.minimize, scene, { method = "newton", memory = 3 })
  h.fails("curvature constant must lie between", basin.minimize, scene, { curvature = 2 })
  h.fails("sufficient decrease must lie between", basin.minimize, scene,
    { sufficient_decrease = 0.7 })
  h.fails("'memory' must be a whole number from 1", basin.minimize, scene, { memory = 0 })
  h.fails("a scene or a minimizer is needed, got a table", basin.minimize, {})
  h.fails("bfgs keeps a dense matrix, for at most 4000 unknowns; there are 4500: take lbfgs",
    basin.minimize, rope(1500), { method = "bfgs" })
end)

h.test("a start that is no number names term and element", function()
  local scene = basin.scene "bad"
  local points = scene:add_mesh("m"):add_primitive("points", 3)
  local x = points:add_attribute("x", { value = { 1, -1, 1 } })
  scene:add_energy(points:add_attribute("barrier", x - x:log()))
  scene:add_minimize_target { x }
  h.fails("barrier.*energy of element 1 of .*points is not a number", basin.minimize, scene)
  x:update { 3, 0.2, 40 }
  local report = basin.minimize(scene, { tolerance = 1e-9 })
  h.equal(report.converged, true, report.reason)
  h.close_arrays(x:value(), { 1, 1, 1 }, 1e-8)
end)

h.test("an energy without a bound, an iteration limit", function()
  local scene = basin.scene "fall"
  local x = scene:add_mesh("m"):add_primitive("points", 2):add_attribute("x", { value = { 1, 2 } })
  scene:add_energy(-x)
  scene:add_minimize_target { x }
  for _, method in ipairs(methods) do
    x:update { 1, 2 }
    local report = basin.minimize(scene, { method = method })
    h.equal(report.reason, "the energy falls without bound", method)
    h.equal(report.diverged, true)
  end
  local hanging = rope(6)
  local report = basin.minimize(hanging, { max_iterations = 4, tolerance = 1e-9 })
  h.equal(report.reason, "iteration limit")
  h.equal(report.iterations, 4)
end)

h.test("callbacks: refresh, monitor, interruption", function()
  local scene = rope(6)
  local refreshed, seen, last = 0, 0, math.huge
  local report = basin.minimize(scene, { method = "polak_ribiere", tolerance = 1e-5,
    refresh = function() refreshed = refreshed + 1 end,
    monitor = function(iteration)
      seen = seen + 1
      h.equal(iteration.number, seen)
      assert(iteration.energy <= last and iteration.alpha > 0)
      last = iteration.energy
    end })
  h.equal(report.converged, true, report.reason)
  h.equal(seen, report.iterations)
  assert(refreshed > report.line_search_trials)
  local other = rope(6)
  local stopped = basin.minimize(other, { monitor = function(iteration)
    return iteration.number < 3
  end })
  h.equal(stopped.interrupted, true)
  h.equal(stopped.iterations, 3)
  h.fails("from the monitor", basin.minimize, rope(6), { monitor = function()
    error("from the monitor")
  end })
end)

-- Such a value comes back as it is, and the minimization gives up what it holds (seen by leak
-- checks).
h.test("callbacks whose error values cannot be turned into texts", function()
  local value = setmetatable({}, { __tostring = function() error "no text" end })
  local function raise() error(value) end
  for _, method in ipairs { "newton", "lbfgs" } do
    for _, given in ipairs { { refresh = raise }, { monitor = raise }, { filters = { raise } } } do
      given.method = method
      local ok, problem = pcall(basin.minimize, rope(6), given)
      h.equal(ok, false)
      assert(rawequal(problem, value), method)
    end
  end
end)

-- Points pulled through a plane that a barrier guards: no trial may lie behind it.
h.test("step filters bound every trial", function()
  for _, method in ipairs(methods) do
    local scene = basin.scene "plane"
    local points = scene:add_mesh("m"):add_primitive("points", 3)
    local x = points:add_attribute("x", { rows = 2, value = { { 0, 1 }, { 1, 0.1 }, { 2, 7 } } })
    scene:add_energy(points:add_attribute("pull", 3 * x:at(2) + 0.5 * x:at(1) ^ 2))
    scene:add_energy(points:add_attribute("barrier", -0.3 * x:at(2):log()))
    scene:add_minimize_target { x }
    local lowest, asked = math.huge, 0
    local report = basin.minimize(scene, { method = method, tolerance = 1e-7,
      max_iterations = 2000,
      filters = { basin.filter.plane { positions = x, normal = { 0, 1 } },
        function(alpha, direction)
          asked = asked + 1
          assert(direction:max_abs() > 0 and alpha <= 1)
          return alpha
        end },
      refresh = function() lowest = math.min(lowest, x:value():component(2):min()) end })
    h.equal(report.converged, true, method .. ": " .. report.reason)
    h.close_arrays(x:value(), { { 0, 0.1 }, { 0, 0.1 }, { 0, 0.1 } }, 1e-6, method)
    assert(lowest > 0 and asked >= report.iterations, method)
  end
end)

-- The middle knot keeps its place, an end its height.
h.test("held unknowns do not move", function()
  local scene, x, start = rope(7)
  x:hold(3)
  x:hold(0, { entries = { 2 } })
  local exact = basin.newton(scene, { rule = "gradient", tolerance = 1e-9 })
  h.equal(exact.converged, true, exact.reason)
  local expected = x:value()
  for _, method in ipairs(methods) do
    x:update(start)
    local report = basin.minimize(scene, { method = method, tolerance = 1e-6,
      max_iterations = 4000 })
    h.equal(report.converged, true, method .. ": " .. report.reason)
    h.close_arrays(x:value(), expected, 1e-4, method)
    for k = 1, 3 do h.equal(x:value():at(4, k), start[4][k]) end
    h.equal(x:value():at(1, 2), start[1][2])
  end
end)

-- ---- simulations ----

local function drop(given)
  local std = require "basin.std"
  local scene = basin.scene "drop"
  local box = basin.mesh.box { width = 0.2, height = 0.2, depth = 0.2 }
  local soft = std.body.soft(scene, "soft", { mesh = box, copies = { { 0, 0.112, 0 } },
    density = 200, material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } })
  std.contact.barrier(scene, { bodies = { soft }, distance = 0.01,
    planes = { { normal = { 0, 1, 0 }, offset = 0 } } })
  local options = { dt = 0.02, steps = 8, gravity = { 0, -9.8, 0 }, progress = false }
  for key, value in pairs(given) do options[key] = value end
  local report = basin.simulate(scene, options)
  return soft.position:value(), report
end

h.test("a drop on the ground by L-BFGS and conjugate gradients", function()
  local expected = drop { newton = { tolerance = 1e-5 } }
  for _, method in ipairs { "lbfgs", "polak_ribiere" } do
    local found, report = drop { solve = { method = method, tolerance = 1e-4 } }
    h.equal(report.reasons.converged, 8, method .. ": " .. tostring(report))
    assert(tostring(report):find("iterations: " .. method, 1, true))
    h.close_arrays(found, expected, 1e-4, method)
    assert(found:component(2):min() > 0)
  end
  h.fails("give 'newton' or 'solve', not both", drop, { solve = {}, newton = {} })
end)

h.test("the two-loop recursion of one pair, and of none", function()
  local two_loop = basin.quasi_newton.two_loop
  h.close_arrays(two_loop({}, {}, { 1, 2 }), { 1, 2 })
  -- The secant equation H y = s, in either form of one pair.
  local s, y = { 1, 0.5 }, { 4, 1 }
  h.close_arrays(two_loop({ s }, { y }, y), s, 1e-15)
  h.close_arrays(two_loop(s, y, y), s, 1e-15)
  h.fails("argument 2 needs 4 numbers, got 2", two_loop, { s, s }, { y }, y)
  h.fails("as many numbers as the gradient, 2; got 3 in all", two_loop, { 1, 2, 3 }, { 1, 2, 3 }, y)
end)

h.finish()
