-- Held unknowns: exact, the same as the reduced system, and what scripts see of them.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local output = os.getenv "BASIN_TEST_OUTPUT" or "/tmp"

-- A heavy chain of n knots with stiff links, hanging down in a bow.
local function chain(n)
  local scene = basin.scene("chain")
  local mesh = scene:add_mesh("rope")
  local knots = mesh:add_primitive("knots", n)
  local x = knots:add_attribute("position",
    { rows = 3, value = basin.array.line({ 0, 0, 0 }, { n - 1, 0, 0.5 }, n) })
  local links = mesh:add_primitive("links", n - 1)
  local p = links:add_connectivity("ends", knots, basin.array.chain(n), 2):gather(x)
  scene:add_energy(50 * ((p:row(1) - p:row(2)):norm() - 0.9) ^ 2, { name = "spring" })
  scene:add_energy(9.8 * x:at(2), { name = "weight", projection = "none" })
  scene:add_minimize_target { x }
  return scene, x, knots
end

local function same_bits(a, b, what)
  h.equal((a - b):max_abs(), 0, what or "differs")
end

-- Rows of a dense matrix whose numbers are in the list, as a matrix.
local function entries_of(mask)
  local free = {}
  for i, value in ipairs(basin.array.from(mask, { rows = 1 }):table()) do
    if value == 0 then free[#free + 1] = i - 1 end
  end
  return free
end

h.test("held instances and entries keep their bits, with every solver", function()
  local scene, x = chain(9)
  x:hold { 0, 8 }
  x:hold(4, { entries = { 3 } })
  local start, lowest = x:value(), nil
  for _, solver in ipairs { "auto", "direct", "pcg", "minres" } do
    for _, preconditioner in ipairs { "block_jacobi", "schwarz" } do
      x:update(start)
      local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-8,
        linear = { solver = solver, preconditioner = preconditioner, tolerance = 1e-20 } })
      h.equal(report.converged, true, solver .. ": " .. report.reason)
      same_bits(x:value():select { 0, 8 }, start:select { 0, 8 }, solver)
      h.equal(x:value():at(5, 3), start:at(5, 3), solver)
      lowest = lowest or x:value()
      h.close_arrays(x:value(), lowest, 1e-7, solver)
    end
  end
  h.equal(lowest:at(5, 2) < -1, true, "the bow hangs")
end)

h.test("first-order methods hold the same", function()
  local reference, expected = chain(6)
  expected:hold { 0, 5 }
  basin.newton(reference, { rule = "gradient", tolerance = 1e-9 })
  for _, method in ipairs { "lbfgs", "bfgs", "polak_ribiere", "gradient_descent" } do
    local scene, x = chain(6)
    x:hold { 0, 5 }
    local start = x:value()
    local report = basin.minimize(scene, { method = method, tolerance = 1e-6,
      max_iterations = 20000 })
    h.equal(report.converged, true, method .. ": " .. report.reason)
    same_bits(x:value():select { 0, 5 }, start:select { 0, 5 }, method)
    h.close_arrays(x:value(), expected:value(), 1e-5, method)
  end
end)

h.test("the step is that of the reduced system, solved densely", function()
  for _, projection in ipairs { "abs", "clamp" } do
    local scene, x = chain(7)
    x:hold { 0, 6 }
    x:hold({ 2, 3 }, { entries = { 1, 3 } })
    local _, mask = x:held()
    local free = entries_of(mask)
    scene:energy("spring").projection = projection
    local g = basin.array.from(scene:gradient(), { rows = 1 })
    local reduced = scene:hessian { projection = projection }:select(free, free)
    local expected = reduced:factorize():solve(g:select(free))
    for _, solver in ipairs { "direct", "pcg", "minres" } do
      local d = scene:minimize_energy { solver = solver, tolerance = 1e-26 }
      local flat = basin.array.from(d, { rows = 1 })
      h.close_arrays(flat:select(free), expected, 1e-8, solver)
      for i, held in ipairs(basin.array.from(mask, { rows = 1 }):table()) do
        if held == 1 then h.equal(flat[i], 0, "a held entry moves") end
      end
    end
  end
end)

h.test("gradient and Hessian are whole unless held entries are dropped", function()
  local scene, x = chain(4)
  local g, H = scene:gradient(), scene:hessian { projection = "none" }:dense()
  x:hold(1)
  same_bits(scene:gradient(), g)
  same_bits(scene:hessian { projection = "none" }:dense(), H)
  local dropped = scene:gradient { drop_held = true }
  same_bits(dropped:select { 1 }, basin.array.zeros(1, { rows = 3 }))
  same_bits(dropped:select { 0, 2, 3 }, g:select { 0, 2, 3 })
  local matrix = scene:hessian { projection = "none", drop_held = true }
  for i = 1, 12 do
    for j = 1, 12 do
      local held = i >= 4 and i <= 6 or j >= 4 and j <= 6
      h.equal(matrix:at(i, j), held and (i == j and 1 or 0) or H:at(i, j))
    end
  end
end)

h.test("the gradient of held instances is the reaction: it carries the weight", function()
  local scene, x = chain(9)
  x:hold { 0, 8 }
  basin.newton(scene, { rule = "gradient", tolerance = 1e-10 })
  local g = scene:gradient()
  h.close(g:at(1, 2) + g:at(9, 2), 9 * 9.8, 1e-9)
  h.close(g:at(1, 1) + g:at(9, 1), 0, 1e-8)
end)

h.test("springs of growing stiffness converge to what is held", function()
  local held_scene, held = chain(6)
  held:hold { 0, 5 }
  basin.newton(held_scene, { rule = "gradient", tolerance = 1e-9 })
  local errors = {}
  for i, stiffness in ipairs { 1e3, 1e4, 1e5 } do
    local scene, x, knots = chain(6)
    local place = knots:add_constant("place", { rows = 3, value = x:value() })
    local weight = knots:add_constant("weight", { value = { 1, 0, 0, 0, 0, 1 } })
    scene:add_energy(0.5 * stiffness * weight * (x - place):squared_norm(), { name = "pin" })
    basin.newton(scene, { rule = "gradient", tolerance = 1e-9 })
    errors[i] = (x:value() - held:value()):max_abs()
  end
  -- first order in 1 / stiffness
  h.close(errors[1] / errors[2], 10, 0.05)
  h.close(errors[2] / errors[3], 10, 0.05)
end)

h.test("held, release, and lists of several kinds", function()
  local _, x = chain(5)
  h.equal(x:held().count, 0)
  h.equal(x:hold(basin.array.from { 3, 1 }), x, "hold returns the attribute")
  x:hold(0, { entries = { { 2, 1 } } })
  local list, mask = x:held()
  h.close_arrays(list, { 0, 1, 3 })
  h.close_arrays(mask, { { 0, 1, 0 }, { 1, 1, 1 }, { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 } })
  x:release({ 1, 3 }, { entries = { 1 } })
  x:release(0)
  h.close_arrays(select(2, x:held()),
    { { 0, 0, 0 }, { 0, 1, 1 }, { 0, 0, 0 }, { 0, 1, 1 }, { 0, 0, 0 } })
  x:hold()
  h.equal(x:held().count, 5)
  x:release()
  h.equal(x:held().count, 0)
end)

h.test("everything held, nothing held, released between minimizations", function()
  local scene, x = chain(5)
  local start = x:value()
  x:hold()
  local report = basin.newton(scene)
  h.equal(report.converged, true)
  h.equal(report.iterations, 0)
  same_bits(x:value(), start)
  x:release { 1, 2, 3 }
  basin.newton(scene, { rule = "gradient", tolerance = 1e-9 })
  same_bits(x:value():select { 0, 4 }, start:select { 0, 4 })
  local hanging = x:value()
  h.equal((hanging - start):max_abs() > 0.5, true, "released knots move")
  x:release()
  local direction = scene:minimize_energy { solver = "pcg" }
  h.equal(math.abs(direction:at(1, 2)) > 0, true, "nothing is held any more")
end)

h.test("entries of matrices, and of unknowns that share instances", function()
  local scene = basin.scene("bodies")
  local bodies = scene:add_mesh("m"):add_primitive("bodies", 2)
  local A = bodies:add_attribute("A", { rows = 3, cols = 3, value = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } })
  local t = bodies:add_attribute("t", { rows = 3, value = { 1, 2, 3 } })
  scene:add_energy((A * t):squared_norm() + t:squared_norm() + A:squared_norm(),
    { name = "coupled" })
  scene:add_minimize_target { A, t }
  A:hold(0, { entries = { { 1, 2 }, 6 } })
  t:hold(1)
  A:hold(1)
  local before_A, before_t = A:value(), t:value()
  for _, solver in ipairs { "direct", "pcg", "minres" } do
    local dA, dt = scene:minimize_energy { solver = solver }
    for i = 1, 9 do
      h.equal(dA:at(1, i) == 0, i == 2 or i == 6, ("entry %d of A"):format(i))
      h.equal(dA:at(2, i), 0)
    end
    h.equal(dt:at(1, 1) ~= 0, true)
    same_bits(dt:select { 1 }, basin.array.zeros(1, { rows = 3 }))
  end
  basin.newton(scene, { max_iterations = 20 })
  same_bits(A:value():select { 1 }, before_A:select { 1 })
  same_bits(t:value():select { 1 }, before_t:select { 1 })
  h.equal(A:value():at(1, 2), 2)
  h.equal(A:value():at(1, 6), 6)
end)

h.test("a constant Hessian is factorized again when other instances are held", function()
  local scene = basin.scene("grid")
  local points = scene:add_mesh("m"):add_primitive("points", 40)
  local x = points:add_attribute("x", { rows = 3, value = basin.array.line({ 0, 0, 0 }, { 1, 2, 3 },
    40) })
  local pairs_of = points._parent:add_primitive("links", 39)
  local p = pairs_of:add_connectivity("ends", points, basin.array.chain(40), 2):gather(x)
  scene:add_energy((p:row(1) - p:row(2)):squared_norm(), { name = "links" })
  scene:add_energy(0.1 * x:squared_norm(), { name = "pull" })
  scene:add_minimize_target { x }
  local solver = scene:solver { method = "direct" }
  h.equal(solver.constant, true)
  local function step()
    local before = x:value()
    x:update(before - solver:solve())
    local g = scene:gradient { drop_held = true }
    h.equal(g:max_abs() < 1e-12, true, "one step is the minimum of a quadratic energy")
    return before
  end
  for round, held in ipairs { { 0, 39 }, { 0, 20 }, {} } do
    x:release()
    if #held > 0 then x:hold(held) end
    for _ = 1, 2 do
      local before = step()
      if #held > 0 then same_bits(x:value():select(held), before:select(held)) end
    end
    h.equal(solver.factorizations, round)
  end
end)

h.test("minimizers of one scene hold the same; members of unions are held", function()
  local scene = basin.scene("union")
  local a = scene:add_mesh("a"):add_primitive("vertices", 3)
  local b = scene:add_mesh("b"):add_primitive("vertices", 2)
  local xa = a:add_attribute("position", { rows = 2, value = { { 1, 0 }, { 2, 0 }, { 3, 0 } } })
  local xb = b:add_attribute("position", { rows = 2, value = { { 0, 1 }, { 0, 2 } } })
  local all = scene:add_mesh("both"):add_primitive_union("vertices", { a, b })
  local x = all:add_attribute("position")
  local edges = scene.both:add_primitive("edges", 4)
  local p = edges:add_connectivity("ends", all, basin.array.chain(5), 2):gather(x)
  scene:add_energy((p:row(1) - p:row(2)):squared_norm() + 0.1 * p:squared_norm(), { name = "e" })
  xa:hold(2)
  xb:hold(1, { entries = { 1 } })
  local both = scene:minimizer { targets = { xa, xb } }
  local one = scene:minimizer { targets = { xa } }
  basin.newton(one)
  h.close_arrays(xa:value():select { 2 }, { { 3, 0 } }, 0)
  basin.newton(both)
  h.close_arrays(xa:value():select { 2 }, { { 3, 0 } }, 0)
  h.equal(xb:value():at(2, 1), 0)
  h.equal(xb:value():at(2, 2) ~= 2, true)
  h.fails("members", x.hold, x, { 0 })
end)

h.test("maps that are not affine: a held angle", function()
  local scene = basin.scene("arm")
  local joints = scene:add_mesh("arm"):add_primitive("joints", 2)
  local angle = joints:add_attribute("angle", { value = { 0.3, 0.7 } })
  local tip = joints:add_attribute("tip", basin.vector { angle:cos(), angle:sin() })
  local bars = scene.arm:add_primitive("bars", 1)
  local p = bars:add_connectivity("ends", joints, { 0, 1 }, 2):gather(tip)
  scene:add_energy((p:row(1) + 2 * p:row(2)):squared_norm() + p:squared_norm() ^ 2, { name = "e" })
  scene:add_minimize_target { angle }
  angle:hold(0)
  local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-10 })
  h.equal(report.converged, true)
  h.equal(angle:value():at(1), 0.3)
  -- |a + 2 b|^2 is least where b points away from a
  h.close(math.abs(angle:value():at(2) - 0.3), math.pi, 1e-8)
end)

h.test("spaces that change: instances that go are forgotten, zero instances are fine", function()
  local scene = basin.scene("dynamic")
  local points = scene:add_mesh("m"):add_primitive("points", 4, { dynamic = true })
  local x = points:add_attribute("x", { value = { 1, 2, 3, 4 } })
  scene:add_energy(0.5 * x ^ 2, { name = "e" })
  scene:add_minimize_target { x }
  x:hold { 1, 3 }
  basin.newton(scene)
  h.close_arrays(x:value(), { 0, 2, 0, 4 }, 0)
  points:resize(2)
  h.close_arrays(x:held(), { 1 })
  points:resize(5)
  x:update { 5, 5, 5, 5, 5 }
  basin.newton(scene)
  h.close_arrays(x:value(), { 0, 5, 0, 0, 0 }, 0)
  points:resize(0)
  h.equal(x:held().count, 0)
  x:hold {}
  h.equal(basin.newton(scene).converged, true)
  points:resize(1)
  x:update { 3 }
  basin.newton(scene)
  h.close(x:value():at(1), 0)
end)

h.test("checkpoints have what is held", function()
  local checkpoint = require "basin.checkpoint"
  local file = output .. "/held.npz"
  local first, x = chain(5)
  x:hold { 0, 4 }
  x:hold(2, { entries = { 3 } })
  local _, mask = x:held()
  checkpoint.save(first, file)
  x:release()
  x:hold(1)
  checkpoint.restore(first, file)
  same_bits(select(2, x:held()), mask)
  local second, y = chain(5)
  y:hold(3)
  checkpoint.restore(second, file)
  same_bits(select(2, y:held()), mask)
  y:release()
  checkpoint.save(second, file)
  checkpoint.restore(first, file)
  h.equal(x:held().count, 0)
end)

h.test("the derivative check looks at held entries, too", function()
  local scene, x = chain(5)
  x:hold { 0, 4 }
  h.equal(basin.check(scene).passed, true)
end)

h.test("arrays with other instances", function()
  local array = basin.array.from { { 1, 2 }, { 3, 4 }, { 5, 6 } }
  h.close_arrays(array:replaced({ 2, 0 }, { { 7, 8 }, { 9, 0 } }), { { 9, 0 }, { 3, 4 }, { 7, 8 } })
  h.close_arrays(array, { { 1, 2 }, { 3, 4 }, { 5, 6 } })
  h.fails("index 3 of 3", array.replaced, array, { 3 }, { { 1, 1 } })
  h.fails("2 numbers", array.replaced, array, { 1 }, { 1 })
end)

h.finish()
