-- Bodies meet a plane: barrier, friction, and the step filter that lets no point cross.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local parameters = require "basin.std.parameters"
local add_body = require "basin.std.contact.plane_body"

local spec = {
  bodies = "table", normal = "vector", offset = "number", point = "vector",
  friction = "nonnegative",
  distance = "positive", stiffness = "positive", slip = "positive", name = "string",
}

-- Unit normal and offset.
local function plane_of(where, checked)
  local n = checked.normal or { 0, 1, 0 }
  local length = #n == 3 and math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2) or 0
  if length == 0 then
    errors.fail("ARGUMENT", "%s: 'normal' needs 3 numbers, not all 0", where)
  end
  local unit = { n[1] / length, n[2] / length, n[3] / length }
  if checked.point and checked.offset then
    errors.fail("ARGUMENT", "%s: give 'point' or 'offset'", where)
  end
  if checked.point and #checked.point ~= 3 then
    errors.fail("LENGTH", "%s: 'point' needs 3 numbers, got %d", where, #checked.point)
  end
  local p = checked.point or { 0, 0, 0 }
  local offset = checked.offset or unit[1] * p[1] + unit[2] * p[2] + unit[3] * p[3]
  return unit, offset
end

local function store(mesh, plane)
  local stored = { normal = parameters.store(mesh, "normal", plane.normal, 3) }
  for _, name in ipairs { "offset", "distance", "friction", "slip" } do
    stored[name] = parameters.store(mesh, name, plane[name])
  end
  return stored
end

local function check_bodies(where, scene, bodies)
  if #bodies == 0 then errors.fail("ARGUMENT", "%s: 'bodies' is empty", where) end
  for i, body in ipairs(bodies) do
    common.check(where, body)
    if body.scene ~= scene then
      errors.fail("OWNER", "%s: body '%s' belongs to another scene", where, body.name)
    end
    if body.mesh.dim ~= 3 then
      errors.fail("SHAPE", "%s: body %d, '%s', does not live in space", where, i, body.name)
    end
    if not body.last_position then
      errors.fail("ARGUMENT", "%s: body '%s' does not move", where, body.name)
    end
  end
end

---std.contact.plane(scene, options). Returns a mesh of the scene with a primitive of points for
---each body, which has the attributes height and barrier. Options:
---  bodies     list of bodies
---  normal     towards the free side, { 0, 1, 0 } by default
---  point      on the plane, or offset: normal . x on it
---  friction   coefficient
---  distance   where the barrier begins, m
---  stiffness  of the barrier, J/m^4; by default it holds the body at half the distance
---  slip       speed below which friction is smoothed, m/s
return function(scene, given)
  local where = "std.contact.plane"
  local checked = options.check(where, given, spec, { "bodies" })
  local normal, offset = plane_of(where, checked)
  local plane = {
    normal = normal, offset = offset, friction = checked.friction or 0,
    slip = checked.slip or 1e-3, distance = checked.distance or 1e-3, stiffness = checked.stiffness,
  }
  local name, k = checked.name or "plane", 1
  while scene:find(name) do
    k = k + 1
    name = (checked.name or "plane") .. "_" .. k
  end
  check_bodies(where, scene, checked.bodies)
  local mesh = scene:add_mesh(name)
  plane.stored = store(mesh, plane)
  for _, body in ipairs(checked.bodies) do add_body(scene, mesh, body, plane) end
  scene:add_step_hook { name = name, planes = { { normal = normal, offset = offset } } }
  return mesh
end
