-- From what a script gives as values and indices to arrays, with the checks that need names.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

local array_class = getmetatable(core.array_filled(0, 0))

local function is_array(value)
  return options.type_name(value) == "basin.array"
end

local function is_flat(value)
  return type(value) == "table" and type(value[1]) ~= "table"
end

--- Puts a value into the stored array of an attribute. A number, or a flat table of one instance's
--- numbers, goes to all instances.
function M.set(attribute, value)
  local scene, id = rawget(attribute, "_scene"), rawget(attribute, "_array")
  local size, count = attribute.rows * attribute.cols, rawget(attribute, "_owner"):instances()
  if getmetatable(value) == array_class and value.count == count and value.size == size then
    scene._system:set(id, value) -- what loops do
    return
  end
  local name = attribute:full_name()
  if type(value) == "number" then
    scene._system:set(id, core.array_filled(1, value, size, 1), true)
    return
  end
  if not is_array(value) and (type(value) ~= "table" or getmetatable(value)) then
    errors.fail_hint("ARGUMENT",
      "values are numbers, tables of numbers, arrays, or parts of meshes such as mesh.points",
      "%s: a %s is no value", name, options.type_name(value))
  end
  local one_instance = is_flat(value) and not is_array(value)
  local array = core.array(value)
  local total = array.count * array.size
  if total == size and one_instance and count ~= 1 then
    scene._system:set(id, array, true)
    return
  end
  if total ~= count * size then
    errors.fail("LENGTH",
      "%s: %d instances of %dx%d need %d numbers, the value has %d (%d of %dx%d)", name, count,
      attribute.rows, attribute.cols, count * size, total, array.count, array.rows, array.cols)
  end
  if array.size ~= size and array.size ~= 1 and not one_instance and count > 1 then
    errors.fail("SHAPE", "%s: instances are %dx%d, those of the value %dx%d", name, attribute.rows,
      attribute.cols, array.rows, array.cols)
  end
  scene._system:set(id, array)
end

-- A list of lists of different lengths as one flat list and its offsets.
local function flatten_rows(name, rows)
  local indices, offsets = {}, { 0 }
  for i, row in ipairs(rows) do
    if type(row) ~= "table" then
      errors.fail("ARGUMENT", "%s: row %d is a %s, not a table", name, i, options.type_name(row))
    end
    for _, index in ipairs(row) do indices[#indices + 1] = index end
    offsets[i + 1] = #indices
  end
  return core.array(indices), core.array(offsets)
end

--- Indices of a connectivity of variable arity: {{…}, {…}} or {indices = …, offsets = …}.
function M.rows(name, value)
  if type(value) == "table" and not getmetatable(value) and value.offsets then
    local given = options.check(name, value, { indices = "any", offsets = "any" },
      { "indices", "offsets" })
    return core.array(given.indices), core.array(given.offsets)
  end
  if type(value) ~= "table" or getmetatable(value) then
    errors.fail_hint("ARGUMENT", "give { { 0, 1 }, { 2 } } or { indices = …, offsets = … }",
      "%s: variable arity needs rows of indices, got a %s", name, options.type_name(value))
  end
  return flatten_rows(name, value)
end

--- Indices of fixed arity as an array, with the shape checked; ranges are checked when they are
--- set.
function M.indices(name, value, arity, count)
  if not is_array(value) and (type(value) ~= "table" or getmetatable(value)) then
    errors.fail_hint("ARGUMENT",
      "indices are arrays, tables, or parts of meshes such as mesh.tets",
      "%s: a %s has no indices", name, options.type_name(value))
  end
  local array = core.array(value)
  local total = array.count * array.size
  if array.size ~= arity and array.size ~= 1 and total > 0 then
    errors.fail("SHAPE", "%s: arity is %d, but each row has %d indices", name, arity, array.size)
  end
  if total ~= arity * count then
    errors.fail("LENGTH", "%s: %d instances of arity %d need %d indices, got %d", name, count,
      arity, arity * count, total)
  end
  return array
end

return M
