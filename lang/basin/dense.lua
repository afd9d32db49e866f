-- basin.dense: dense matrices as arrays of one row an instance: eigenvalues, singular values, QR.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

local DEFAULT_CUT <const> = 1e-10

local function matrix(where, value)
  local kind = options.type_name(value)
  if kind == "basin.matrix" then return value:dense() end
  if kind == "basin.array" then return value end
  if kind == "table" then return core.array(value) end
  return errors.fail_hint("ARGUMENT", "rows of numbers, an array of one row an instance, or a "
    .. "sparse matrix", "%s: a matrix is needed, got a %s", where, kind)
end

-- The lower triangle is what is read: the other must say the same.
local function symmetric(where, value, what)
  local a = matrix(where, value)
  if a.count == a.size and (a - core.dense_transpose(a)):max_abs() > 1e-12 * a:max_abs() then
    errors.fail("ARGUMENT", "%s: %s must be symmetric", where, what)
  end
  return a
end

--- Eigenvalues and eigenvectors of a symmetric matrix.
function M.eigen(a, given)
  local checked = options.check("basin.dense.eigen", given, { mass = "any" })
  local left = symmetric("basin.dense.eigen", a, "the matrix")
  local mass = checked.mass and symmetric("basin.dense.eigen", checked.mass, "the mass")
  return core.dense_eigen(left, mass)
end

--- Singular values and vectors.
function M.svd(a, given)
  local checked = options.check("basin.dense.svd", given, { full = "boolean" })
  return core.dense_svd(matrix("basin.dense.svd", a), checked.full)
end

--- Orthogonal and triangular factor.
function M.qr(a, given)
  local checked = options.check("basin.dense.qr", given, { full = "boolean", pivot = "boolean" })
  return core.dense_qr(matrix("basin.dense.qr", a), checked.full, checked.pivot)
end

--- The product.
function M.multiply(a, b)
  return core.dense_multiply(matrix("basin.dense.multiply", a), matrix("basin.dense.multiply", b))
end

--- The transpose.
function M.transpose(a)
  return core.dense_transpose(matrix("basin.dense.transpose", a))
end

-- How many of descending values are above the cut.
local function rank_of(values, cut)
  local rank = 0
  for i = 1, values.count do
    if values:at(i) > cut * values:at(1) then rank = i end
  end
  return rank
end
M._rank_of = rank_of

--- How many singular values are above a fraction of the largest.
function M.rank(a, given)
  local checked = options.check("basin.dense.rank", given, { cut = "nonnegative" })
  local _, values = core.dense_svd(matrix("basin.dense.rank", a))
  return rank_of(values, checked.cut or DEFAULT_CUT)
end

--- The smallest x among those that minimize |A x - b|.
function M.least_squares(a, b, given)
  local where <const> = "basin.dense.least_squares"
  local checked = options.check(where, given, { cut = "nonnegative" })
  local left, right = matrix(where, a), matrix(where, b)
  if right.count ~= left.count then right = core.array(right, 1) end
  if right.count ~= left.count then
    errors.fail("LENGTH", "%s: the matrix has %d rows, the right-hand side %d", where, left.count,
      right.count)
  end
  local u, values, v = core.dense_svd(left)
  local rank = rank_of(values, checked.cut or DEFAULT_CUT)
  local parts, rows = core.dense_multiply(u, right, true):table(), {}
  for i = 1, values.count do
    local row = type(parts[i]) == "table" and parts[i] or { parts[i] }
    for j = 1, #row do row[j] = i <= rank and row[j] / values:at(i) or 0 end
    rows[i] = row
  end
  if #rows == 0 then return core.array_filled(left.size, 0, right.size), 0 end
  return core.dense_multiply(v, core.array(rows)), rank
end

-- A mistake that reads well: basin.dense { … }.
return setmetatable(M, { __call = function()
  errors.fail_hint("ARGUMENT", "basin.dense.svd(a), …: matrices are arrays of one row an instance",
    "basin.dense is a table of functions")
end })
