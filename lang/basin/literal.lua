-- Vectors and matrices put together from numbers and expressions.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"

local M = {}

local function check_list(name, list)
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    errors.fail_hint("ARGUMENT", ("basin.%s { a, b, c }"):format(name),
      "%s: a list of entries is needed, got %s", name, type(list) == "table" and "an empty table"
      or "a " .. options.type_name(list))
  end
  return list
end

--- A column vector of numbers and scalar expressions.
function M.vector(list)
  check_list("vector", list)
  return expression.apply("matrix", list, { #list, 1 })
end

--- A matrix from rows of numbers and scalar expressions: {{a, b}, {c, d}}.
function M.matrix(rows)
  check_list("matrix", rows)
  local entries, cols = {}, nil
  for i, row in ipairs(rows) do
    if type(row) ~= "table" or getmetatable(row) then
      errors.fail_hint("SHAPE", "basin.matrix { { a, b }, { c, d } }",
        "matrix: row %d is a %s, not a table", i, options.type_name(row))
    end
    cols = cols or #row
    if #row ~= cols then
      errors.fail("SHAPE", "matrix: row 1 has %d entries, row %d has %d", cols, i, #row)
    end
    for _, entry in ipairs(row) do entries[#entries + 1] = entry end
  end
  return expression.apply("matrix", entries, { #rows, cols })
end

local function check_extent(name, value)
  local number = math.tointeger(value)
  if not number or number < 1 then
    errors.fail("ARGUMENT", "%s: sizes are whole numbers from 1, got %s", name, tostring(value))
  end
  return number
end

--- The identity matrix of n rows.
function M.identity(n)
  return expression.apply("identity", {}, { check_extent("identity", n) })
end

--- A matrix of zeros.
function M.zeros(rows, cols)
  return expression.apply("zeros", {},
    { check_extent("zeros", rows), check_extent("zeros", cols or 1) })
end

--- A diagonal matrix.
function M.diagonal(list)
  check_list("diagonal", list)
  local rows = {}
  for i = 1, #list do
    rows[i] = {}
    for j = 1, #list do rows[i][j] = i == j and list[i] or 0 end
  end
  return M.matrix(rows)
end

--- Vectors of equal length as the columns of a matrix.
function M.columns(list)
  return expression.apply("columns", check_list("columns", list))
end

--- Vectors of equal length as the rows of a matrix.
function M.rows(list)
  return expression.apply("rows", check_list("rows", list))
end

--- Matrices of equal width, one below the other.
function M.concat_rows(list)
  return expression.apply("concat_rows", check_list("concat_rows", list))
end

--- Matrices of equal height, side by side.
function M.concat_cols(list)
  return expression.apply("concat_cols", check_list("concat_cols", list))
end

--- A value with derivatives of your own: custom(value, {arguments}, {derivatives}); derivative i
--- has (size of value) x (size of argument i) entries.
function M.custom(value, arguments, derivatives)
  check_list("custom", arguments)
  check_list("custom", derivatives)
  local all = { expression.to_expression(value, "custom") }
  for _, item in ipairs(arguments) do all[#all + 1] = expression.to_expression(item, "custom") end
  for _, item in ipairs(derivatives) do all[#all + 1] = expression.to_expression(item, "custom") end
  local scene
  for _, item in ipairs(all) do scene = scene or rawget(item, "_scene") end
  if not scene then errors.fail("OWNER", "custom: all operands are literals") end
  if #arguments ~= #derivatives then
    errors.fail("LENGTH", "custom: %d arguments but %d derivatives", #arguments, #derivatives)
  end
  local function refs(list)
    local result = {}
    for i, item in ipairs(list) do
      result[i] = expression.ref(expression.to_expression(item, "custom"), scene)
    end
    return result
  end
  return expression.new(scene, scene._system:custom(expression.ref(all[1], scene), refs(arguments),
    refs(derivatives)))
end

return M
