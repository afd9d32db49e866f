-- A soft and an affine tetrahedron fall on a fixed floor of two triangles.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"

local kinds <const> = { "point_point", "point_edge", "point_triangle", "edge_edge",
  "mollified_edge_edge", "mollified_point_edge", "mollified_point_point" }

local function shifted(faces, by)
  local result = {}
  for i, f in ipairs(faces) do result[i] = { f[1] + by, f[2] + by, f[3] + by } end
  return result
end

local function appended(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

-- Pairs of every kind over the union of the three bodies, and their detector.
local function add_contact(scene, case, members, rest)
  local p, inputs = case.params, case.inputs
  local mesh, connectivities = scene:add_mesh "contact", {}
  local union = mesh:add_primitive_union("vertices", members)
  local position = union:add_attribute "position"
  local reach = math.sqrt(p.dhat2)
  for _, kind in ipairs(kinds) do
    local pair = mesh:add_primitive(kind, 0, { dynamic = true })
    local corners = pair:add_connectivity("corners", union, {}, std.contact.pair.arities[kind])
    local weight = pair:add_constant "weight"
    local threshold = kind:find "^mollified" and pair:add_constant "threshold" or nil
    local energy = std.contact.pair.barrier(kind, corners:gather(position), {
      form = std.contact.log_barrier, distance = reach, threshold = threshold,
      stiffness = p.kappa * p.dhat2 * p.dt ^ 2 * weight })
    scene:add_energy(energy, { name = kind, projection = "clamp" })
    connectivities[kind] = corners
  end
  return basin.contact.detector { positions = position, pairs = connectivities,
    triangles = appended(inputs.faces_soft, shifted(inputs.faces_affine, 4),
      shifted(inputs.faces_floor, 8)), rest_positions = rest,
    body = basin.array.labels { { 4, 1 }, { 4, 2 }, { 4, 3 } } }, reach
end

local function build(case)
  local p, inputs = case.params, case.inputs
  local scene = basin.scene "drop"
  local mesh = scene:add_mesh "soft"
  local soft = mesh:add_primitive("vertices", 4)
  local x = soft:add_attribute("position", { rows = 3, value = inputs.soft_rest })
  local X = soft:add_constant("rest", { rows = 3, value = inputs.soft_rest })
  local soft_target = soft:add_constant("target", { rows = 3 })
  local tet = mesh:add_primitive("tet", 1)
  local corner = tet:add_connectivity("corner", soft, { { 0, 1, 2, 3 } }, 4)
  local F, volume = std.elastic.deformation.gradient(corner:gather(x), corner:gather(X))

  local body = scene:add_mesh("affine"):add_primitive("body", 1)
  local A = body:add_attribute("A", { rows = 3, cols = 3, value = { inputs.A0 } })
  local t = body:add_attribute("t", { rows = 3, value = { inputs.t0 } })
  local points = scene.affine:add_primitive("vertices", 4)
  local of = points:add_connectivity("of", body, { 0, 0, 0, 0 }, 1)
  local aX = points:add_constant("rest", { rows = 3, value = inputs.affine_rest })
  local affine_target = points:add_constant("target", { rows = 3 })
  local position = points:add_attribute("position", of:gather(A) * aX + of:gather(t))

  local floor = scene:add_mesh("floor"):add_primitive("vertices", 4)
  floor:add_attribute("position", { rows = 3, value = inputs.floor })
  local rest = appended(inputs.soft_rest, inputs.affine_rest, inputs.floor)
  local detector, reach = add_contact(scene, case, { soft, points, floor }, rest)

  scene:add_energy(std.motion.inertia(x, soft_target, p.m_soft), { name = "inertia_soft" })
  scene:add_energy(std.motion.inertia(position, affine_target, p.m_aff),
    { name = "inertia_affine" })
  scene:add_energy(p.dt ^ 2 * volume:abs() * std.elastic.stable_neo_hookean_log(F, p.mu, p.lam),
    { name = "elastic", projection = "clamp" })
  scene:add_energy(p.dt ^ 2 * inputs.affine_volume * std.body.orthogonality(A, p.kappa_abd),
    { name = "orthogonality", projection = "clamp" })
  scene:add_minimize_target { x, A, t }
  return { scene = scene, detector = detector, reach = reach, A = A, t = t,
    parts = { { x = x, target = soft_target, v = p.soft_v },
      { x = position, target = affine_target, v = p.aff_v } } }
end

local function step(s, dt, g)
  local before = {}
  for i, part in ipairs(s.parts) do
    before[i] = part.x:compute()
    part.velocity = part.velocity or basin.array.filled(4, part.v)
    part.target:update(before[i] + dt * part.velocity + basin.array.filled(4, { 0, -g * dt ^ 2,
      0 }))
  end
  local report = basin.newton(s.scene, { rule = "gradient", tolerance = 1e-9,
    max_iterations = 300, linear = { solver = "direct" }, filters = { s.detector:filter() },
    refresh = function() s.detector:detect { distance = s.reach } end })
  for i, part in ipairs(s.parts) do
    part.velocity = (part.x:compute() - before[i]) * (1 / dt)
  end
  return report
end

return function(case, checker)
  local s, p = build(case), case.params
  for number = 1, p.steps do
    local report, name = step(s, p.dt, p.g), ("step %d"):format(number)
    checker:require(name, report.converged, report.reason)
    local bound = number < case.expect.first_contact_step and 1e-10 or 1e-6
    local state = case.expect.states[tostring(number)]
    if state then
      local soft, affine = s.parts[1], s.parts[2]
      checker:within(name .. " soft", "abs", bound, state.soft, soft.x:compute())
      checker:within(name .. " affine", "abs", bound, state.affine, affine.x:compute())
      checker:within(name .. " A", "abs", bound, state.A, s.A:value())
      checker:within(name .. " t", "abs", bound, state.t, s.t:value())
    end
    local row, counts = case.expect.history[number], s.detector:counts()
    local least = golden.is_null(row[8]) and math.huge or row[8]
    checker:require(name, counts.total > 0 == (row[3] > 0), "pairs where there are none")
    if least < math.huge then
      local rounding = 1e-3 * least
      checker:within(name .. " distance", "abs", rounding, least, counts.smallest_distance ^ 2)
    end
    checker:require(name, select(2, s.detector:intersections()) == 0, "bodies intersect")
  end
end
