-- Holds vertices of a body exactly: where they are, or where a function of time says.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local placed = require "basin.std.body.placed"

local Fix = { __name = "basin.std.constraint.fix" }
Fix.__index = Fix

function Fix.__tostring(self)
  return ("fix '%s': %d vertices"):format(self.name, self.vertices.count)
end

---Lets the vertices go.
function Fix:release() self.body.position:release(self.vertices, { entries = self.entries }) end

---Holds them again, where they are now.
function Fix:hold() self.body.position:hold(self.vertices, { entries = self.entries }) end

local function check_body(where, body)
  common.check(where, body)
  if body.position:kind() == "data" and body.motion then return end
  if body.motion then
    local unknown = body.motion.unknowns[1].value
    errors.fail_hint("UNSUPPORTED", ("hold the unknowns, %s:hold(0), or pin the vertices"):format(
      unknown:full_name()),
      "%s: the vertices of body '%s' are no unknowns of their own", where, body.name)
  end
  errors.fail_hint("ARGUMENT", "std.body.fixed has a motion of its own",
    "%s: body '%s' has no unknowns to hold", where, body.name)
end

local function check_vertices(where, body, given)
  if type(given) ~= "table" and options.type_name(given) ~= "basin.array" then
    errors.fail_hint("ARGUMENT", "vertices = { 0, 3 }, or what mesh:select gives",
      "%s: 'vertices' must be a list of vertices, got a %s", where, options.type_name(given))
  end
  local vertices, seen = basin.array.from(given, { rows = 1 }), {}
  if vertices.count == 0 then errors.fail("LENGTH", "%s: there are no vertices to fix", where) end
  for _, vertex in ipairs(vertices:table()) do
    local number = math.tointeger(vertex)
    if not number or number < 0 or number >= body.vertices.count then
      errors.fail("RANGE", "%s: there is no vertex %s of body '%s', which has %d (from 0)", where,
        tostring(number or vertex), body.name, body.vertices.count)
    end
    if seen[number] then
      errors.fail("ARGUMENT", "%s: vertex %d is named twice", where, number)
    end
    seen[number] = true
  end
  return vertices
end

local counter = setmetatable({}, { __mode = "k" })

---std.constraint.fix(body, options): the exact counterpart of pin. Returns what holds them, with
---the methods release() and hold(). Options:
---  vertices  indices
---  entries   coordinates, from 1; by default all
---  motion    function(time, start) -> the places of all, or one offset from where they started
---  pieces    straight pieces in which they follow the motion within a step (1)
return function(body, given)
  local where = "std.constraint.fix"
  check_body(where, body)
  local checked = options.check(where, given, { vertices = "any", entries = "table",
    motion = "function", pieces = "count", name = "string" }, { "vertices" })
  local vertices = check_vertices(where, body, checked.vertices)
  local count = (counter[body] or 0) + 1
  counter[body] = count
  local name = checked.name or body.name .. "_fix" .. (count > 1 and "_" .. count or "")
  local fix = setmetatable({ body = body, name = name, vertices = vertices,
    entries = checked.entries }, Fix)
  fix:hold()
  local motion = checked.motion
  if motion then
    local start = body.position:value():select(vertices)
    local label = ("%s '%s'"):format(where, name)
    body.scene:add_step_hook { name = name, moves = { { attribute = body.position,
      indices = vertices, pieces = checked.pieces,
      path = function(time) return placed(label, start, motion(time, start)) end } } }
  end
  return fix
end
