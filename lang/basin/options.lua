-- Options tables: unknown keys and wrong types are errors that list what is valid.
-- SPDX-License-Identifier: Apache-2.0
local device = require "basin.device"
local errors = require "basin.errors"

local M = {}

-- Classes of the C binding hide their metatables behind their names.
local function type_name(value)
  local metatable = getmetatable(value)
  if type(value) == "userdata" and type(metatable) == "string" then return metatable end
  local name = type(metatable) == "table" and rawget(metatable, "__name")
  return name or type(value)
end
M.type_name = type_name

local function list_of(spec)
  return table.concat(errors.sorted_keys(spec), ", ")
end

local function check_word(where, key, value, words)
  if words == device.words then
    if device.is(value) then return end
    errors.fail_hint("ARGUMENT", device.suggestion(value), "%s: '%s' must be one of %s; got '%s'",
      where, key, device.list(), tostring(value))
  end
  for _, word in ipairs(words) do
    if word == value then return end
  end
  errors.fail_hint("ARGUMENT", errors.suggestion(value, words),
    "%s: '%s' must be one of %s; got '%s'", where, key, table.concat(words, ", "), tostring(value))
end

-- A list of finite numbers, not empty.
local function is_vector(value)
  if type(value) ~= "table" or getmetatable(value) or #value == 0 then return false end
  for i = 1, #value do
    local number = value[i]
    if type(number) ~= "number" or number ~= number or math.abs(number) == math.huge then
      return false
    end
  end
  return true
end

local wanted_texts <const> = { positive = "a number above 0", integer = "a whole number",
  whole = "a whole number from 0", count = "a whole number from 1",
  nonnegative = "a number from 0", vector = "a list of numbers" }

local function shown(value)
  return type(value) == "number" and tostring(value) or "a " .. type_name(value)
end

local function check_value(where, key, value, kind)
  if type(kind) == "table" then return check_word(where, key, value, kind) end
  if kind == "any" then return end
  local ok
  if kind == "integer" then
    ok = math.type(value) == "integer"
      or (math.type(value) == "float" and value == math.floor(value))
  elseif kind == "whole" or kind == "count" then
    local number = type(value) == "number" and math.tointeger(value)
    ok = number and number >= (kind == "count" and 1 or 0)
  elseif kind == "positive" then
    ok = type(value) == "number" and value > 0 and value < math.huge
  elseif kind == "number" then
    ok = type(value) == "number" and value == value
  elseif kind == "nonnegative" then
    ok = type(value) == "number" and value >= 0 and value < math.huge
  elseif kind == "vector" then
    ok = is_vector(value)
  elseif kind == "table" then
    ok = type(value) == "table" and not getmetatable(value)
  else
    ok = type(value) == kind
  end
  if not ok then
    local wanted = wanted_texts[kind] or (kind:find("^[aeiou]") and "an " or "a ") .. kind
    local got = shown(value)
    if kind == "vector" and type(value) == "table" and not getmetatable(value) then
      got = #value == 0 and "an empty table" or "one that holds something else"
    end
    local lone = kind == "table" and type(value) == "table"
    errors.fail_hint("ARGUMENT", lone and ("write %s = { … }"):format(key) or nil,
      "%s: '%s' must be %s, got %s", where, key, wanted, got)
  end
end

--- Checks an options table against {key = kind}; kind is a type name, "integer", "whole" (from 0),
--- "count" (from 1), "positive", "nonnegative", "vector" (a list of numbers), "any", or a list of
--- words. nil counts as an empty table. `required` lists keys that must be there.
--- Returns a copy.
function M.check(where, given, spec, required)
  if given ~= nil and (type(given) ~= "table" or getmetatable(given)) then
    errors.fail_hint("ARGUMENT", "options are written " .. where .. " { key = value }",
      "%s: options must be a table, got a %s", where, type_name(given))
  end
  local result = {}
  for key, value in pairs(given or {}) do
    local kind = spec[key]
    if kind == nil then
      errors.fail_hint("NAME", errors.suggestion(key, errors.sorted_keys(spec)),
        "%s: unknown option '%s'; valid are %s", where, tostring(key), list_of(spec))
    end
    check_value(where, key, value, kind)
    result[key] = value
  end
  for _, key in ipairs(required or {}) do
    if result[key] == nil then errors.fail("ARGUMENT", "%s: option '%s' is missing", where, key) end
  end
  return result
end

--- The value of options[key] or a default.
function M.default(options, key, value)
  if options[key] == nil then return value end
  return options[key]
end

--- Raises unless all numbers of an array are finite.
function M.check_finite(where, name, array)
  if array:is_finite() then return array end
  errors.fail("NOT_FINITE", "%s: '%s' holds a number that is not finite", where, name)
end

return M
