-- basin.sparse.projection: directions that constraints leave free, by singular values.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local krylov = require "basin.krylov"
local options = require "basin.options"
local row_space = require "basin.row_space"

local M = {}

local methods = {}
local Projection = { __name = "basin.projection", __index = methods }

function Projection:__tostring()
  return ("projection on the null space of %d constraints of rank %d, %d unknowns"):format(
    self.constraints.rows, self.rank, self.constraints.columns)
end

local function number_at(row, k)
  return type(row) == "table" and row[k] or row
end

-- Triplets of a sparse matrix that is built entry by entry.
local function triplets()
  return { i = {}, j = {}, values = {}, add = function(self, i, j, value)
    if value == 0 then return end
    local n = #self.i + 1
    self.i[n], self.j[n], self.values[n] = i, j, value
  end, matrix = function(self, rows, columns)
    if #self.i == 0 then return core.sparse_zero(rows, columns) end
    return core.sparse(rows, columns, self.i, self.j, self.values)
  end }
end

-- Singular triples of these pieces, the largest value first.
local function decompose(where, constraints, pieces)
  local triples = {}
  for _, piece in ipairs(pieces) do
    piece.taken = {}
    local dense = #piece.columns > 0 and row_space.dense_piece(constraints, piece)
    if dense == nil then
      errors.fail_hint("UNSUPPORTED", "basin.sparse.kkt holds large systems",
        "%s: %d constraints that share unknowns are too many", where, #piece.rows)
    elseif dense then
      local u, s, v = core.dense_svd(dense)
      u, v = u:table(), v:table()
      for k = 1, s.count do
        triples[#triples + 1] = { value = s:at(k), piece = piece, u = u, v = v, k = k,
          place = #triples }
      end
    end
  end
  table.sort(triples, function(a, b)
    if a.value ~= b.value then return a.value > b.value end
    return a.place < b.place
  end)
  return triples
end

--- S = I - C^T (C C^T)^-1 C and what belongs to it.
function M.projection(constraints, given)
  local where <const> = "basin.sparse.projection"
  local checked = options.check(where, given, { cut = "nonnegative", keep = "whole" })
  row_space.check(where, "'constraints'", constraints)
  local pieces = row_space.pieces(constraints)
  local triples = decompose(where, constraints, pieces)
  local cut = (checked.cut or row_space.DEFAULT_CUT) * (triples[1] and triples[1].value or 0)
  local rank, values = 0, {}
  for i, triple in ipairs(triples) do
    values[i] = triple.value
    if triple.value > cut and i <= (checked.keep or #triples) then rank = i end
  end
  local basis, image = triplets(), triplets()
  for r = 1, rank do
    local t = triples[r]
    table.insert(t.piece.taken, r - 1)
    for k, column in ipairs(t.piece.columns) do
      basis:add(r - 1, column, number_at(t.v[k], t.k))
    end
    for k, row in ipairs(t.piece.rows) do
      image:add(r - 1, row, number_at(t.u[k], t.k) / t.value)
    end
  end
  return setmetatable({ constraints = constraints, rank = rank, _pieces = pieces,
    singular_values = core.array(values),
    basis = basis:matrix(rank, constraints.columns),
    image = image:matrix(rank, constraints.rows) }, Projection)
end

local function flat(x)
  return core.array(core.array(x), 1)
end

-- The numbers of `values` in the grouping of `like`.
local function grouped(values, like)
  if options.type_name(like) ~= "basin.array" or like.size == 1 then return values end
  return core.array(values, like.rows, like.cols)
end

--- The part of x that no constraint sees.
function methods:apply(x)
  local numbers = flat(x)
  return grouped(numbers - self.basis:apply_transposed(self.basis * numbers), x)
end

--- S as a sparse matrix: full where constraints share unknowns.
function methods:matrix()
  return core.sparse_identity(self.constraints.columns) - self.basis:T() * self.basis
end

--- The smallest z with C z = c, or with the smallest |C z - c|.
function methods:particular(c)
  return self.basis:apply_transposed(self.image * flat(c))
end

--- The smallest y with C^T y = r, for an r that constraint forces can hold.
function methods:multipliers(r)
  return self.image:apply_transposed(self.basis * flat(r))
end

--- Columns that are an orthonormal basis of the null space: of each piece what its rows of the
--- basis leave, by QR.
function methods:null_space()
  local n = self.constraints.columns
  local held, out, column = {}, triplets(), 0
  for _, piece in ipairs(self._pieces) do
    local rank = #piece.taken
    if rank > 0 then
      local rows = self.basis:select(piece.taken, piece.columns):dense()
      local q = core.dense_qr(core.dense_transpose(rows), true):table()
      for k, row in ipairs(piece.columns) do
        held[row] = true
        for j = rank + 1, #piece.columns do
          out:add(row, column + j - rank - 1, number_at(q[k], j))
        end
      end
      column = column + #piece.columns - rank
    end
  end
  for row = 0, n - 1 do
    if not held[row] then
      out:add(row, column, 1)
      column = column + 1
    end
  end
  return out:matrix(n, column)
end

--- Solves A x = b in the free directions with C x = c: conjugate gradients on S A S + I - S.
function methods:solve(a, b, c, given)
  row_space.check("projection:solve", "the matrix", a, self.constraints.columns)
  local z = c and self:particular(c) or core.array_filled(self.constraints.columns, 0)
  local right = self:apply(flat(b) - a * z)
  local y, info = krylov.cg(function(x)
    local free = self:apply(x)
    return self:apply(a * free) + (x - free)
  end, right, given)
  local x = y + z
  info.multipliers = self:multipliers(flat(b) - a * x)
  info.particular, info.free = z, y
  return grouped(x, b), info
end

M.methods = methods
return M
