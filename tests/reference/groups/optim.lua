-- First-order minimizers: formulas, equal iterates on a quadratic, and full runs.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local golden = require "golden"

-- The tolerance "all" of a case, for each of its numbers by itself.
local function formulas(case, checker)
  local given, expect, q = case.inputs, case.expect, basin.quasi_newton
  local function compare(name, expected, actual) checker:compare(name, "all", expected, actual) end
  compare("inverse BFGS", expect.H_bfgs, q.inverse_bfgs(given.H, given.s, given.y))
  compare("inverse DFP", expect.H_dfp, q.inverse_dfp(given.H, given.s, given.y))
  compare("two-loop recursion", expect.two_loop_of_g_old, q.two_loop(given.S, given.Y, given.g_old))
  compare("two-loop recursion, given scale", expect.two_loop_of_g_old,
    q.two_loop(given.S, given.Y, given.g_old, expect.gamma))
  -- The direct formula starts from the inverse of H; so the result is that of the inverse one.
  local n = #given.s
  local inverse = {}
  local factor = basin.sparse.from(given.H):factorize "cholesky"
  for k = 1, n do
    local unit = {}
    for i = 1, n do unit[i] = i == k and 1 or 0 end
    inverse[k] = golden.flat(factor:solve(unit))
  end
  compare("direct BFGS", expect.B_bfgs, q.direct_bfgs(inverse, given.s, given.y))
  for _, name in ipairs { "fletcher_reeves", "polak_ribiere", "hestenes_stiefel", "dai_yuan" } do
    local found = q.coefficient(name, given.g_new, given.g_old, given.d_old)
    compare(name, expect.beta[name], found)
    if name == "polak_ribiere" then
      compare("polak_ribiere_plus", expect.beta.polak_ribiere_plus, math.max(0, found))
    end
  end
end

-- ---- a quadratic ----

local function quadratic_scene(case)
  local n = #case.inputs.b
  local scene = basin.scene(case.case)
  local point = scene:add_mesh("m"):add_primitive("point", 1)
  local x = point:add_attribute("x", { rows = n })
  local Qx = basin.matrix(case.inputs.Q) * x
  local b = basin.vector(case.inputs.b)
  scene:add_energy(point:add_attribute("bowl", 0.5 * x:dot(Qx) - x:dot(b)))
  scene:add_minimize_target { x }
  return scene, x
end

-- BFGS updates along the iterates of a run, from the identity.
local function inverse_along(iterates, gradients)
  local n, H = iterates[1].size, {}
  for i = 1, n do
    H[i] = {}
    for k = 1, n do H[i][k] = i == k and 1 or 0 end
  end
  for k = 2, #iterates do
    H = basin.quasi_newton.inverse_bfgs(H, iterates[k] - iterates[k - 1],
      gradients[k] - gradients[k - 1])
  end
  return H
end

local function quadratic(case, checker)
  local scene, x = quadratic_scene(case)
  local n = #case.inputs.b
  for _, method in ipairs { "fletcher_reeves", "polak_ribiere", "hestenes_stiefel", "dai_yuan",
    "bfgs", "dfp", "lbfgs" } do
    x:update { case.inputs.x0 }
    local iterates, gradients = { x:value() }, { (scene:gradient()) }
    local report = basin.minimize(scene, { method = method, tolerance = 1e-9, memory = n,
      fixed_scale = true, sufficient_decrease = 1e-13, curvature = 1e-12, max_iterations = n,
      monitor = function()
        iterates[#iterates + 1] = x:value()
        gradients[#gradients + 1] = (scene:gradient())
      end })
    checker:equal(method .. ": steps", n, report.iterations)
    for k, expected in ipairs(case.expect.iterates) do
      checker:compare(("%s: iterate %d"):format(method, k - 1), "iterates", expected,
        iterates[k] or {})
    end
    checker:compare(method .. ": minimiser", "minimiser", case.expect.minimiser, x:value())
    if method == "bfgs" then
      checker:compare("inverse at the end", "inverse_at_end", case.expect.inverse_at_end,
        inverse_along(iterates, gradients))
    end
  end
end

-- ---- full runs ----

local function rosenbrock_scene(case)
  local n = #case.inputs.x0
  local scene = basin.scene(case.case)
  local mesh = scene:add_mesh("m")
  local numbers, links = mesh:add_primitive("numbers", n), mesh:add_primitive("links", n - 1)
  local x = numbers:add_attribute("x", { value = case.inputs.x0 })
  local pair = links:add_connectivity("ends", numbers, basin.array.chain(n), 2):gather(x)
  local a, b = pair:row(1), pair:row(2)
  scene:add_energy(links:add_attribute("valley", 100 * (b - a ^ 2) ^ 2 + (1 - a) ^ 2))
  scene:add_minimize_target { x }
  return scene, x, case.inputs.x0
end

-- Free particles and pinned ones are two primitives, springs join their union.
local function net_scene(case)
  local given, p = case.inputs, case.params
  local scene = basin.scene(case.case)
  local mesh, place, start, pinned = scene:add_mesh("m"), {}, {}, {}
  for k, i in ipairs(given.free) do
    place[math.tointeger(i)], start[k] = k - 1, given.P0[math.tointeger(i) + 1]
  end
  for k, i in ipairs(p.pinned) do
    place[math.tointeger(i)], pinned[k] = #start + k - 1, given.P0[math.tointeger(i) + 1]
  end
  local free = mesh:add_primitive("free", #start)
  local x = free:add_attribute("position", { rows = 2, value = start })
  local pins = mesh:add_primitive("pins", #pinned)
  pins:add_constant("position", { rows = 2, value = pinned })
  local all = mesh:add_primitive_union("all", { free, pins })
  local edges = {}
  for k, edge in ipairs(given.E) do
    edges[k] = { place[math.tointeger(edge[1])], place[math.tointeger(edge[2])] }
  end
  local springs = mesh:add_primitive("springs", #edges)
  local position = all:add_attribute("position")
  local ends = springs:add_connectivity("ends", all, edges, 2):gather(position)
  local rest = springs:add_constant("rest", { value = given.l0 })
  local stretch = (ends:row(1) - ends:row(2)):norm() - rest
  scene:add_energy(springs:add_attribute("spring", 0.5 * p.k * stretch ^ 2))
  scene:add_energy(all:add_attribute("weight", -p.m * position:dot(basin.vector(p.g))))
  scene:add_minimize_target { x }
  return scene, x, start
end

local methods <const> = { steepest = "gradient_descent", cg_fr = "fletcher_reeves",
  cg_pr_plus = "polak_ribiere", bfgs = "bfgs", dfp = "dfp", lbfgs = "lbfgs" }

-- The iterations and evaluations of a reference run, within a factor of two where it converged.
local function check_counts(checker, name, run, report)
  local function within(what, expected, found)
    checker:require(("%s: %s"):format(name, what), found <= 2 * expected and 2 * found >= expected,
      ("%d, the reference has %d"):format(found, expected))
  end
  within("iterations", run.iterations, report.iterations)
  within("evaluations", run.evaluations, report.line_search_trials + 1)
end

local function runs(make)
  return function(case, checker)
    local scene, x, start = make(case)
    local expect, rosenbrock = case.expect, case.params.kind == "rosen"
    checker:compare("initial energy", "initial", expect.initial_energy,
      scene:compute_total_energy())
    checker:compare("initial gradient", "initial", expect.initial_gradient, (scene:gradient()))
    local notes = {}
    for name, run in basin.sorted(expect.runs) do
      x:update(start)
      local report = basin.minimize(scene, { method = methods[name], tolerance = case.params.gtol,
        memory = rosenbrock and math.tointeger(case.params.m) or 8, max_iterations = 3000 })
      checker:equal(name .. ": converged", run.converged, report.converged)
      check_counts(checker, name, run, report)
      notes[#notes + 1] = ("%s %d (%d)"):format(name, report.iterations,
        report.line_search_trials + 1)
      if report.converged then
        checker:within(name .. ": minimum", "abs", 1e-9 + 1e-10 * math.abs(expect.minimum),
          expect.minimum, report.energy)
        checker:within(name .. ": minimiser", "abs", rosenbrock and 1e-6 or 1e-5,
          expect.minimiser, x:value())
      end
    end
    checker:note("iterations (evaluations): " .. table.concat(notes, ", "))
  end
end

return { { "update_formulas", formulas }, { "quadratic_equivalence", quadratic },
  { "rosenbrock", runs(rosenbrock_scene) }, { "spring_net", runs(net_scene) } }
