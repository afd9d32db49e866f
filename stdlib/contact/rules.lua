-- Which parts touch, with which friction and stiffness: tables of one number a pair of parts.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local parts_module = require "basin.std.contact.parts"
local settings = require "basin.std.contact.settings"
local M = {}

-- Fills a table: a row a part, a column a part and one for planes.
local function fill(parts, value)
  local rows = {}
  for i = 1, #parts do
    rows[i] = {}
    for j = 1, #parts + 1 do rows[i][j] = value(parts[i], parts[j]) end
  end
  return rows
end

local pair_spec <const> = { friction = "any", static_friction = "nonnegative",
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
  local fixed, moving = settings.coefficients(where .. ": pairs", given)
  local touch = given.touch ~= nil and (given.touch and 1 or 0) or nil
  for _, a in ipairs(members_of(rules, where, entry[1])) do
    for _, b in ipairs(members_of(rules, where, entry[2])) do
      set(rules.touch, a, b, touch)
      set(rules.fixed, a, b, fixed)
      set(rules.moving, a, b, moving)
      set(rules.weight, a, b, given.stiffness and given.stiffness / stiffness)
    end
  end
end

---The rules of std.contact.barrier: parts, labels, members and starts (see parts.lua), and the
---tables touch, weight, fixed and moving (blended: the last two differ), which for friction with a
---direction are the coefficients along and across it.
function M.new(where, checked, stiffness)
  local found = parts_module.new(where, checked.bodies, checked.regions)
  local rules = { parts = found.list, labels = found.labels, members = found.members,
    starts = found.starts }
  local fixed, moving = settings.coefficients(where, checked)
  rules.touch = fill(rules.parts, function(a, b)
    if b and a.group == b.group then return a.soft and 1 or 0 end
    return (a.moves or (b and b.moves)) and 1 or 0
  end)
  rules.weight = fill(rules.parts, function() return 1 end)
  rules.fixed = fill(rules.parts, function() return fixed or 0 end)
  rules.moving = fill(rules.parts, function() return moving or 0 end)
  for _, entry in ipairs(checked.pairs or {}) do apply(rules, where, entry, stiffness) end
  rules.blended = false
  for i, row in ipairs(rules.fixed) do
    for k, value in ipairs(row) do
      rules.blended = rules.blended or value ~= rules.moving[i][k]
    end
  end
  return rules
end

return M
