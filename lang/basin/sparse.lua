-- basin.sparse: sparse matrices as values.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local krylov = require "basin.krylov"
local options = require "basin.options"
local projection = require "basin.projection"
local row_space = require "basin.row_space"
local saddle = require "basin.saddle"
local subspace = require "basin.subspace"

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

--- Columns side by side: arrays of one number a row (or more: a column each), sparse matrices.
function M.columns(list)
  local where <const> = "basin.sparse.columns"
  if type(list) ~= "table" or #list == 0 then
    errors.fail("ARGUMENT", "%s: a list of columns is needed", where)
  end
  local parts, rows = {}, nil
  for i, item in ipairs(list) do
    local part = M.is(item) and item or core.sparse_from(core.array(item))
    rows = rows or part.rows
    if part.rows ~= rows then
      errors.fail("LENGTH", "%s: item %d has %d rows, the first %d", where, i, part.rows, rows)
    end
    parts[i] = part
  end
  return core.sparse_blocks { parts }
end

local DEFAULT_COUNT <const> = 6 -- of eigenvalues, where there are as many

--- The lowest pairs of A x = lambda M x, or those nearest to a shift.
function M.eigen(matrix, given)
  local where <const> = "basin.sparse.eigen"
  local checked = options.check(where, given, { mass = "any", count = "count", near = "number",
    constraints = "any", cut = "nonnegative", tolerance = "nonnegative", max_iterations = "count",
    basis = "count" })
  row_space.check(where, "the matrix", matrix)
  if checked.near and math.abs(checked.near) == math.huge then
    errors.fail("NOT_FINITE", "%s: 'near' must be finite", where)
  end
  if checked.mass then row_space.check(where, "'mass'", checked.mass) end
  local constraints = checked.constraints
  if constraints then
    row_space.check(where, "'constraints'", constraints, matrix.rows)
    constraints = constraints:select((row_space.independent(constraints,
      checked.cut or row_space.DEFAULT_CUT)))
    if constraints.rows == 0 then constraints = nil end
  end
  local all = math.max(1, matrix.rows - (constraints and constraints.rows or 0))
  return core.sparse_eigen(matrix, checked.mass, constraints, {
    count = checked.count or math.min(DEFAULT_COUNT, all),
    near = checked.near, tolerance = checked.tolerance, max_iterations = checked.max_iterations,
    basis = checked.basis })
end

--- The x that minimizes |A x - b|^2 + ridge |x|^2, and b - A x.
function M.least_squares(matrix, b, given)
  local where <const> = "basin.sparse.least_squares"
  local checked = options.check(where, given, { ridge = "nonnegative" })
  row_space.check(where, "the matrix", matrix)
  local right = core.array(core.array(b), 1)
  if right.count ~= matrix.rows then
    errors.fail("LENGTH", "%s: the matrix has %d rows, the right-hand side %d numbers", where,
      matrix.rows, right.count)
  end
  if matrix.columns == 0 then return core.array_filled(0, 0), right end
  local ridge = checked.ridge or 0
  local whole = core.sparse_blocks { { core.sparse_identity(matrix.rows), matrix },
    { matrix:T(), ridge > 0 and core.sparse_identity(matrix.columns, -ridge) or false } }
  local z = whole:solve(core.array_join { right, core.array_filled(matrix.columns, 0) }, "lu")
  return z:slice(matrix.rows + 1, matrix.rows + matrix.columns), z:slice(1, matrix.rows)
end

M.kkt, M.projection, M.cg, M.subspace = saddle.kkt, projection.projection, krylov.cg,
  subspace.subspace

--- Whether a value is a sparse matrix.
function M.is(value)
  return options.type_name(value) == "basin.matrix"
end

-- A mistake that reads well: basin.sparse { … }.
return setmetatable(M, { __call = function()
  errors.fail_hint("ARGUMENT", "basin.sparse.new { … } or basin.sparse.from { { … }, { … } }",
    "basin.sparse is a table of functions")
end })
