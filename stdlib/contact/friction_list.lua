-- The list of friction: pairs of all kinds with four vertices each, all but the positions constant
-- within a minimization.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local adhesion = require "basin.std.contact.adhesion"
local adhesive_friction = require "basin.std.contact.adhesive_friction"
local anisotropic_friction = require "basin.std.contact.anisotropic_friction"
local friction = require "basin.std.contact.friction"
local pair_module = require "basin.std.contact.pair"
local parameters = require "basin.std.parameters"
local M = {}

local constants <const> = { coefficients = { rows = 4 }, tangents = { rows = 2, cols = 3 },
  start = { rows = 2 }, weight = {}, squared_distance = {}, separation = {}, fixed = {},
  moving = {} }

local LISTED <const> = 1e-300 -- a coefficient of 0 would leave a pair out of the list
local TEARING <const> = 1e-2  -- m/s, where adhesion resists slip most

local function force_of(contact, values, thick, form)
  local s, reach, scale = pair_module.scaled(values.squared_distance, contact.distance, thick)
  local stiffness = contact.stiffness * values.weight * scale
  -- The force belongs to the distance d, s = d^2 - separation^2: dE/dd = dE/ds 2 d.
  return form.force(s:sqrt(), reach, stiffness) * (values.squared_distance / s):sqrt()
end

local function slip_of(contact, values, u, force, slip, given)
  if given.direction then
    local direction = contact.mesh:add_constant("friction_direction",
      { rows = 3, value = given.direction })
    return anisotropic_friction(anisotropic_friction.turned(u, values.tangents, direction), force,
      values.fixed, values.moving, slip)
  end
  if contact.rules.blended then return friction(u, force, values.fixed, values.moving, slip) end
  return friction.plain(u, force, values.fixed, slip)
end

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

---Adds the list to a contact, or nothing without friction. Its normal forces are those of the last
---`lag`.
function M.add(contact, given)
  local sticky = given.adhesion and (given.adhesion.friction or 0) > 0
  local tables = tables_of(contact, sticky)
  if not tables then return end
  local mesh = contact.mesh
  local pair = mesh:add_primitive("friction", 0, { dynamic = true })
  local corners = pair:add_connectivity("corners", contact.vertices, {}, 4)
  local values, arrays = {}, {}
  for name, shape in pairs(constants) do
    values[name] = pair:add_constant(name, shape)
    arrays[name] = values[name]._array
  end
  local u = values.tangents * (corners:gather(contact.position):T() * values.coefficients)
    - values.start
  local thick = given.thickness and values.separation or nil
  local slip = parameters.store(mesh, "slip", given.slip or 1e-3)
  local force = force_of(contact, values, thick, given.form)
  local dt = contact.scene:motion().time_step
  local energy = slip_of(contact, values, u, force, slip * dt, given)
  if sticky then
    local a, d = contact.adhesion, values.squared_distance:sqrt() - (thick or 0)
    local hold = values.weight * adhesion.force(d, a.peak, a.range, a.strength)
    energy = energy + adhesive_friction(u, hold,
      parameters.store(mesh, "adhesion_friction", given.adhesion.friction),
      parameters.store(mesh, "adhesion_slip", given.adhesion.slip or TEARING) * dt)
  end
  contact.own[contact.scene:add_energy(pair:add_attribute("energy", energy),
    { name = mesh.name .. ".friction", projection = "clamp" })] = true
  contact.friction = { space = pair._space, connectivity = corners._id, arrays = arrays,
    tables = tables }
end

---Renews normal forces, contact directions and, at the start of a step, where slip is counted from.
function M.lag(contact, first)
  local list = contact.friction
  local positions = contact.position:compute()
  if first then contact.start = positions end
  contact.detector:detect { positions = positions, distance = contact.reach }
  contact.detector._core:fill_friction(contact.scene._system, list.space, list.connectivity,
    list.arrays, positions, contact.start, list.tables)
end

return M
