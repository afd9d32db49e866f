-- What a body has of a plane: barrier and friction of its surface points, a step filter.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local parameters = require "basin.std.parameters"
local log_barrier = require "basin.std.contact.log_barrier"
local plane_barrier = require "basin.std.contact.plane_barrier"
local plane_friction = require "basin.std.contact.plane_friction"

-- Holds the weight of the body on a fiftieth of its points at half the distance, where the force of
-- the barrier is 4.33 stiffness distance^3.
local function default_stiffness(body, count, distance)
  return body.mass * 9.8 / (math.max(1, count / 50) * 4.33 * distance ^ 3)
end

---Adds them to a scene, in the mesh of the plane { normal, offset, distance, friction, slip,
---stiffness, stored }.
return function(scene, mesh, body, plane)
  local indices = body.mesh.surface_points
  local points = mesh:add_primitive(body.name, indices.count)
  local of = points:add_connectivity("vertex", body.vertices, indices, 1)
  local x, last = of:gather(body.position), of:gather(body.last_position)
  local stored, reach = plane.stored, plane.stored.distance ^ 2
  local stiffness = parameters.store(mesh, body.name .. "_stiffness",
    plane.stiffness or default_stiffness(body, indices.count, plane.distance))
  local height = x:dot(stored.normal) - stored.offset
  points:add_attribute("height", height)
  local lowest = points:evaluate(height):min()
  if lowest <= 0 then
    errors.fail("STATE", "std.contact.plane: body '%s' starts %.3g m behind the plane", body.name,
      -lowest)
  end
  local barrier = plane_barrier(x, stored.normal, stored.offset, reach, stiffness)
  local base = mesh.name .. "." .. body.name
  scene:add_energy(points:add_attribute("barrier", barrier),
    { name = base .. ".barrier", projection = "clamp" })
  local hook = { name = base, filters = { basin.filter.plane {
    positions = body.position, normal = plane.normal, offset = plane.offset,
  } } }
  if plane.friction > 0 then
    local pressing = log_barrier.force(height, reach, stiffness)
    local force = points:add_constant("normal_force")
    local friction = plane_friction(x, last, stored.normal, force, stored.friction,
      stored.slip * scene:motion().time_step)
    scene:add_energy(points:add_attribute("friction", friction),
      { name = base .. ".friction", projection = "clamp" })
    hook.begin_step = function() force:update(points:evaluate(pressing)) end
  end
  scene:add_step_hook(hook)
end
