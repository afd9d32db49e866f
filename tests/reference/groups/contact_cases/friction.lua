-- Lagged friction: the smoothed potentials, single stencils.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local kinds <const> = { pp = "point_point", pe = "point_edge", pt = "point_triangle",
  ee = "edge_edge" }

-- Potentials of the slip along one direction: f0 and f1 = df0/dy.
local function check_potential(cases, checker, parameters, energy)
  local slips, constants = {}, {}
  for _, name in ipairs(parameters) do constants[#constants + 1] = { name, 1, 1, {} } end
  for i, case in ipairs(cases) do
    slips[i] = { case.inputs.y, 0 }
    for k, name in ipairs(parameters) do constants[k][4][i] = case.inputs[name] end
  end
  local results = probe.states { unknowns = { { "u", 2, 1, slips } }, constants = constants,
    energy = energy }
  for i, case in ipairs(cases) do
    local bound = function(value) return (case.tol.abs or 0) + case.tol.rel * math.abs(value) end
    local f0, f1 = case.expected.f0, case.expected.f1
    checker:within(case.id, "abs", bound(f0), f0, results[i].energy)
    checker:within(case.id .. " force", "abs", bound(f1), f1, results[i].gradient[1])
    local f2 = case.expected.f2
    if f2 then checker:within(case.id .. " slope", "abs", bound(f2), f2, results[i].none[1][1]) end
  end
end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

-- Solves a s + b t = d, b s + c t = e.
local function solve(a, b, c, d, e)
  local det = a * c - b * b
  return (d * c - b * e) / det, (a * e - b * d) / det
end

-- Coefficients of the vector between the point, line or plane of each side, not clamped.
local coefficients_of <const> = {
  pp = function() return { 1, -1 } end,
  pe = function(x)
    local e = minus(x[3], x[2])
    local t = dot(minus(x[1], x[2]), e) / dot(e, e)
    return { 1, t - 1, -t }
  end,
  pt = function(x)
    local a, b, p = minus(x[3], x[2]), minus(x[4], x[2]), minus(x[1], x[2])
    local u, v = solve(dot(a, a), dot(a, b), dot(b, b), dot(p, a), dot(p, b))
    return { 1, u + v - 1, -u, -v }
  end,
  ee = function(x)
    local a, b, h = minus(x[2], x[1]), minus(x[4], x[3]), minus(x[3], x[1])
    local s, t = solve(dot(a, a), -dot(a, b), dot(b, b), dot(h, a), -dot(h, b))
    return { 1 - s, s, t - 1, -t }
  end,
}

-- Coefficients, two tangents, and the distance at the lagged positions.
local function frame(given)
  local coefficients, normal = coefficients_of[given.stencil](given.x_lag), { 0, 0, 0 }
  for i, p in ipairs(given.x_lag) do
    for k = 1, 3 do normal[k] = normal[k] + coefficients[i] * p[k] end
  end
  local d = golden.norm(normal)
  for k = 1, 3 do normal[k] = normal[k] / d end
  local t = cross(normal, math.abs(normal[1]) < 0.6 and { 1, 0, 0 } or { 0, 1, 0 })
  local size = golden.norm(t)
  for k = 1, 3 do t[k] = t[k] / size end
  return coefficients, { t, cross(normal, t) }, d
end

-- Energies and gradients of stencils of one arity: { u, coefficients, tangents, force, mu, eps }.
local function stencils(list)
  local n = #list[1][1]
  local values = { {}, {}, {}, {}, {}, {} }
  for i, item in ipairs(list) do
    for k = 1, 6 do values[k][i] = item[k] end
  end
  return probe.states { unknowns = { { "u", n, 3, values[1] } },
    constants = { { "c", n, 1, values[2] }, { "T", 2, 3, values[3] }, { "force", 1, 1, values[4] },
      { "mu", 1, 1, values[5] }, { "eps", 1, 1, values[6] } },
    energy = function(u, k)
      return std.contact.friction.plain(k.T * (u.u:T() * k.c), k.force, k.mu, k.eps)
    end }
end

-- A side of a stencil as a body: points alone get a second end of their rope, far from the others.
local function add_body(scene, name, points, away)
  local all = table.move(points, 1, #points, 1, {})
  if #points == 1 then
    local p = points[1]
    all[2] = { p[1] + away[1], p[2] + away[2], p[3] + away[3] }
  end
  if #all == 2 then
    return std.body.rope(scene, name, { density = 1, stiffness = 1,
      mesh = basin.mesh.new { points = all, edges = { { 0, 1 } } } })
  end
  return std.body.cloth(scene, name, { density = 1, thickness = 1e-3, young = 1, poisson = 0.3,
    mesh = basin.mesh.new { points = all, triangles = { { 0, 1, 2 } } } })
end

-- The scene of a stencil at its lagged positions, with pairs and friction found by contact itself:
-- time steps of 1 s, in which a slip speed is a length. `planes` instead of a second side.
local function build(given, sides, away, planes)
  local scene, bodies = basin.scene("friction", { device = "cpu:interp" }), {}
  for i, points in ipairs(sides) do
    bodies[i] = add_body(scene, "side_" .. i, points, i == 1 and away or minus({ 0, 0, 0 }, away))
  end
  local contact = std.contact.barrier(scene, { bodies = bodies, planes = planes, form = "log",
    distance = given.d_hat, stiffness = given.kappa * given.d_hat ^ 2, friction = given.mu,
    slip = given.eps, mollifier = false })
  basin.simulate(scene, { dt = 1, steps = 1, newton = { max_iterations = 0 } })
  return scene, bodies, contact
end

-- The gradient of some energies, a row for each point of the sides.
local function rows_of(scene, energies, sides)
  local minimizer = scene:minimizer { targets = scene:targets(), energies = energies }
  local rows = {}
  for i, part in ipairs { minimizer:gradient() } do
    table.move(part:table(), 1, #sides[i], #rows + 1, rows)
  end
  return rows, minimizer:compute_total_energy()
end

-- Normal force at the lagged positions; energy and gradient after the points have moved by u.
local function check_driven(case, checker, sides, away, planes)
  local given, want, tolerance = case.inputs, case.expected, case.tol
  local scene, bodies, contact = build(given, sides, away, planes)
  local barriers, force, k = {}, { 0, 0, 0 }, 0
  for _, barrier in ipairs(contact.barriers) do barriers[#barriers + 1] = barrier end
  for i, row in ipairs((rows_of(scene, barriers, sides))) do
    for c = 1, 3 do force[c] = force[c] + (i <= #sides[1] and row[c] or 0) end
  end
  checker:within(case.id .. " force", "rel", tolerance.rel, want.lam, golden.norm(force))
  local moves = planes and { given.u } or given.u
  for i, side in ipairs(sides) do
    local positions = bodies[i].position:value():table()
    for n in ipairs(side) do
      k = k + 1
      for c = 1, 3 do positions[n][c] = positions[n][c] + moves[k][c] end
    end
    bodies[i].position:update(positions)
  end
  local rows, energy = rows_of(scene, { scene:energy "contact.friction" }, sides)
  checker:within(case.id, "rel", tolerance.rel, want.energy, energy)
  checker:within(case.id .. " gradient", "rel", tolerance.grad_rel or tolerance.rel, want.grad,
    rows)
end

local function check_stencil(cases, checker)
  for _, case in ipairs(cases) do
    local x, stencil = case.inputs.x_lag, case.inputs.stencil
    local split = stencil == "ee" and 2 or 1
    local sides = { table.move(x, 1, split, 1, {}), table.move(x, split + 1, #x, 1, {}) }
    local closest = basin.contact.distance { kind = kinds[stencil], points = x }
    local away = { 0, 0, 0 }
    for i, p in ipairs(x) do
      for c = 1, 3 do away[c] = away[c] + closest.coefficients[i] * p[c] end
    end
    local size = golden.norm(away)
    for c = 1, 3 do away[c] = 10 * away[c] / size end
    check_driven(case, checker, sides, away)
  end
end

-- Several stencils on one mesh: sums of energy and gradient. The forces given hold the
-- multiplicities.
local function check_scene(cases, checker)
  local jobs, sums = {}, {}
  for i, case in ipairs(cases) do
    local given, gradient = case.inputs, {}
    for k = 1, 3 * #given.v_start do gradient[k] = 0 end
    sums[i] = { energy = 0, gradient = gradient }
    for _, stencil in ipairs(given.stencils) do
      local x, u = {}, {}
      for k, vertex in ipairs(stencil.v) do
        x[k], u[k] = given.v_lagged[vertex + 1], {}
        for c = 1, 3 do u[k][c] = given.v_end[vertex + 1][c] - given.v_start[vertex + 1][c] end
      end
      local coefficients, tangents = frame { stencil = stencil.stencil, x_lag = x }
      jobs[#x] = jobs[#x] or { items = {}, sums = {}, vertices = {} }
      local group = jobs[#x]
      table.insert(group.items, { u, coefficients, tangents, stencil.lam,
        given.mu, math.sqrt(given.eps_squared) })
      table.insert(group.sums, sums[i])
      table.insert(group.vertices, stencil.v)
    end
  end
  for _, group in pairs(jobs) do
    for i, got in ipairs(stencils(group.items)) do
      local sum = group.sums[i]
      sum.energy = sum.energy + got.energy
      for k, vertex in ipairs(group.vertices[i]) do
        for c = 1, 3 do
          local entry = 3 * vertex + c
          sum.gradient[entry] = sum.gradient[entry] + got.gradient[3 * (k - 1) + c]
        end
      end
    end
  end
  for i, case in ipairs(cases) do
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy, sums[i].energy)
    checker:within(case.id .. " gradient", "rel", case.tol.grad_rel, case.expected.grad,
      sums[i].gradient)
  end
end

-- A point on a plane; u is its slip in space.
local function check_half_plane(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local n = given.normal
    check_driven(case, checker, { { given.x_lag } }, { 10 * n[1], 10 * n[2], 10 * n[3] },
      { { normal = n, offset = dot(given.origin, n) } })
  end
end

-- The force of a pair; a stiffness in N/m is kappa s_hat^2 / d_hat^2.
local function check_force(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local scene = basin.scene "force"
    local point = scene:add_mesh("mesh"):add_primitive("point", 1)
    local d, reach = point:add_constant("d", { value = given.d }), given.d_hat
    local hat = reach ^ 2 + 2 * reach * given.thickness
    local force = std.contact.pair.force(d ^ 2, { form = std.contact.log_barrier,
      distance = reach, separation = given.thickness,
      stiffness = given.kappa * hat ^ 2 / reach ^ 2 })
    checker:within(case.id, "rel", case.tol.rel, case.expected.lam, point:evaluate(force)[1],
      1e3 * reach / math.abs(given.d - reach) * case.expected.lam)
  end
end

return { kinds = {
  ["friction.mollifier"] = function(cases, checker)
    check_potential(cases, checker, { "eps" }, function(u, c)
      return std.contact.friction.plain(u.u, 1, 1, c.eps)
    end)
  end,
  ["friction.static_kinetic"] = function(cases, checker)
    check_potential(cases, checker, { "eps", "mu_s", "mu_k" }, function(u, c)
      return std.contact.friction(u.u, 1, c.mu_s, c.mu_k, c.eps)
    end)
  end,
  ["friction.stencil"] = check_stencil, ["friction.scene"] = check_scene,
  ["friction.normal_force"] = check_force, ["friction.half_plane"] = check_half_plane,
} }
