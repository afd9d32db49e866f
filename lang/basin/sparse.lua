-- basin.sparse: sparse matrices as values.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

--- From triplets, counted from 0; entries at equal places are added: {rows=, columns=, i = {…}, j =
--- {…}, values = {…}}.
function M.new(given)
  local checked = options.check("basin.sparse.new", given,
    { rows = "integer", columns = "integer", i = "any", j = "any", values = "any" },
    { "rows", "columns", "i", "j", "values" })
  local values = core.array(checked.values)
  local largest = values:max_abs()
  if not (largest < math.huge) then -- luacheck: ignore 581
    errors.fail("NOT_FINITE", "basin.sparse.new: 'values' hold %s",
      largest == math.huge and "an infinity" or "one that is no number")
  end
  return core.sparse(checked.rows, checked.columns, checked.i, checked.j, values)
end

--- From rows of numbers; zeros are left out.
function M.from(rows)
  return core.sparse_from(rows)
end

--- The identity (or a multiple of it) of n rows.
function M.identity(n, value)
  return core.sparse_identity(n, value)
end

--- A diagonal matrix.
function M.diagonal(values)
  return core.sparse_diagonal(values)
end

--- A matrix without entries.
function M.zero(rows, columns)
  return core.sparse_zero(rows, columns)
end

--- Matrices side by side and one below the other; false is a zero block: blocks{{A, B}, {C,
--- false}}.
function M.blocks(rows)
  return core.sparse_blocks(rows)
end

--- Whether a value is a sparse matrix.
function M.is(value)
  return options.type_name(value) == "basin.matrix"
end

-- A mistake that reads well: basin.sparse { … }.
return setmetatable(M, { __call = function()
  errors.fail_hint("ARGUMENT", "basin.sparse.new { … } or basin.sparse.from { { … }, { … } }",
    "basin.sparse is a table of functions")
end })
