-- The primitives and energies of contact: pairs of every kind, and one list for friction.
-- SPDX-License-Identifier: Apache-2.0
local friction = require "basin.std.contact.friction"
local parameters = require "basin.std.parameters"
local pair_module = require "basin.std.contact.pair"
local M = {}

-- Kernels of all kinds are compiled at the first step, pairs or not: nothing is compiled when
-- contacts change.
local plain <const> = { "point_point", "point_edge", "point_triangle", "edge_edge" }
local mollified <const> = { "mollified_edge_edge", "mollified_point_edge",
  "mollified_point_point" }

local function kinds_of(given)
  local list = table.move(plain, 1, #plain, 1, {})
  if given.mollifier ~= false then table.move(mollified, 1, #mollified, #list + 1, list) end
  if given.planes and #given.planes > 0 then list[#list + 1] = "point_plane" end
  return list
end

local function add_kind(contact, kind, given)
  local mesh = contact.mesh
  local pair = mesh:add_primitive(kind, 0, { dynamic = true })
  local corners = pair:add_connectivity("corners", contact.vertices, {}, pair_module.arities[kind])
  local values = { form = given.form, distance = contact.distance,
    stiffness = contact.stiffness * pair:add_constant("weight") }
  if given.thickness and kind ~= "point_plane" then
    values.separation = pair:add_constant("separation")
  end
  if kind:find("^mollified") then values.threshold = pair:add_constant("threshold") end
  if kind == "point_plane" then values.plane = pair:add_constant("plane", { rows = 4 }) end
  local p = corners:gather(contact.position)
  if kind == "point_plane" then p = p:reshape(1, 3) end
  local energy = pair:add_attribute("barrier", pair_module.barrier(kind, p, values))
  contact.scene:add_energy(energy, { name = mesh.name .. "." .. kind, projection = "clamp" })
  return corners
end

---Adds the primitives of all kinds; returns their connectivities by kind.
function M.add_pairs(contact, given)
  local connectivities = {}
  for _, kind in ipairs(kinds_of(given)) do
    connectivities[kind] = add_kind(contact, kind, given)
  end
  return connectivities
end

local constants <const> = { coefficients = { rows = 4 }, tangents = { rows = 2, cols = 3 },
  start = { rows = 2 }, weight = {}, squared_distance = {}, separation = {}, fixed = {},
  moving = {} }

---Adds the list of friction: pairs of all kinds with four vertices each, all else constant within a
---minimization. Returns what detector:fill_friction needs.
function M.add_friction(contact, given, slip, blended)
  local pair = contact.mesh:add_primitive("friction", 0, { dynamic = true })
  local corners = pair:add_connectivity("corners", contact.vertices, {}, 4)
  local values, arrays = {}, {}
  for name, shape in pairs(constants) do
    values[name] = pair:add_constant(name, shape)
    arrays[name] = values[name]._array
  end
  local u = values.tangents * (corners:gather(contact.position):T() * values.coefficients)
    - values.start
  local thick = given.thickness and values.separation or nil
  local s, reach, scale = pair_module.scaled(values.squared_distance, contact.distance, thick)
  local stiffness = contact.stiffness * values.weight * scale
  -- The force belongs to the distance d, s = d^2 - separation^2: dE/dd = dE/ds 2 d.
  local force = given.form.force(s:sqrt(), reach, stiffness)
    * (values.squared_distance / s):sqrt()
  slip = parameters.store(contact.mesh, "slip", slip)
  local epsilon = slip * contact.scene:motion().time_step
  local energy = blended and friction(u, force, values.fixed, values.moving, epsilon)
    or friction.plain(u, force, values.fixed, epsilon)
  contact.scene:add_energy(pair:add_attribute("energy", energy),
    { name = contact.mesh.name .. ".friction", projection = "clamp" })
  return { space = pair._space, connectivity = corners._id, arrays = arrays }
end

return M
