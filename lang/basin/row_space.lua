-- Rows of constraints: pieces that share no unknown, rows that depend on others, singular values.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"

local M = {}

M.DEFAULT_CUT = 1e-10
-- Pieces with more numbers are not decomposed.
local LARGEST_PIECE <const> = 2 ^ 24

--- Fails unless the value is a sparse matrix of so many columns (nil: any).
function M.check(where, what, value, columns)
  if getmetatable(value) ~= "basin.matrix" then
    errors.fail_hint("ARGUMENT", "basin.sparse.from { … } makes one of rows of numbers",
      "%s: %s must be a sparse matrix, got a %s", where, what,
      require("basin.options").type_name(value))
  end
  if columns and value.columns ~= columns then
    errors.fail("SHAPE", "%s: %s must have %d columns, one an unknown; it has %d", where, what,
      columns, value.columns)
  end
  return value
end

local function root(parent, i)
  while parent[i] ~= i do
    parent[i] = parent[parent[i]]
    i = parent[i]
  end
  return i
end

--- Rows and columns of the pieces, from 0, ascending; a row without entries is a piece of its own.
function M.pieces(matrix)
  local csr = matrix:csr()
  local starts, columns, values = csr.starts:table(), csr.columns:table(), csr.values:table()
  local parent, owner = {}, {}
  for i = 1, matrix.rows do parent[i] = i end
  for i = 1, matrix.rows do
    for k = starts[i] + 1, starts[i + 1] do
      local column = columns[k]
      if values[k] ~= 0 then
        if owner[column] then
          local a, b = root(parent, i), root(parent, owner[column])
          parent[math.max(a, b)] = math.min(a, b)
        else
          owner[column] = i
        end
      end
    end
  end
  local pieces, of = {}, {}
  for i = 1, matrix.rows do
    local r = root(parent, i)
    if not of[r] then
      of[r] = { rows = {}, columns = {} }
      pieces[#pieces + 1] = of[r]
    end
    table.insert(of[r].rows, i - 1)
  end
  for column = 0, matrix.columns - 1 do
    if owner[column] then table.insert(of[root(parent, owner[column])].columns, column) end
  end
  return pieces
end

--- A piece as an array of one row an instance; nil if it is too large.
function M.dense_piece(matrix, piece)
  if #piece.rows * #piece.columns > LARGEST_PIECE then return nil end
  return matrix:select(piece.rows, piece.columns):dense()
end

--- Rows (from 0, ascending) that do not depend on others, and those that do: pivoted QR of each
--- piece, with diagonal entries up to cut times the largest taken for zero. A piece that is too
--- large is kept whole.
function M.independent(matrix, cut)
  local pieces, largest, found = M.pieces(matrix), 0, {}
  for i, piece in ipairs(pieces) do
    local dense = #piece.columns > 0 and M.dense_piece(matrix, piece)
    if dense then
      local _, r, order = core.dense_qr(core.dense_transpose(dense), false, true)
      local entry, triangle = { order = order:table(), sizes = {} }, r:table()
      for k = 1, math.min(#piece.rows, #piece.columns) do
        local row = triangle[k]
        entry.sizes[k] = math.abs(type(row) == "table" and row[k] or row)
      end
      largest = math.max(largest, entry.sizes[1])
      found[i] = entry
    end
  end
  local kept, dropped = {}, {}
  for i, piece in ipairs(pieces) do
    local entry = found[i]
    for k, row in ipairs(piece.rows) do
      if entry then row = piece.rows[math.tointeger(entry.order[k]) + 1] end
      local size = entry and (entry.sizes[k] or 0)
      local keep = #piece.columns > 0 and (not entry or size > cut * largest)
      table.insert(keep and kept or dropped, row)
    end
  end
  table.sort(kept)
  table.sort(dropped)
  return kept, dropped
end

return M
