-- Rigid bodies with a position and an orientation each, which std.integrate.rigid moves.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local quaternion = require "basin.std.rotation.quaternion"

local spec <const> = { mass = "any", inertia = "any", position = "any", orientation = "any",
  velocity = "any", spin = "any" }

local function numbers(where, key, given, size, count, otherwise)
  if given == nil then given = otherwise end
  if type(given) == "number" then given = { given } end
  local good, array = pcall(basin.array.from, given, { rows = size })
  if good and count and array.count == 1 then
    array = array:select(basin.array.filled(count, 0))
  end
  if not good or (count and array.count ~= count) then
    errors.fail("SHAPE", "%s: '%s' must be %d numbers a body%s", where, key, size,
      count and (" for %d bodies"):format(count) or "")
  end
  return array
end

local function check_positive(where, key, array)
  if array:min() > 0 then return array end
  errors.fail("ARGUMENT", "%s: '%s' must be above 0, got %g", where, key, array:min())
end

---std.body.rigid(scene, name, options). Returns the primitive of the bodies with the attributes
---position and orientation (unit quaternion, scalar first), for constraints, and the constants
---mass, inertia, velocity, angular_velocity and angular_momentum. A value for each body or one for
---all. Options:
---  position     of the centres of mass
---  orientation  unit quaternions, scalar first; { 1, 0, 0, 0 } by default
---  mass         kg
---  inertia      principal moments along the axes of the body, kg m^2
---  velocity     m/s
---  spin         angular velocity in the world frame, rad/s
return function(scene, name, given)
  local where = "std.body.rigid"
  common.check_start(where, scene, name)
  local checked = options.check(where, given, spec, { "position", "mass", "inertia" })
  local position = numbers(where, "position", checked.position, 3)
  local n = position.count
  local q = numbers(where, "orientation", checked.orientation, 4, n, { { 1, 0, 0, 0 } })
  if (q:lengths() - 1):max_abs() > 1e-6 then
    errors.fail("ARGUMENT", "%s: 'orientation' must be unit quaternions, scalar first", where)
  end
  local bodies = scene:add_mesh(name):add_primitive("bodies", n)
  bodies:add_attribute("position", { rows = 3, value = position })
  bodies:add_attribute("orientation", { rows = 4, value = q })
  bodies:add_constant("mass", { value = check_positive(where, "mass",
    numbers(where, "mass", checked.mass, 1, n)) })
  bodies:add_constant("inertia", { rows = 3, value = check_positive(where, "inertia",
    numbers(where, "inertia", checked.inertia, 3, n)) })
  bodies:add_constant("velocity", { rows = 3,
    value = numbers(where, "velocity", checked.velocity, 3, n, { { 0, 0, 0 } }) })
  local spin = bodies:add_constant("angular_velocity", { rows = 3,
    value = numbers(where, "spin", checked.spin, 3, n, { { 0, 0, 0 } }) })
  local R = quaternion.matrix(bodies.orientation)
  local momentum = R * bodies.inertia:hadamard(R:T() * spin)
  bodies:add_constant("angular_momentum", { rows = 3, value = bodies:evaluate(momentum) })
  scene:add_minimize_target { bodies.position, bodies.orientation }
  return bodies
end
