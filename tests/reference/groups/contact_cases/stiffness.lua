-- Rules for the stiffness of barriers, and tables of one number a pair of parts.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local function check_initial(cases, checker)
  for _, case in ipairs(cases) do
    local given, want, bound = case.inputs, case.expected, case.tol.rel
    local kappa, least, most, balance = std.contact.stiffness.initial {
      form = std.contact.log_barrier, distance = given.d_hat, diagonal = given.bbox_diagonal,
      mass = given.average_mass, scale = given.min_scale, elastic = given.grad_energy,
      barrier = given.grad_barrier }
    checker:within(case.id, "rel", bound, want.kappa, kappa)
    checker:within(case.id .. " least", "rel", bound, want.kappa_min, least)
    checker:within(case.id .. " most", "rel", bound, want.kappa_max, most)
    checker:within(case.id .. " balance", "rel", bound, want.kappa_balance, balance)
  end
end

local function check_update(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local kappa = std.contact.stiffness.update(given.kappa, given.kappa_max,
      math.sqrt(given.prev_min_d2), math.sqrt(given.min_d2), given.eps_scale * given.bbox_diagonal)
    checker:within(case.id, "rel", case.tol.rel, case.expected.kappa, kappa)
  end
end

local function check_semi_implicit(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local closest = basin.contact.distance { kind = "point_triangle", points = given.x }
    local kappa = std.contact.stiffness.semi_implicit(given.mass,
      math.sqrt(closest.squared_distance), 0)
    checker:within(case.id, "rel", case.tol.rel, case.expected.kappa, kappa)
  end
end

-- ---- tables ----

local H <const> = 0.01

-- Bodies whose closest features are a stencil of each kind, the first side above the second, and
-- which vertices of both belong to its points.
local scenes <const> = {
  pp = { { points = { { 0, H, 0 }, { 0, 1, 0 } }, of = { 1, 1 } },
    { points = { { 0, 0, 0 }, { 0, -1, 0 } }, of = { 2, 2 } } },
  pe = { { points = { { 0, H, 0 }, { 0, 1, 0 } }, of = { 1, 1 } },
    { points = { { -1, 0, 0 }, { 1, 0, 0 } }, of = { 2, 3 } } },
  pt = { { points = { { 0, H, 0 }, { 0, 1, 0 } }, of = { 1, 1 } },
    { points = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 1 } }, of = { 2, 3, 4 } } },
  ee = { { points = { { -1, H, 0 }, { 1, H, 0 } }, of = { 1, 2 } },
    { points = { { 0, 0, -1 }, { 0, 0, 1 } }, of = { 3, 4 } } },
}

local kinds <const> = { pp = "point_point", pe = "point_edge", pt = "point_triangle",
  ee = "edge_edge" }

local function add_body(scene, name, points)
  if #points == 2 then
    return std.body.rope(scene, name, { density = 1, stiffness = 1,
      mesh = basin.mesh.new { points = points, edges = { { 0, 1 } } } })
  end
  return std.body.cloth(scene, name, { density = 1, thickness = 1e-3, young = 1, poisson = 0.3,
    mesh = basin.mesh.new { points = points, triangles = { { 0, 1, 2 } } } })
end

-- Regions of both bodies, and the rules for all that there are.
local function build(given)
  local scene = basin.scene("table", { device = "cpu:interp" })
  local bodies, regions, known, pairs_of = {}, {}, {}, {}
  for i, side in ipairs(scenes[given.stencil]) do
    bodies[i] = add_body(scene, "body_" .. i, side.points)
    for vertex, point in ipairs(side.of) do
      local element = given.elements[point]
      local name = ("%s_%d"):format(element, i)
      if not known[name] then
        known[name] = { name = name, body = bodies[i], vertices = {}, element = element }
        regions[#regions + 1] = known[name]
      end
      table.insert(known[name].vertices, vertex - 1)
    end
  end
  for _, row in ipairs(given.table) do
    for _, a in ipairs(regions) do
      for _, b in ipairs(regions) do
        if a.element == row.a and b.element == row.b then
          table.insert(pairs_of, { a.name, b.name, touch = row.enabled, friction = row.mu,
            stiffness = row.kappa })
        end
      end
    end
  end
  for _, region in ipairs(regions) do region.element = nil end
  local contact = std.contact.barrier(scene, { bodies = bodies, regions = regions, pairs = pairs_of,
    distance = 2 * H, stiffness = 1, friction = 0, mollifier = false })
  return scene, contact
end

local function check_table(cases, checker)
  for _, case in ipairs(cases) do
    local scene, contact = build(case.inputs)
    local want, kind = case.expected, kinds[case.inputs.stencil]
    basin.simulate(scene, { dt = 0.01, steps = 1, newton = { max_iterations = 0 } })
    local counts = contact:counts()
    checker:equal(case.id .. " pairs", want.enabled and 1 or 0, counts.total)
    checker:equal(case.id .. " stencil", want.enabled and 1 or 0, counts[kind])
    if want.enabled then
      local weight = contact.mesh[kind].weight:value()[1] * contact.stiffness:value()[1]
      checker:within(case.id .. " stiffness", "rel", case.tol.rel, want.kappa, weight)
      checker:within(case.id .. " friction", "rel", case.tol.rel, want.mu,
        contact.mesh.friction.fixed:value()[1])
    end
  end
end

return { kinds = { ["stiffness.initial"] = check_initial, ["stiffness.update"] = check_update,
  ["stiffness.semi_implicit"] = check_semi_implicit, ["table.stencil"] = check_table } }
