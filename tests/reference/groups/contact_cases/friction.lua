-- Lagged friction: the smoothed potentials, single stencils.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

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

local arities <const> = { pp = "point_point", pe = "point_edge", pt = "point_triangle",
  ee = "edge_edge" }

-- What a detector hands to friction at the lagged positions: stencil, coefficients, tangents. The
-- energy of the pair is then mu lambda f0(T sum c_i u_i).
local function frame(given)
  local n = #given.x_lag
  local points = basin.array.from(given.x_lag)
  local got = basin.contact.distance { kind = arities[given.stencil], points = points }
  local normal = { 0, 0, 0 }
  for i = 1, n do
    for k = 1, 3 do normal[k] = normal[k] + got.coefficients[i] * given.x_lag[i][k] end
  end
  local length = math.sqrt(golden.norm(normal) ^ 2)
  for k = 1, 3 do normal[k] = normal[k] / length end
  local axis = math.abs(normal[1]) < 0.6 and { 1, 0, 0 } or { 0, 1, 0 }
  local function cross(a, b)
    return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
  end
  local t = cross(normal, axis)
  local size = golden.norm(t)
  for k = 1, 3 do t[k] = t[k] / size end
  return got.coefficients, { t, cross(normal, t) }, math.sqrt(got.squared_distance)
end

local function lambda(given, d)
  local s, reach = d ^ 2 - given.thickness ^ 2, given.d_hat ^ 2 + 2 * given.d_hat * given.thickness
  local slope = (reach - s) * (2 * math.log(s / reach) - reach / s + 1)
  return -given.kappa * slope * 2 * d
end

local function check_stencil(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local coefficients, tangents, d = frame(given)
    local force = lambda(given, d)
    checker:within(case.id .. " force", "rel", case.tol.rel, case.expected.lam, force)
    local got = probe.states { unknowns = { { "u", #given.u, 3, { given.u } } },
      energy = function(u)
        local slip = basin.matrix(tangents) * (u.u:T() * basin.vector(coefficients))
        return std.contact.friction.plain(slip, force, given.mu, given.eps)
      end }[1]
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy, got.energy)
    checker:within(case.id .. " gradient", "rel", case.tol.grad_rel, case.expected.grad,
      got.gradient)
  end
end

-- The force of the term, for the pair's distance.
local function check_force(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local scene = basin.scene "force"
    local point = scene:add_mesh("mesh"):add_primitive("point", 1)
    local d = point:add_constant("d", { value = given.d })
    local s, reach = std.contact.pair.scaled(d ^ 2, given.d_hat, given.thickness)
    local force = std.contact.log_barrier.force(s:sqrt(), reach, given.kappa) * (d ^ 2 / s):sqrt()
    checker:within(case.id, "rel", case.tol.rel, case.expected.lam, point:evaluate(force)[1],
      1e3 * given.d_hat / math.abs(given.d - given.d_hat) * case.expected.lam)
  end
end

return {
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
  ["friction.stencil"] = check_stencil, ["friction.normal_force"] = check_force,
}
