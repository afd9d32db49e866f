-- What a function of time says about the places of points: all of them, or one offset.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"

local function is_offset(value)
  return type(value) == "table" and not getmetatable(value) and type(value[1]) == "number"
end

local function as_array(value)
  if options.type_name(value) == "basin.array" then return value end
  if type(value) ~= "table" or getmetatable(value) or is_offset(value) then return nil end
  local good, array = pcall(basin.array.from, value)
  return good and array or nil
end

local function shown(value, array)
  if is_offset(value) then return ("%d numbers"):format(#value) end
  if array then
    return ("an array of %d x %d numbers"):format(array.count, array.rows * array.cols)
  end
  if type(value) == "table" and not getmetatable(value) then
    return "a list of something else"
  end
  return value == nil and "nothing" or "a " .. options.type_name(value)
end

local function finite(where, places)
  if places:is_finite() then return places end
  return errors.fail("NOT_FINITE", "%s: 'motion' returned a number that is not finite", where)
end

---The places of points that were at `start` (an array), from what `motion` returned: an array or
---list of a place for each, or one offset for all.
return function(where, start, moved)
  local dim, array = start.rows, as_array(moved)
  if array and array.count == start.count and array.rows * array.cols == dim then
    return finite(where, array)
  end
  if is_offset(moved) and #moved == dim then
    local good, offset = pcall(basin.array.filled, start.count, moved)
    if good then return finite(where, start + offset) end
  end
  errors.fail_hint("SHAPE", ("return start, changed, or one offset such as { %s }"):format(
    dim == 2 and "0, time" or "0, time, 0"),
    "%s: 'motion' must return %d places of %d numbers, or one offset of %d numbers; got %s", where,
    start.count, dim, dim, shown(moved, array))
end
