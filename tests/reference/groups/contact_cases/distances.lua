-- Squared distances of features and of the lines and planes through them.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

-- Regions as sets of vertices, by their names in the cases.
local regions <const> = {
  point_point = { P_P = "0 1" },
  point_edge = { P_E0 = "0 1", P_E1 = "0 2", P_E = "0 1 2" },
  point_triangle = { P_T0 = "0 1", P_T1 = "0 2", P_T2 = "0 3", P_E0 = "0 1 2", P_E1 = "0 2 3",
    P_E2 = "0 1 3", P_T = "0 1 2 3" },
  edge_edge = { EA0_EB0 = "0 2", EA0_EB1 = "0 3", EA1_EB0 = "1 2", EA1_EB1 = "1 3",
    EA_EB0 = "0 1 2", EA_EB1 = "0 1 3", EA0_EB = "0 2 3", EA1_EB = "1 2 3", EA_EB = "0 1 2 3" },
}

-- The stencil of the closest features, its point first.
local function reduced(kind, vertices)
  if #vertices == 4 then return kind, vertices end
  if #vertices == 2 then return "point_point", vertices end
  local a, b, c = table.unpack(vertices)
  if kind == "edge_edge" and b == 1 then a, b, c = c, a, b end
  return "point_edge", { a, b, c }
end

-- Gradients and Hessians of reduced stencils, all of one kind at once.
local function check_derivatives(kind, jobs, checker)
  local states = {}
  for i, job in ipairs(jobs) do
    states[i] = {}
    for k, vertex in ipairs(job.vertices) do states[i][k] = job.case.inputs.x[vertex + 1] end
  end
  local results = probe.states { unknowns = { { "p", #states[1], 3, states } },
    energy = function(u) return std.contact.squared_distance[kind](u.p) end }
  for i, job in ipairs(jobs) do
    local n = 3 * #job.case.inputs.x
    local place, gradient, hessian = {}, {}, {}
    for k, vertex in ipairs(job.vertices) do
      for c = 1, 3 do place[3 * (k - 1) + c] = 3 * vertex + c end
    end
    for r = 1, n do
      gradient[r], hessian[r] = 0, {}
      for c = 1, n do hessian[r][c] = 0 end
    end
    for r, row in ipairs(place) do
      gradient[row] = results[i].gradient[r]
      for c, column in ipairs(place) do hessian[row][column] = results[i].none[r][c] end
    end
    local expected, tolerance = job.case.expected, job.case.tol
    local size = golden.norm(hessian)
    checker:within(job.case.id .. " gradient", "rel", tolerance.grad_rel, expected.grad, gradient,
      size)
    if expected.hess then
      checker:within(job.case.id .. " hessian", "rel", tolerance.hess_rel, expected.hess, hessian)
    end
  end
end

-- Points of the plane get a third coordinate; their derivatives are left out.
local function lift(case)
  local flat = #case.inputs.x[1] == 2
  for _, p in ipairs(case.inputs.x) do p[3] = p[3] or 0 end
  if flat then case.expected.grad = nil end
end

local function check_features(kind)
  return function(cases, checker)
    local jobs = {}
    for _, case in ipairs(cases) do
      lift(case)
      local got = basin.contact.distance { kind = kind, points = case.inputs.x }
      local expected = case.expected
      local bound = math.max(case.tol.d2_abs or 0, case.tol.d2_rel * expected.d2)
      checker:within(case.id, "abs", bound, expected.d2, got.squared_distance)
      local region, known = table.concat(got.vertices, " "), false
      for _, name in ipairs(expected.types) do known = known or regions[kind][name] == region end
      checker:require(case.id, known, "region " .. region)
      if expected.coef and #expected.types == 1 then
        checker:within(case.id .. " coefficients", "abs", 1e-8, expected.coef, got.coefficients)
      end
      if expected.grad and #expected.types == 1 then
        local stencil, vertices = reduced(kind, got.vertices)
        jobs[stencil] = jobs[stencil] or {}
        table.insert(jobs[stencil], { case = case, vertices = vertices })
      end
    end
    for stencil, list in pairs(jobs) do check_derivatives(stencil, list, checker) end
  end
end

local function check_unclamped(kind)
  return function(cases, checker)
    local states = {}
    for i, case in ipairs(cases) do states[i] = case.inputs.x end
    local results = probe.states { unknowns = { { "p", #states[1], 3, states } },
      energy = function(u) return std.contact.squared_distance[kind](u.p) end }
    for i, case in ipairs(cases) do
      checker:within(case.id, "rel", case.tol.d2_rel, case.expected.d2, results[i].energy)
      checker:within(case.id .. " gradient", "rel", case.tol.grad_rel, case.expected.grad,
        results[i].gradient)
    end
  end
end

local function check_plane(cases, checker)
  local points, planes = {}, {}
  for i, case in ipairs(cases) do
    local n, o = case.inputs.normal, case.inputs.origin
    points[i] = case.inputs.p
    planes[i] = { n[1], n[2], n[3], n[1] * o[1] + n[2] * o[2] + n[3] * o[3] }
  end
  local results = probe.states { unknowns = { { "p", 1, 3, points } },
    constants = { { "plane", 4, 1, planes } },
    energy = function(u, c)
      return std.contact.pair.squared_distance("point_plane", u.p, c.plane)
    end }
  for i, case in ipairs(cases) do
    checker:within(case.id, "rel", case.tol.d2_rel, case.expected.d2, results[i].energy)
    checker:within(case.id .. " gradient", "rel", case.tol.grad_rel, case.expected.grad,
      results[i].gradient)
  end
end

return { kinds = { ["dist.point_point"] = check_features "point_point",
  ["dist.point_edge"] = check_features "point_edge",
  ["dist.point_triangle"] = check_features "point_triangle",
  ["dist.edge_edge"] = check_features "edge_edge",
  ["dist.point_plane"] = check_unclamped "point_triangle",
  ["dist.point_line"] = check_unclamped "point_edge",
  ["dist.line_line"] = check_unclamped "edge_edge",
  ["dist.point_fixed_plane"] = check_plane } }
