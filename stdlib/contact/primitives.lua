-- The primitives and energies of contact: pairs of every kind.
-- SPDX-License-Identifier: Apache-2.0
local adhesion = require "basin.std.contact.adhesion"
local pair_module = require "basin.std.contact.pair"
local parameters = require "basin.std.parameters"
local semi_implicit = require "basin.std.contact.semi_implicit"
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

local function add_energy(contact, pair, name, value)
  local suffix = name == "barrier" and "" or "." .. name
  local full = ("%s.%s%s"):format(contact.mesh.name, pair.name, suffix)
  local energy = contact.scene:add_energy(pair:add_attribute(name, value),
    { name = full, projection = "clamp" })
  contact.own[energy] = true
  return energy
end

local function add_kind(contact, kind, given)
  local pair = contact.mesh:add_primitive(kind, 0, { dynamic = true })
  local corners = pair:add_connectivity("corners", contact.vertices, {}, pair_module.arities[kind])
  local weight = pair:add_constant("weight")
  local values = { form = given.form, distance = contact.distance }
  if given.thickness then values.separation = pair:add_constant("separation") end
  if kind:find("^mollified") then values.threshold = pair:add_constant("threshold") end
  if kind == "point_plane" then values.plane = pair:add_constant("plane", { rows = 4 }) end
  values.stiffness = contact.stiffness * weight
  if contact.lagged then
    values.stiffness = values.stiffness * semi_implicit.of(contact, kind, corners, values)
  end
  local p = corners:gather(contact.position)
  if kind == "point_plane" then p = p:reshape(1, 3) end
  local barrier = add_energy(contact, pair, "barrier", pair_module.barrier(kind, p, values))
  contact.barriers[#contact.barriers + 1] = barrier
  if contact.adhesion then
    local d = pair_module.squared_distance(kind, p, values.plane):sqrt() - (values.separation or 0)
    local a = contact.adhesion
    local attraction = weight * adhesion(d, a.peak, a.range, a.strength)
    add_energy(contact, pair, "adhesion",
      pair_module.mollified(p, values.threshold, attraction))
  end
  return corners
end

---Adds the primitives of all kinds; returns their connectivities by kind.
function M.add_pairs(contact, given)
  local connectivities = {}
  if given.adhesion then
    contact.adhesion = {}
    for _, name in ipairs { "peak", "range", "strength" } do
      contact.adhesion[name] = parameters.store(contact.mesh, "adhesion_" .. name,
        given.adhesion[name])
    end
  end
  for _, kind in ipairs(kinds_of(given)) do
    connectivities[kind] = add_kind(contact, kind, given)
  end
  return connectivities
end

return M
