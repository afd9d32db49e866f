-- basin.sparse.kkt: minima under linear constraints, with their multipliers.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"
local row_space = require "basin.row_space"

local M = {}

-- Up to so many unknowns the symmetric factorization pivots; beyond, L U does.
local SYMMETRIC_LARGEST <const> = 256

local methods = {}
local Saddle = { __name = "basin.saddle", __index = methods }

function Saddle:__tostring()
  return ("saddle point system of %d unknowns, %d constraints, %d of them independent"):format(
    self.unknowns, self.constraints.rows, self.rank)
end

local function compliance_of(where, value, rows)
  if value == nil then return nil end
  if options.type_name(value) == "basin.matrix" then
    if value.rows ~= rows or value.columns ~= rows then
      errors.fail("SHAPE", "%s: 'compliance' must be %dx%d, it is %dx%d", where, rows, rows,
        value.rows, value.columns)
    end
    return value
  end
  if type(value) == "number" then
    options.check_finite(where, "compliance", core.array_filled(1, value))
    return core.sparse_identity(rows, value)
  end
  local diagonal = options.check_finite(where, "compliance", core.array(value))
  if diagonal.count * diagonal.size ~= rows then
    errors.fail("LENGTH", "%s: 'compliance' has %d numbers for %d constraints", where,
      diagonal.count * diagonal.size, rows)
  end
  return core.sparse_diagonal(diagonal)
end

-- Rows that no compliance softens can depend on each other; the others cannot.
local function split(constraints, compliance, cut)
  if not compliance then return row_space.independent(constraints, cut) end
  local csr = compliance:csr()
  local starts, values = csr.starts:table(), csr.values:table()
  local hard, kept = {}, {}
  for i = 1, constraints.rows do
    local soft = false
    for k = starts[i] + 1, starts[i + 1] do soft = soft or values[k] ~= 0 end
    table.insert(soft and kept or hard, i - 1)
  end
  local few, dropped = row_space.independent(constraints:select(hard), cut)
  for _, i in ipairs(few) do kept[#kept + 1] = hard[i + 1] end
  for k, i in ipairs(dropped) do dropped[k] = hard[i + 1] end
  table.sort(kept)
  return kept, dropped
end

local function stack(self, matrix)
  local c = self.kept_rows
  if c.rows == 0 then return matrix end
  return core.sparse_blocks { { matrix, c:T() },
    { c, self.compliance and -self.compliance:select(self.kept, self.kept) or false } }
end

--- The system (H C^T; C -E).
function M.kkt(matrix, constraints, given)
  local where <const> = "basin.sparse.kkt"
  local checked = options.check(where, given, { cut = "nonnegative", compliance = "any",
    kind = { "ldlt", "lu" } })
  row_space.check(where, "the matrix", matrix)
  if matrix.rows ~= matrix.columns then
    errors.fail("SHAPE", "%s: the matrix must be square, it is %dx%d", where, matrix.rows,
      matrix.columns)
  end
  row_space.check(where, "'constraints'", constraints, matrix.rows)
  local self = setmetatable({ unknowns = matrix.rows, constraints = constraints }, Saddle)
  self.compliance = compliance_of(where, checked.compliance, constraints.rows)
  self.kept, self.dropped = split(constraints, self.compliance, checked.cut
    or row_space.DEFAULT_CUT)
  self.rank = #self.kept
  self.kept_rows = constraints:select(self.kept)
  local stacked = stack(self, matrix)
  local kind = checked.kind or (stacked.rows <= SYMMETRIC_LARGEST
    and matrix:is_symmetric(1e-12) and "ldlt" or "lu")
  self.factor = stacked:factorize(kind)
  return self
end

local function vector(where, value, count, what)
  if value == nil then return core.array_filled(count, 0) end
  local array = core.array(value)
  if array.count * array.size ~= count then
    errors.fail("LENGTH", "%s: %s has %d numbers, %d are needed", where, what,
      array.count * array.size, count)
  end
  return core.array(array, 1)
end

--- x and the multipliers with H x + C^T y = b and C x - E y = c.
function methods:solve(b, c)
  local where <const> = "saddle:solve"
  local left = vector(where, b, self.unknowns, "the right-hand side")
  local right = vector(where, c, self.constraints.rows, "the constraints' side")
  local whole = self.factor:solve(core.array_join { left, right:select(self.kept) })
  local x = whole:slice(1, self.unknowns)
  if options.type_name(b) == "basin.array" and b.rows * b.cols > 1 then
    x = core.array(x, b.rows, b.cols)
  end
  local y = core.array_filled(self.constraints.rows, 0)
  if self.rank > 0 then
    y = core.sparse(self.constraints.rows, self.rank, self.kept,
      core.array_range(0, self.rank, 1), core.array_filled(self.rank, 1))
      * whole:slice(self.unknowns + 1, self.unknowns + self.rank)
  end
  local violation = 0
  if #self.dropped > 0 then
    violation = (self.constraints:select(self.dropped) * core.array(x, 1)
      - right:select(self.dropped)):max_abs()
  end
  return x, y, violation
end

--- New values of the matrix under the same constraints.
function methods:update(matrix)
  row_space.check("saddle:update", "the matrix", matrix, self.unknowns)
  self.factor:update(stack(self, matrix))
  return self
end

M.methods = methods
return M
