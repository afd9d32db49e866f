-- Rules of contact for two bodies or regions: the option `pairs`.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local settings = require "basin.std.contact.settings"

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

---Enters an item of `pairs` into the tables of the rules; `stiffness`, N/m: of all other pairs, nil
---where a rule makes it.
return function(rules, where, entry, stiffness)
  if type(entry) ~= "table" or common.is(entry) or #entry ~= 2 then
    errors.fail_hint("ARGUMENT", "pairs = { { \"ball\", \"floor\", friction = 0.1 } }",
      "%s: 'pairs' must be a list of two bodies each, with options", where)
  end
  local given = {}
  for key, value in pairs(entry) do if type(key) == "string" then given[key] = value end end
  given = options.check(where .. ": pairs", given, pair_spec)
  local fixed, moving = settings.pair_coefficients(where .. ": pairs", given,
    rules.direction)
  if given.stiffness and stiffness == nil then
    errors.fail("ARGUMENT", "%s: pairs: 'stiffness' goes with a 'stiffness' of the contact in N/m, "
      .. "not with \"adaptive\" or \"semi_implicit\"", where)
  end
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
