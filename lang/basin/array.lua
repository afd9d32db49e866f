-- basin.array: arrays of numbers, one small matrix an instance.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

local function check_count(where, value)
  local count = math.tointeger(value)
  if not count or count < 0 then
    errors.fail("ARGUMENT", "%s: a count is a whole number from 0, got %s", where, tostring(value))
  end
  return count
end

local function check_number(where, value)
  if type(value) ~= "number" then
    errors.fail("ARGUMENT", "%s: a number is needed, got a %s", where, options.type_name(value))
  end
  return value
end

--- An array from a table of numbers, of vectors or of matrices; rows and cols regroup the numbers.
function M.from(value, shape)
  local given = options.check("basin.array.from", shape, { rows = "integer", cols = "integer" })
  if given.rows or given.cols then return core.array(value, given.rows or 1, given.cols or 1) end
  return core.array(value)
end

--- count instances of one value (a number or one instance's table).
function M.filled(count, value)
  check_count("basin.array.filled", count)
  if type(value) == "table" then
    return core.array(value, #value):select(core.array_filled(count, 0))
  end
  return core.array_filled(count, check_number("basin.array.filled", value))
end

--- count instances of zero.
function M.zeros(count, shape)
  local given = options.check("basin.array.zeros", shape, { rows = "integer", cols = "integer" })
  return core.array_filled(check_count("basin.array.zeros", count), 0, given.rows or 1, given.cols
    or 1)
end

--- first, first + step, …: count numbers.
function M.range(first, count, step)
  return core.array_range(check_number("basin.array.range", first),
    check_count("basin.array.range", count), step or 1)
end

--- count equally spaced points from one to the other, both included.
function M.line(from, to, count)
  return core.array_line(from, to, check_count("basin.array.line", count))
end

--- The index pairs {0, 1}, {1, 2}, … of a chain of count points.
function M.chain(count)
  check_count("basin.array.chain", count)
  local pairs_of = {}
  for i = 0, count - 2 do pairs_of[i + 1] = { i, i + 1 } end
  if #pairs_of == 0 then return core.array(core.array {}, 2) end
  return core.array(pairs_of)
end

--- Each label repeated count times: labels{{count, label}, …}.
function M.labels(list)
  return core.array_labels(list)
end

--- Arrays of equal shape, one after the other.
function M.joined(list)
  return core.array_join(list)
end

--- Whether a value is an array.
function M.is(value)
  return options.type_name(value) == "basin.array"
end

return M
