-- Bodies that never pass through each other: barriers between close surfaces, friction, the step
-- filter that stops before contact.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local contact = require "basin.std.contact.contact"
local settings = require "basin.std.contact.settings"

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
---  regions     parts of bodies with rules of their own: { { name =, body =, vertices = } }
---  distance    where barriers begin, m (1e-3)
---  stiffness   of the barrier, N/m: its energy is stiffness distance^2 b, b without units; by
---              default it holds the heaviest body at half the distance; "adaptive" balances forces
---              when contact begins and grows; "semi_implicit" goes by masses and elasticity
---  form        of b: "squared_log" (default), "log", "two_stage", or "cubic", finite at contact
---  thickness   distance that is kept in addition, m
---  friction    coefficient, or { along =, across =, direction =, body = } with a direction in
---              space, or one of a body's surface, as it lay at the start, that moves with it; or
---              instead static_friction and dynamic_friction, not above it: one alone is both
---  slip        speed below which friction is smoothed, m/s (1e-3)
---  friction_iterations  times the normal forces of friction are renewed within a step (0)
---  adhesion    { strength = most attraction of a pair, N, peak = where it is (distance), range =
---              where it begins (2 peak), friction = coefficient (0), slip = speed of the largest
---              resistance, m/s (1e-2) }
---  pairs       exceptions: { { a, b, touch = false, friction =, static_friction =,
---              dynamic_friction =, stiffness = } }, a and b bodies, their names, names of regions,
---              or "plane"; a pair of features with vertices in several has the mean; stiffness in
---              N/m, where that of the contact is
---  planes      { { normal =, offset = } }: points stay where normal . x > offset
---  mollifier   false: no smoothing of nearly parallel edges
---  adaptive    true: a given stiffness doubles when distances become very small
---  slackness   part of the distance that a step may use up (0.8)
---  step_rule   how the longest step is found: "sweep" (default), "cfl" or "safe_distance": see
---              ContactDetector:filter
---  pair_limit  most pairs of a kind; more are an error
return function(scene, given)
  local where = "std.contact.barrier"
  local checked = settings.check(where, given)
  check_bodies(where, scene, checked.bodies)
  check_planes(where, checked.planes or {})
  local name, k = checked.name or "contact", 1
  while scene:find(name) do
    k = k + 1
    name = (checked.name or "contact") .. "_" .. k
  end
  return contact.new(where, scene, name, checked)
end
