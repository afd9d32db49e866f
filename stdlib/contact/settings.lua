-- The options of std.contact.barrier: what is valid, and what is meant where nothing is said.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local forms = require "basin.std.contact.forms"
local M = {}

local spec <const> = {
  bodies = "table", regions = "table", distance = "positive", stiffness = "any", friction = "any",
  static_friction = "nonnegative", dynamic_friction = "nonnegative", slip = "positive",
  pairs = "table", planes = "table", form = forms.names, thickness = "nonnegative",
  adhesion = "table", mollifier = "boolean", slackness = "positive",
  step_rule = { "sweep", "cfl", "safe_distance" }, friction_iterations = "whole",
  adaptive = "boolean", pair_limit = "count", name = "string",
}

-- A number, or { along =, across =, direction =, body = }: the coefficients, the direction, and the
-- body that it belongs to.
local function friction_of(where, given)
  if type(given) ~= "table" or getmetatable(given) then
    options.check(where, { friction = given }, { friction = "nonnegative" })
    return given, given
  end
  local checked = options.check(where .. ": friction", given,
    { along = "nonnegative", across = "nonnegative", direction = "vector", body = "any" },
    { "along", "across" })
  local n = checked.direction
  if n and (#n ~= 3 or n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2 == 0) then
    errors.fail("ARGUMENT", "%s: friction: 'direction' needs 3 numbers, not all 0", where)
  end
  return checked.along, checked.across, n, checked.body
end

---Static and dynamic coefficients, or those along and across a direction, then that, and its body;
---or nil.
---One of static_friction and dynamic_friction stands for both.
function M.coefficients(where, given)
  local fixed, moving = given.static_friction, given.dynamic_friction
  if fixed == nil and moving == nil then return friction_of(where, given.friction) end
  if given.friction ~= nil then
    errors.fail("ARGUMENT", "%s: give either 'friction' or 'static_friction' and "
      .. "'dynamic_friction'", where)
  end
  fixed, moving = fixed or moving, moving or fixed
  if fixed < moving then
    errors.fail("RANGE", "%s: 'static_friction' %g is below 'dynamic_friction' %g", where, fixed,
      moving)
  end
  return fixed, moving
end

-- The coefficients of all pairs; along and across need a direction.
local function check_friction(where, checked)
  checked.direction, checked.grain = select(3, M.coefficients(where, checked))
  if type(checked.friction) == "table" and not checked.direction then
    errors.fail_hint("ARGUMENT",
      "friction = { along = 0.1, across = 0.8, direction = { 1, 0, 0 } }",
      "%s: friction: option 'direction' is missing", where)
  end
end

---The coefficients of an item of `pairs`; `direction`: what all pairs have.
function M.pair_coefficients(where, given, direction)
  local fixed, moving, own, body = M.coefficients(where, given)
  if own or body then
    errors.fail("ARGUMENT", "%s: friction: all pairs have the 'direction', and its 'body', of the "
      .. "contact's own 'friction'", where)
  elseif type(given.friction) == "table" and not direction then
    errors.fail_hint("ARGUMENT",
      "std.contact.barrier(scene, { friction = { along =, across =, direction = } })",
      "%s: friction: 'along' and 'across' need a 'direction' in the contact's own 'friction'",
      where)
  elseif direction and given.friction == nil and fixed then
    errors.fail("ARGUMENT", "%s: 'static_friction' and 'dynamic_friction' do not go with a "
      .. "'direction' of friction; give 'friction'", where)
  end
  return fixed, moving
end

local words <const> = { adaptive = true, semi_implicit = true }

local function check_stiffness(where, checked)
  local value = checked.stiffness
  if value == nil or words[value] then return end
  if type(value) == "string" then
    errors.fail_hint("ARGUMENT", errors.suggestion(value, { "adaptive", "semi_implicit" }),
      "%s: 'stiffness' is a number, \"adaptive\" or \"semi_implicit\", got '%s'", where, value)
  end
  options.check(where, { stiffness = value }, { stiffness = "positive" })
end

local function check_adhesion(where, checked)
  local given = options.check(where .. ": adhesion", checked.adhesion,
    { strength = "positive", peak = "positive", range = "positive", friction = "nonnegative",
      slip = "positive" }, { "strength" })
  given.peak = given.peak or checked.distance
  given.range = given.range or 2 * given.peak
  if given.range <= given.peak then
    errors.fail("RANGE", "%s: adhesion: 'range' %g m must lie beyond 'peak' %g m", where,
      given.range, given.peak)
  end
  return given
end

---The options with their defaults; `form` is a term.
function M.check(where, given)
  local checked = options.check(where, given, spec, { "bodies" })
  check_stiffness(where, checked)
  if checked.slackness and checked.slackness >= 1 then
    errors.fail("RANGE", "%s: 'slackness' must lie between 0 and 1, got %g", where,
      checked.slackness)
  end
  checked.distance = checked.distance or 1e-3
  if checked.adhesion then checked.adhesion = check_adhesion(where, checked) end
  checked.form = forms.by_name[checked.form or "squared_log"]
  check_friction(where, checked)
  return checked
end

return M
