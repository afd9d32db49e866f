-- The list of friction: pairs of all kinds with four vertices each, all but the positions constant
-- within a minimization.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local friction_energy = require "basin.std.contact.friction_energy"
local grain = require "basin.std.contact.grain"
local semi_implicit = require "basin.std.contact.semi_implicit"
local M = {}

local constants <const> = { coefficients = { rows = 4 }, tangents = { rows = 2, cols = 3 },
  start = { rows = 2 }, weight = {}, squared_distance = {}, separation = {}, fixed = {},
  moving = {} }

local LISTED <const> = 1e-300 -- a coefficient of 0 would leave a pair out of the list

-- The tables of coefficients, if any pair has one.
local function tables_of(contact, sticky)
  local tables, most = { weight = contact.detector._tables.weight }, 0
  for _, name in ipairs { "fixed", "moving" } do
    local rows = basin.array.from(contact.rules[name])
    most = math.max(most, rows:max())
    tables[name] = sticky and rows:map(function(mu) return math.max(mu, LISTED) end) or rows
  end
  return (most > 0 or sticky) and tables or nil
end

-- The stiffness of the barriers when the list was last filled, also where theirs changes within a
-- step; and a function that renews it.
local function stiffness_of(contact, pair, corners, values)
  if contact.rule == "fixed" then return contact.stiffness end
  if not contact.lagged then
    local stored = contact.mesh:add_constant("friction_stiffness",
      { value = contact.stiffness:value() })
    return stored, function() stored:update(contact.stiffness:value()) end
  end
  local stored = pair:add_constant "stiffness"
  local present = contact.stiffness * semi_implicit.of_row(contact, corners, values)
  return stored, function()
    if pair:instances() > 0 then stored:update(pair:evaluate(present)) end
  end
end

---Adds the list to a contact, or nothing without friction. Its normal forces are those of the last
---`lag`.
function M.add(contact, where, given)
  local sticky = given.adhesion and (given.adhesion.friction or 0) > 0
  local tables = tables_of(contact, sticky)
  if not tables then return end
  local pair = contact.mesh:add_primitive("friction", 0, { dynamic = true })
  local corners = pair:add_connectivity("corners", contact.vertices, {}, 4)
  local values, arrays = {}, {}
  for name, shape in pairs(constants) do
    values[name] = pair:add_constant(name, shape)
    arrays[name] = values[name]._array
  end
  local stiffness, renew = stiffness_of(contact, pair, corners, values)
  values.stiffness = stiffness
  local renewals = { renew }
  if given.grain then
    contact.grain, renewals[#renewals + 1] = grain.add(contact, where, given.grain, given.direction)
  end
  local energy = friction_energy(contact, values, corners, given)
  contact.own[contact.scene:add_energy(pair:add_attribute("energy", energy),
    { name = contact.mesh.name .. ".friction", projection = "clamp" })] = true
  contact.friction = { space = pair._space, connectivity = corners._id, arrays = arrays,
    tables = tables, renewals = renewals }
end

---Renews normal forces, contact directions and, at the start of a step, where slip is counted from.
function M.lag(contact, first)
  local list = contact.friction
  contact.detector:_lag(list, contact.reach, first)
  for _, renew in ipairs(list.renewals) do renew() end
end

return M
