-- Which bodies touch, with which friction and stiffness: tables of one number a pair of bodies.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local M = {}

-- Numbers of the vertices of all bodies: copies of a stiff body are bodies of their own.
local function add_parts(rules, body)
  local labels = body.surface.labels
  local copies = labels and labels.count > 0 and math.tointeger(labels:max()) + 1 or 1
  local count = body.vertices.count
  local first = #rules.parts
  rules.labels[#rules.labels + 1] = (labels or basin.array.filled(count, 0)) + first
  rules.members[body.name] = {}
  for i = 1, copies do
    local name = copies > 1 and ("%s[%d]"):format(body.name, i) or body.name
    rules.parts[first + i] = { name = name, first = rules.count, body = body,
      soft = labels == nil and body.motion ~= nil, moves = body.motion ~= nil }
    table.insert(rules.members[body.name], first + i)
  end
  rules.starts[#rules.starts + 1] = { body = body, first = rules.count }
  rules.count = rules.count + count
end

-- Fills a table: a row a part, a column a part and one for planes.
local function fill(parts, value)
  local rows = {}
  for i = 1, #parts do
    rows[i] = {}
    for j = 1, #parts + 1 do rows[i][j] = value(parts[i], parts[j]) end
  end
  return rows
end

local pair_spec <const> = { friction = "nonnegative", static_friction = "nonnegative",
  dynamic_friction = "nonnegative", stiffness = "positive", touch = "boolean" }

local function members_of(rules, where, item)
  local name = common.is(item) and item.name or item
  if name == "plane" then return { #rules.parts + 1 } end
  local members = rules.members[name]
  if not members then
    errors.fail_hint("NAME", errors.suggestion(tostring(name), errors.sorted_keys(rules.members)),
      "%s: 'pairs' names '%s', which is none of the bodies", where, tostring(name))
  end
  return members
end

local function set(rows, a, b, value)
  if value == nil then return end
  if rows[a] then rows[a][b] = value end
  if rows[b] then rows[b][a] = value end
end

local function apply(rules, where, entry, stiffness)
  if type(entry) ~= "table" or common.is(entry) or #entry ~= 2 then
    errors.fail_hint("ARGUMENT", "pairs = { { \"ball\", \"floor\", friction = 0.1 } }",
      "%s: 'pairs' must be a list of two bodies each, with options", where)
  end
  local given = {}
  for key, value in pairs(entry) do if type(key) == "string" then given[key] = value end end
  given = options.check(where .. ": pairs", given, pair_spec)
  for _, a in ipairs(members_of(rules, where, entry[1])) do
    for _, b in ipairs(members_of(rules, where, entry[2])) do
      set(rules.touch, a, b, given.touch == nil and 1 or given.touch and 1 or 0)
      set(rules.fixed, a, b, given.static_friction or given.friction)
      set(rules.moving, a, b, given.dynamic_friction or given.friction)
      set(rules.weight, a, b, given.stiffness and given.stiffness / stiffness)
    end
  end
end

---The rules of std.contact.barrier: parts (name, body), labels (a part a vertex), starts (where the
---vertices of each body begin), and the tables touch, weight, fixed and moving.
function M.new(where, checked, stiffness)
  local rules = { parts = {}, labels = {}, members = {}, starts = {}, count = 0 }
  for _, body in ipairs(checked.bodies) do add_parts(rules, common.check(where, body)) end
  local static = checked.static_friction or checked.friction or 0
  local dynamic = checked.dynamic_friction or checked.friction or 0
  rules.touch = fill(rules.parts, function(a, b)
    if a == b then return a.soft and 1 or 0 end
    return (a.moves or (b and b.moves)) and 1 or 0
  end)
  rules.weight = fill(rules.parts, function() return 1 end)
  rules.fixed = fill(rules.parts, function() return static end)
  rules.moving = fill(rules.parts, function() return dynamic end)
  for _, entry in ipairs(checked.pairs or {}) do apply(rules, where, entry, stiffness) end
  return rules
end

---"vertex 12 of 'soft'"
function M.vertex_name(rules, vertex)
  for i = #rules.starts, 1, -1 do
    local start = rules.starts[i]
    if vertex >= start.first then
      return ("vertex %d of '%s'"):format(vertex - start.first, start.body.name)
    end
  end
end

return M
