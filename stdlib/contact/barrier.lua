-- Bodies that never pass through each other: barriers between close surfaces, friction, the step
-- filter that stops before contact.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local driver = require "basin.std.contact.driver"
local log_barrier = require "basin.std.contact.log_barrier"
local rules_module = require "basin.std.contact.rules"
local squared_log_barrier = require "basin.std.contact.squared_log_barrier"

local spec = {
  bodies = "table", distance = "positive", stiffness = "positive", friction = "nonnegative",
  static_friction = "nonnegative", dynamic_friction = "nonnegative", slip = "positive",
  pairs = "table", planes = "table", form = { "squared_log", "log" }, thickness = "nonnegative",
  mollifier = "boolean", slackness = "positive", friction_iterations = "whole",
  adaptive = "boolean", name = "string",
}

local forms <const> = { squared_log = squared_log_barrier, log = log_barrier }

-- Holds the heaviest body on a fiftieth of its surface at half the distance, where the force of the
-- squared logarithm is 9.1 stiffness distance.
local function default_stiffness(bodies, distance)
  local most = 0
  for _, body in ipairs(bodies) do
    local count = body.mesh.surface_points and body.mesh.surface_points.count or body.vertices.count
    most = math.max(most, body.mass * 9.8 / math.max(1, count / 50))
  end
  return most > 0 and most / (9.1 * distance) or 1
end

local function check_bodies(where, scene, bodies)
  if #bodies == 0 then errors.fail("ARGUMENT", "%s: 'bodies' is empty", where) end
  local seen = {}
  for i, body in ipairs(bodies) do
    require("basin.std.body.common").check(where, body)
    if body.scene ~= scene then
      errors.fail("OWNER", "%s: body '%s' belongs to another scene", where, body.name)
    end
    if seen[body] then errors.fail("NAME", "%s: body '%s' is named twice", where, body.name) end
    if body.position.rows ~= 3 then
      errors.fail("SHAPE", "%s: body %d, '%s', does not live in space", where, i, body.name)
    end
    seen[body] = true
  end
end

local function check_planes(where, planes)
  for key, plane in pairs(planes) do
    if math.type(key) ~= "integer" or type(plane) ~= "table" or #plane > 0 then
      errors.fail_hint("ARGUMENT", "planes = { { normal = { 0, 1, 0 }, offset = 0 } }",
        "%s: 'planes' must be a list of planes", where)
    end
    options.check(("%s: plane %d"):format(where, key), plane,
      { normal = "vector", offset = "number" }, { "normal" })
    local n = plane.normal
    if #n ~= 3 or n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2 == 0 then
      errors.fail("ARGUMENT", "%s: plane %d: 'normal' needs 3 numbers, not all 0", where, key)
    end
  end
end

---std.contact.barrier(scene, options). Returns an object with the detector, the union of all
---vertices (vertices, position), pairs (primitives by kind), counts() and smallest_distance().
---Options:
---  bodies      list of bodies of any kind
---  distance    where barriers begin, m (1e-3)
---  stiffness   of the barrier, N/m: its energy is stiffness distance^2 b, b without units; by
---              default it holds the heaviest body at half the distance
---  form        of b: "squared_log" (default) or "log"
---  thickness   distance that is kept in addition, m
---  friction    coefficient; or static_friction and dynamic_friction
---  slip        speed below which friction is smoothed, m/s (1e-3)
---  friction_iterations  times the normal forces of friction are renewed within a step (0)
---  pairs       exceptions: { { a, b, touch = false, friction =, static_friction =,
---              dynamic_friction =, stiffness = } }, a and b bodies, their names, or "plane"
---  planes      { { normal =, offset = } }: points stay where normal . x > offset
---  mollifier   false: no smoothing of nearly parallel edges
---  adaptive    true: doubles the stiffness when distances become very small
---  slackness   part of the distance that a step may use up (0.8)
return function(scene, given)
  local where = "std.contact.barrier"
  local checked = options.check(where, given, spec, { "bodies" })
  check_bodies(where, scene, checked.bodies)
  check_planes(where, checked.planes or {})
  if checked.slackness and checked.slackness >= 1 then
    errors.fail("RANGE", "%s: 'slackness' must lie between 0 and 1, got %g", where,
      checked.slackness)
  end
  checked.distance = checked.distance or 1e-3
  checked.form = forms[checked.form or "squared_log"]
  checked.stiffness = checked.stiffness or default_stiffness(checked.bodies, checked.distance)
  local rules = rules_module.new(where, checked, checked.stiffness)
  local name, k = checked.name or "contact", 1
  while scene:find(name) do
    k = k + 1
    name = (checked.name or "contact") .. "_" .. k
  end
  return driver.new(scene, scene:add_mesh(name), rules, checked)
end
