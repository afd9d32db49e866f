-- Which parts touch, with which friction and stiffness: tables of one number a pair of parts.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local exceptions = require "basin.std.contact.exceptions"
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

---The rules of std.contact.barrier: parts, labels, members and starts (see parts.lua), and the
---tables touch, weight, fixed and moving (blended: the last two differ), which for friction with a
---`direction` are the coefficients along and across it. `stiffness`: N/m, nil where a rule has it.
function M.new(where, checked, stiffness)
  local found = parts_module.new(where, checked.bodies, checked.regions)
  local rules = { parts = found.list, labels = found.labels, members = found.members,
    starts = found.starts, direction = checked.direction }
  local fixed, moving = settings.coefficients(where, checked)
  rules.touch = fill(rules.parts, function(a, b)
    if b and a.group == b.group then return a.soft and 1 or 0 end
    return (a.moves or (b and b.moves)) and 1 or 0
  end)
  rules.weight = fill(rules.parts, function() return 1 end)
  rules.fixed = fill(rules.parts, function() return fixed or 0 end)
  rules.moving = fill(rules.parts, function() return moving or 0 end)
  for _, entry in ipairs(checked.pairs or {}) do exceptions(rules, where, entry, stiffness) end
  local moves = false
  for _, part in ipairs(rules.parts) do moves = moves or part.moves end
  if not moves then errors.fail("ARGUMENT", "%s: none of the bodies moves freely", where) end
  rules.blended = false
  for i, row in ipairs(rules.fixed) do
    for k, value in ipairs(row) do
      rules.blended = rules.blended or value ~= rules.moving[i][k]
    end
  end
  return rules
end

return M
