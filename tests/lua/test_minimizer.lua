-- Energies, projection, targets, switches, solvers, Newton.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

-- A chain of n knots along x, each link a spring of rest length `rest`.
local function chain(n, rest)
  local scene = basin.scene("chain")
  local mesh = scene:add_mesh("rope")
  local knots = mesh:add_primitive("knots", n)
  local x = knots:add_attribute("position",
    { rows = 3, value = basin.array.line({ 0, 0, 0 }, { n - 1, 0, 0 }, n) })
  local links = mesh:add_primitive("links", n - 1)
  local ends = links:add_connectivity("ends", knots, basin.array.chain(n), 2)
  local p = ends:gather(x)
  local spring = scene:add_energy(links:add_attribute("spring",
    0.5 * ((p:row(1) - p:row(2)):norm() - rest) ^ 2))
  scene:add_minimize_target { x }
  return scene, knots, x, spring
end

h.test("total, parts, gradient of stretched springs", function()
  local scene, _, x, spring = chain(3, 0.5)
  h.close(scene:compute_total_energy(), 2 * 0.5 * 0.25)
  local total, parts = scene:energy_of_terms()
  h.close(parts["rope.links.spring"], total)
  h.close_arrays(scene:gradient(), { { -0.5, 0, 0 }, { 0, 0, 0 }, { 0.5, 0, 0 } })
  h.close_arrays(spring:compute(), { 0.125, 0.125 })
  h.equal(scene:energy("spring"), spring)
  h.equal(x:value():at(3, 1), 2)
end)

h.test("projection of a compressed spring: eigenvalues -1, -1, 1 of its inner Hessian", function()
  -- length 1, rest 2: along it 1, across 1 - 2/1 = -1
  local function across(mode)
    local scene = chain(2, 2)
    return scene:hessian { projection = mode }:at(2, 2),
      scene:hessian { projection = mode }:at(1, 1)
  end
  h.close((across "none"), -1)
  h.close((across "clamp"), 0)
  h.close((across "abs"), 1)
  h.close(select(2, across "none"), 1)
  local scene, _, _, spring = chain(2, 2)
  h.equal(spring.projection, "abs", "the default")
  h.close(scene:hessian():at(2, 2), 1)
  h.equal(scene:hessian():is_symmetric(1e-15), true)
end)

h.test("one linear solve is a Newton step", function()
  local scene, knots, x = chain(4, 1)
  local goal = knots:add_constant("goal",
    { rows = 3, value = { { 1, 2, 3 }, { 0, 1, 0 }, { 2, 0, 1 }, { 4, 4, 4 } } })
  local d = x - goal
  scene:energy("spring"):disable()
  scene:add_energy(knots:add_attribute("pull", 0.5 * d:dot(d)))
  for _, solver in ipairs { "direct", "pcg", "auto" } do
    local direction, report = scene:minimize_energy { solver = solver, tolerance = 1e-20 }
    h.equal(report.converged, true, solver .. ": " .. report.status)
    h.close_arrays(x:value() - direction, goal:value(), 1e-10, solver)
  end
end)

-- A saddle: the gradient of an indefinite quadratic energy vanishes after one step.
h.test("MINRES solves what is not positive definite", function()
  local scene = basin.scene("saddle")
  local mesh = scene:add_mesh("rope")
  local knots, links = mesh:add_primitive("knots", 300), mesh:add_primitive("links", 299)
  local start = basin.array.line({ 0, 1, 2 }, { 30, 4, -1 }, 300)
  local x = knots:add_attribute("x", { rows = 3, value = start })
  local ends = links:add_connectivity("ends", knots, basin.array.chain(300), 2):gather(x)
  local d = ends:row(1) - ends:row(2)
  scene:add_energy(links:add_attribute("pull", d:dot(d)), { projection = "none" })
  scene:add_energy(knots:add_attribute("push", x:at(1) - 0.7 * x:dot(x)), { projection = "none" })
  scene:add_minimize_target { x }
  local _, failed = scene:minimize_energy { solver = "pcg", tolerance = 1e-20 }
  h.equal(failed.converged, false)
  for _, preconditioner in ipairs { "block_jacobi", "schwarz" } do
    local direction, report = scene:minimize_energy { solver = "minres", tolerance = 1e-24,
      preconditioner = preconditioner }
    h.equal(report.converged, true, report.status)
    h.equal(report.solver, "minres")
    x:update(x:value() - direction)
    h.close(scene:gradient():max_abs(), 0, 1e-9)
    x:update(start)
  end
  local solver = scene:solver { method = "minres", tolerance = 1e-24 }
  x:update(x:value() - solver:solve())
  h.close(scene:gradient():max_abs(), 0, 1e-9)
end)

h.test("energies switch off and on", function()
  local scene, knots, x, spring = chain(3, 0.5)
  scene:add_energy(knots:add_attribute("weight", 2 * x:at(1)))
  h.close(scene:compute_total_energy(), 0.25 + 6)
  spring:disable()
  h.close(scene:compute_total_energy(), 6)
  h.close_arrays(scene:gradient(), { { 2, 0, 0 }, { 2, 0, 0 }, { 2, 0, 0 } })
  spring:enable()
  h.close(scene:compute_total_energy(), 6.25)
  scene:energy("weight"):enable(false)
  h.close(scene:compute_total_energy(), 0.25)
end)

h.test("targets of an energy: the others are constants for it", function()
  local scene = basin.scene("targets")
  local a = scene:add_attribute("a", { value = 2 })
  local b = scene:add_attribute("b", { value = 3 })
  scene:add_energy(a ^ 2 * b ^ 2, { name = "both" })
  scene:add_energy(a * b, { name = "one", targets = { a } })
  scene:add_minimize_target { a, b }
  local ga, gb = scene:gradient()
  h.close(ga[1], 2 * 2 * 9 + 3)
  h.close(gb[1], 4 * 2 * 3)
end)

h.test("several minimizers on one scene", function()
  local scene = basin.scene("several")
  local a = scene:add_attribute("a", { value = 2 })
  local b = scene:add_attribute("b", { value = 3 })
  local first = scene:add_energy((a - 1) ^ 2 + (a * b - 4) ^ 2, { name = "first" })
  scene:add_energy(b ^ 4, { name = "second" })
  local of_a = scene:minimizer { targets = { a } }
  h.equal(#of_a:energies(), 1, "only what depends on the targets")
  local of_b = scene:minimizer { targets = { b }, energies = { first } }
  h.close(of_a:gradient()[1], 2 * 1 + 2 * (6 - 4) * 3)
  h.close(of_b:gradient()[1], 2 * (6 - 4) * 2)
  h.fails("depends on no minimization target",
    function() scene:minimizer { targets = { a }, energies = { "second" } } end)
end)

h.test("a constant Hessian is found, factorized once and kept until its data change", function()
  local scene = basin.scene("constant")
  local mesh = scene:add_mesh("m")
  local points = mesh:add_primitive("points", 3)
  local x = points:add_attribute("x", { rows = 2 })
  local k = points:add_constant("k", { value = { 1, 2, 4 } })
  local goal = points:add_constant("goal", { rows = 2, value = 1 })
  local d = x - goal
  scene:add_energy(points:add_attribute("pull", 0.5 * k * d:dot(d)))
  scene:add_minimize_target { x }
  local solver = scene:solver { method = "direct" }
  h.equal(solver.constant, true)
  for round = 1, 3 do
    goal:update(round)
    x:update(x:value() - solver:solve())
    h.close_arrays(x:value(), { { round, round }, { round, round }, { round, round } }, 1e-13)
  end
  h.equal(solver.factorizations, 1)
  k:update { 3, 3, 3 }
  goal:update(-1)
  x:update(x:value() - solver:solve())
  h.close_arrays(x:value(), { { -1, -1 }, { -1, -1 }, { -1, -1 } }, 1e-13)
  h.equal(solver.factorizations, 2)
  local moving = chain(3, 0.5)
  h.equal(moving:solver {}.constant, false)
end)

h.test("Newton finds the minimum of Rosenbrock's function", function()
  local scene = basin.scene("rosenbrock")
  local p = scene:add_attribute("p", { rows = 2, value = { -1.2, 1 } })
  local x, y = p:at(1), p:at(2)
  scene:add_energy((1 - x) ^ 2 + 100 * (y - x ^ 2) ^ 2, { name = "f" })
  scene:add_minimize_target { p }
  local seen = {}
  local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-10, max_iterations = 100,
    monitor = function(iteration) seen[#seen + 1] = iteration.energy end })
  h.equal(report.converged, true, tostring(report))
  h.close_arrays(p:value(), { { 1, 1 } }, 1e-9)
  h.equal(#seen > 5, true)
  for i = 2, #seen do h.equal(seen[i] <= seen[i - 1], true, "energy falls") end
end)

h.test("energies whose derivative is zero, of unknowns that may be none", function()
  for _, count in ipairs { 3, 0 } do
    local scene = basin.scene("flat")
    local points = scene:add_mesh("m"):add_primitive("points", count, { dynamic = true })
    local x = points:add_attribute("x", { rows = 2, value = count > 0 and { 1.5, -2 } or nil })
    scene:add_energy(0 * x:dot(x) + 3, { name = "none" })
    scene:add_energy(x:sign():sum(), { name = "sign" })
    scene:add_energy(basin.where(x:at(1):gt(0), 1, 2), { name = "choice" })
    scene:add_minimize_target { x }
    h.equal(scene:compute_total_energy(), count * 4)
    h.close_arrays(scene:gradient(), basin.array.filled(2 * count, 0), 0)
    local hessian = scene:hessian()
    h.equal(hessian.rows, 2 * count)
    h.equal(hessian:norm(), 0)
    h.equal(scene:mixed_derivative("none", { x }, { x }).count, 0)
    scene:add_energy((x - 1):squared_norm(), { name = "bowl" })
    h.equal(basin.newton(scene).reason, "converged")
    h.equal(basin.check(scene).passed, true)
  end
end)

h.test("every projection finds the rest length of a compressed spring", function()
  for _, mode in ipairs { "abs", "clamp", "adaptive" } do
    local scene = basin.scene("compressed")
    local points = scene:add_mesh("m"):add_primitive("points", 1)
    local x = points:add_attribute("x", { rows = 2, value = { 0.3, 0.1 } })
    scene:add_energy((x:norm() - 1) ^ 2 + 0.1 * x:at(2) ^ 2,
      { name = "spring", projection = mode })
    scene:add_minimize_target { x }
    local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-9 })
    h.equal(report.converged, true, mode .. ": " .. tostring(report))
    h.close_arrays(x:value(), { { 1, 0 } }, 1e-6, mode)
  end
end)

h.test("Newton stops at its iteration limit and says so", function()
  local scene = chain(3, 0.5)
  local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-14, max_iterations = 1 })
  h.equal(report.reason, "iteration limit")
end)

h.test("a monitor or a filter may fail: its error comes out", function()
  local scene = chain(3, 0.5)
  h.fails("enough", basin.newton, scene, { monitor = function() error("enough") end })
  local other = chain(3, 0.5)
  h.fails("no step", basin.newton, other, { filters = { function() error("no step") end } })
  h.close(other:compute_total_energy(), 0.25, 1e-12, "usable afterwards")
  local report = basin.newton(chain(3, 0.5), { monitor = function() return false end })
  h.equal(report.reason, "interrupted")
end)

h.test("filters bound the step", function()
  local scene, knots, x = chain(2, 1)
  scene:add_energy(knots:add_attribute("fall",
    0.5 * (x:at(2) + 2) ^ 2 + 0.5 * x:at(3) ^ 2 + 0.5 * x:at(1) ^ 2))
  local seen = {}
  local floor = basin.filter.plane { positions = x, normal = { 0, 1, 0 }, offset = -1 }
  basin.newton(scene, { filters = { floor, function(alpha, d)
    seen[#seen + 1] = alpha
    h.equal(d.count, 2)
    return alpha
  end }, max_iterations = 30 })
  h.equal(seen[1] < 1, true, "the plane shortened the first step")
  h.equal(x:value():component(2):min() > -1, true, "nothing is below the plane")
end)

h.test("products of matrices on the scene's device", function()
  local scene = chain(4, 0.5)
  local hessian = scene:hessian()
  local there, here = scene:multiply(hessian, hessian), hessian * hessian
  h.equal((there - here):norm() <= 1e-14 * here:norm(), true)
  h.fails("cannot", scene.multiply, scene, hessian, basin.sparse.identity(2))
end)

h.test("a computed array reads what a Newton solve moved", function()
  local scene, knots, x = chain(3, 0.5)
  local double = knots:add_attribute("double", 2 * x)
  basin.newton(scene, {})
  h.close_arrays(double:value(), 2 * x:value())
end)

-- A stiff pair beside unknowns that no energy sees: a shift on their account would be larger than
-- the pull k (y - 3)^2 that moves the pair. Quadratic, so the rest is rounding.
h.test("unknowns that no energy sees stay, and do not slow the others", function()
  for _, count in ipairs { 3, 1000 } do -- a direct solve, and conjugate gradients
    local scene = basin.scene "unseen"
    local points = scene:add_mesh("m"):add_primitive("points", count)
    local x = points:add_attribute("x", { value = 7 })
    local pairs_of = scene.m:add_primitive("pairs", 1)
    local p = pairs_of:add_connectivity("ends", points, { { 0, count - 1 } }, 2):gather(x)
    scene:add_energy(pairs_of:add_attribute("e", 0.5e8 * (p:at(1) - p:at(2) - 1) ^ 2
      + 0.5 * (p:at(2) - 3) ^ 2))
    scene:add_minimize_target { x }
    local report = basin.newton(scene, { tolerance = 1e-6 })
    h.equal(report.converged, true, report.reason)
    h.equal(report.iterations <= 6, true, report.iterations)
    h.close(x:value():at(1), 4, 1e-6)
    h.close(x:value():at(count), 3, 1e-6)
    h.equal((x:value():slice(2, count - 1) - 7):max_abs(), 0)
  end
end)

h.finish()
