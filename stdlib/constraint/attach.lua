-- Springs between vertices of two bodies of any kind, through the union of their vertices.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local parameters = require "basin.std.parameters"
local spring = require "basin.std.elastic.spring"

local counter = setmetatable({}, { __mode = "k" })

local function whole(value) return math.type(value) and math.tointeger(value) end

local function check_vertex(where, number, vertex, body)
  if vertex >= 0 and vertex < body.vertices.count then return end
  errors.fail("RANGE", "%s: pair %d names vertex %d of body '%s', which has %d (from 0)", where,
    number, vertex, body.name, body.vertices.count)
end

local function pairs_of(where, given, a, b)
  if type(given) ~= "table" and options.type_name(given) ~= "basin.array" then
    errors.fail_hint("ARGUMENT", "pairs = { { 0, 4 }, { 1, 7 } }",
      "%s: 'pairs' must be a list of two vertices each, got a %s", where, options.type_name(given))
  end
  local list = type(given) == "table" and given or given:table()
  if #list == 0 then errors.fail("LENGTH", "%s: 'pairs' is empty", where) end
  for i, pair in ipairs(list) do
    local good = type(pair) == "table" and #pair == 2 and whole(pair[1]) and whole(pair[2])
    if not good then
      errors.fail("ARGUMENT", "%s: pair %d must be { vertex of a, vertex of b }", where, i)
    end
    check_vertex(where, i, pair[1], a)
    check_vertex(where, i, pair[2], b)
    if a == b and pair[1] == pair[2] then
      errors.fail("ARGUMENT", "%s: pair %d ties vertex %d of body '%s' to itself", where, i,
        pair[1], a.name)
    end
  end
  return list
end

---std.constraint.attach(a, b, options). Returns the primitive of the springs. Options:
---  pairs      list of { vertex of a, vertex of b }
---  stiffness  N/m
---  rest       length of the springs; without it the one they have now
return function(a, b, given)
  local where = "std.constraint.attach"
  common.check(where, a)
  common.check(where, b)
  local checked = options.check(where, given,
    { pairs = "any", stiffness = "positive", rest = "nonnegative", name = "string" },
    { "pairs", "stiffness" })
  local list = pairs_of(where, checked.pairs, a, b)
  local scene = a.scene
  counter[scene] = (counter[scene] or 0) + 1
  local name = checked.name or ("attachment_%d"):format(counter[scene])
  local mesh = scene:add_mesh(name)
  local members = a == b and { a.vertices } or { a.vertices, b.vertices }
  local union = mesh:add_primitive_union("vertices", members)
  local shift, rows = a == b and 0 or a.vertices.count, {}
  for i, pair in ipairs(list) do rows[i] = { pair[1], pair[2] + shift } end
  local springs = mesh:add_primitive("springs", #rows)
  local ends = springs:add_connectivity("ends", union, rows, 2)
  local x = ends:gather(union:add_attribute "position")
  local rest = checked.rest
  if not rest then
    local lengths = springs:evaluate((x:row(1) - x:row(2)):norm())
    rest = springs:add_constant("rest_length", { value = lengths })
  end
  rest = parameters.store(mesh, "rest", rest)
  local stiffness = parameters.store(mesh, "stiffness", checked.stiffness)
  scene:add_energy(springs:add_attribute("energy", spring(x, rest, stiffness)),
    { name = name, projection = "clamp" })
  return springs
end
