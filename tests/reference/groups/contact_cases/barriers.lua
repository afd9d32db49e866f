-- Barriers, the mollifier, and whole pairs.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local forms <const> = { clamped_log = std.contact.log_barrier,
  log_squared = std.contact.squared_log_barrier, cubic = std.contact.cubic_barrier,
  two_stage = std.contact.two_stage_barrier }

-- b(s, s_hat) and two derivatives. Close to s_hat the difference s - s_hat cancels.
local function check_barrier(energy)
  return function(cases, checker)
    local s, reach = {}, {}
    for i, case in ipairs(cases) do s[i], reach[i] = case.inputs.s, case.inputs.s_hat end
    local results = probe.states { unknowns = { { "s", 1, 1, s } },
      constants = { { "reach", 1, 1, reach } },
      energy = function(u, c) return energy(u.s, c.reach) end }
    for i, case in ipairs(cases) do
      local got, expected = results[i], case.expected
      local cancels = 1e3 * math.max(1, reach[i] / math.abs(s[i] - reach[i]))
      checker:within(case.id, "rel", case.tol.rel, expected.b, got.energy, cancels * expected.b)
      checker:within(case.id .. " slope", "rel", case.tol.rel, expected.db, got.gradient,
        cancels * expected.db)
      checker:within(case.id .. " curvature", "rel", case.tol.rel, expected.d2b, got.none,
        cancels * expected.d2b)
    end
  end
end

-- kappa b(d^2 - xi^2, d_hat^2 + 2 d_hat xi) and the force -dE/dd.
local function check_distance_form(cases, checker)
  for name, form in pairs(forms) do
    local list, d, reach, thickness, kappa = {}, {}, {}, {}, {}
    for _, case in ipairs(cases) do
      local given = case.inputs
      if given.form == name then
        list[#list + 1] = case
        d[#list], reach[#list] = given.d, given.d_hat
        thickness[#list], kappa[#list] = given.thickness, given.kappa
      end
    end
    local results = #list > 0 and probe.states { unknowns = { { "d", 1, 1, d } },
      constants = { { "reach", 1, 1, reach }, { "thickness", 1, 1, thickness },
        { "kappa", 1, 1, kappa } },
      energy = function(u, c)
        local s, s_hat = std.contact.pair.scaled(u.d ^ 2, c.reach, c.thickness)
        return form(s, s_hat, c.kappa)
      end }
    for i, case in ipairs(list) do
      local got, want = results[i], case.expected
      local size = 1e3 * want.s_hat / math.abs(want.s - want.s_hat)
      checker:within(case.id, "rel", case.tol.rel, want.energy, got.energy, size * want.energy)
      checker:within(case.id .. " force", "rel", case.tol.rel, -want.force, got.gradient,
        size * want.force)
    end
  end
end

local function check_mollifier(cases, checker)
  local states, eps = {}, {}
  for i, case in ipairs(cases) do states[i], eps[i] = case.inputs.x, case.expected.eps end
  local results = probe.states { unknowns = { { "p", 4, 3, states } },
    constants = { { "eps", 1, 1, eps } },
    energy = function(u, c)
      return std.contact.squared_distance.edge_edge_mollifier(u.p, c.eps)
    end }
  for i, case in ipairs(cases) do
    local want, got = case.expected, results[i]
    checker:within(case.id, "rel", case.tol.rel, want.m, got.energy)
    checker:within(case.id .. " gradient", "abs",
      case.tol.abs + case.tol.rel * golden.norm(want.grad), want.grad, got.gradient)
  end
end

local kinds <const> = { pp = "point_point", pe = "point_edge", pt = "point_triangle",
  ee = "edge_edge" }

local function squared_length(a, b)
  return (a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2
end

-- The kind and the points of the closest features, as a detector finds them.
local function closest(given)
  local kind, points = kinds[given.stencil], {}
  local vertices = basin.contact.distance { kind = kind, points = given.x }.vertices
  if #vertices == #given.x then return kind, given.x end
  if kind == "edge_edge" and #vertices == 3 and vertices[2] == 1 then
    vertices = { vertices[3], vertices[1], vertices[2] }
  end
  for i, vertex in ipairs(vertices) do points[i] = given.x[vertex + 1] end
  return #vertices == 2 and "point_point" or "point_edge", points
end

local function check_pair(cases, checker)
  for _, case in ipairs(cases) do
    local given, form = case.inputs, forms[case.inputs.form]
    local kind, points = kinds[given.stencil], given.x
    local threshold
    if not given.mollified then kind, points = closest(given) end
    if given.mollified then
      kind = "mollified_" .. kind
      threshold = 1e-3 * squared_length(given.rest[1], given.rest[2])
        * squared_length(given.rest[3], given.rest[4])
    end
    local reach = given.d_hat ^ 2 + 2 * given.d_hat * given.thickness
    -- A stiffness in N/m gives kappa b(s, s_hat) as kappa s_hat^2 / d_hat^2.
    local stiffness = given.kappa * reach ^ 2 / given.d_hat ^ 2
    local got = probe.states { unknowns = { { "p", #points, 3, { points } } },
      energy = function(u)
        return std.contact.pair.barrier(kind, u.p, { form = form, distance = given.d_hat,
          stiffness = stiffness, threshold = threshold,
          separation = given.thickness > 0 and given.thickness or nil })
      end }[1]
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy, got.energy)
    if #points == #given.x then
      checker:within(case.id .. " gradient", "rel", case.tol.grad_rel, case.expected.grad,
        got.gradient)
      checker:within(case.id .. " hessian", "rel", case.tol.hess_rel, case.expected.hess, got.none)
    else
      checker:within(case.id .. " gradient", "rel", case.tol.grad_rel,
        golden.norm(case.expected.grad), golden.norm(got.gradient))
    end
  end
end

local function check_scalar_mollifier(cases, checker)
  local x, eps = {}, {}
  for i, case in ipairs(cases) do x[i], eps[i] = case.inputs.x, case.inputs.eps end
  local results = probe.states { unknowns = { { "x", 1, 1, x }, { "eps", 1, 1, eps } },
    energy = function(u) return std.contact.squared_distance.mollifier(u.x, u.eps) end }
  for i, case in ipairs(cases) do
    local want, got, bound = case.expected, results[i], case.tol.rel
    checker:within(case.id, "rel", bound, want.m, got.energy)
    checker:within(case.id .. " gradient", "rel", bound, { want.dm_dx, want.dm_deps }, got.gradient)
    checker:within(case.id .. " curvature", "rel", bound, want.d2m_dx2, got.none[1][1])
  end
end

local function plain(name)
  return check_barrier(function(s, reach) return forms[name](s, reach, 1) end)
end

return { kinds = {
  ["barrier.clamped_log"] = plain "clamped_log", ["barrier.log_squared"] = plain "log_squared",
  ["barrier.cubic"] = plain "cubic", ["barrier.two_stage"] = plain "two_stage",
  ["barrier.normalized_log"] = check_barrier(function(s, reach)
    return forms.clamped_log(s / reach, 1, 1)
  end),
  -- A stiffness in N/m gives stiffness distance^2 b(s / reach); this one is distance b.
  ["barrier.physical_log"] = check_barrier(function(s, reach)
    local distance = reach:sqrt()
    local D, hat, scale = std.contact.pair.scaled(s, distance)
    return forms.clamped_log(D, hat, scale / distance)
  end),
  ["barrier.distance_form"] = check_distance_form, ["mollifier.scalar"] = check_scalar_mollifier,
  ["mollifier.edge_edge"] = check_mollifier, ["contact.energy"] = check_pair,
} }
