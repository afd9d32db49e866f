-- The energy of the list of friction: Coulomb's, and that of adhesion.
-- SPDX-License-Identifier: Apache-2.0
local adhesion = require "basin.std.contact.adhesion"
local adhesive_friction = require "basin.std.contact.adhesive_friction"
local anisotropic_friction = require "basin.std.contact.anisotropic_friction"
local friction = require "basin.std.contact.friction"
local grain = require "basin.std.contact.grain"
local pair_module = require "basin.std.contact.pair"
local parameters = require "basin.std.parameters"

local TEARING <const> = 1e-2 -- m/s, where adhesion resists slip most

local function coulomb(contact, values, corners, u, force, slip, given)
  if given.direction then
    local direction = contact.mesh:add_constant("friction_direction",
      { rows = 3, value = given.direction })
    if contact.grain then
      direction = grain.of_pair(contact.grain, corners, values.coefficients, direction)
    end
    return anisotropic_friction(anisotropic_friction.turned(u, values.tangents, direction), force,
      values.fixed, values.moving, slip)
  end
  if contact.rules.blended then return friction(u, force, values.fixed, values.moving, slip) end
  return friction.plain(u, force, values.fixed, slip)
end

---The energy of a pair with these corners, from the constants of the list.
return function(contact, values, corners, given)
  local p = corners:gather(contact.position)
  local mesh, dt = contact.mesh, contact.scene:motion().time_step
  local u = values.tangents * (p:T() * values.coefficients) - values.start
  local thick = given.thickness and values.separation or nil
  local slip = parameters.store(mesh, "slip", given.slip or 1e-3)
  local force = pair_module.force(values.squared_distance, { form = given.form, separation = thick,
    distance = contact.distance, stiffness = values.stiffness * values.weight })
  local energy = coulomb(contact, values, corners, u, force, slip * dt, given)
  if not given.adhesion or (given.adhesion.friction or 0) == 0 then return energy end
  local a, d = contact.adhesion, values.squared_distance:sqrt() - (thick or 0)
  local hold = values.weight * adhesion.force(d, a.peak, a.range, a.strength)
  return energy + adhesive_friction(u, hold,
    parameters.store(mesh, "adhesion_friction", given.adhesion.friction),
    parameters.store(mesh, "adhesion_slip", given.adhesion.slip or TEARING) * dt)
end
