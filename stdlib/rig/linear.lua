-- Linear maps of a rig: the columns that an affine handle moves, and rows that weights must meet.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local sparse = basin.sparse

local M = {}

---(X, 1): rest places and a one, a row a vertex.
function M.homogeneous(rest)
  local X = basin.array.from(rest)
  return sparse.columns { X, basin.array.filled(X.count, 1) }
end

---Columns of an affine handle: (X, 1) (x) I, coordinate by coordinate of the rest shape.
function M.affine(rest)
  local X = basin.array.from(rest)
  return M.homogeneous(X):kron(sparse.identity(X.size))
end

---Rows that keep weights w complementary: c_cij(w) = sum_v A[c, v i] (X_v, 1)_j w_v for the rows of
---a constraint A on displacements. Source: Benchekroun and others, Fast Complementary Dynamics via
---Skinning Eigenmodes, ACM TOG 42(4), 2023.
function M.weight_rows(constraint, rest)
  local X = basin.array.from(rest)
  local d, n = X.size, X.count
  local H, parts = M.homogeneous(X), {}
  local coordinates = {}
  for j = 0, d do coordinates[j] = sparse.diagonal(H:select(nil, { j }):dense()) end
  for c = 0, constraint.rows - 1 do
    for i = 0, d - 1 do
      local entries = constraint:select({ c }, basin.array.range(i, n, d))
      for j = 0, d do parts[#parts + 1] = { entries * coordinates[j] } end
    end
  end
  return sparse.blocks(parts)
end

---Columns (w_k (X, 1)_j) e_i of weights w (an array of one row a vertex), made orthonormal in the
---mass; columns that depend on others are dropped.
function M.skinning(weights, rest, mass)
  local X = basin.array.from(rest)
  local H, W, parts = M.homogeneous(X), sparse.from(weights), {}
  for k = 0, W.columns - 1 do
    parts[k + 1] = sparse.diagonal(W:select(nil, { k }):dense()) * H
  end
  local B = sparse.blocks { parts }:kron(sparse.identity(X.size))
  local values, vectors = basin.dense.eigen(B:T() * mass * B)
  local kept, scale = {}, {}
  for j = 1, values.count do
    if values:at(j) > 1e-14 * values:at(values.count) then
      kept[#kept + 1] = j - 1
      scale[#scale + 1] = 1 / math.sqrt(values:at(j))
    end
  end
  return B * sparse.from(vectors):select(nil, kept) * sparse.diagonal(scale)
end

return M
