-- The deformation gradient of simplices with linear shape functions.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local M = {}

-- Edges from the first corner as columns; x: one corner a row.
local function edge_matrix(x)
  local edges = {}
  for k = 2, x.rows do edges[k - 1] = x:row(k) - x:row(1) end
  return basin.columns(edges)
end
M.edge_matrix = edge_matrix

local FACTORIAL <const> = { 1, 2, 6 }

---F and the rest measure (volume, area or length) of simplices: x and X have one corner a row.
---X may have fewer columns than x, as the rest shape of a triangle in its own plane has.
function M.gradient(x, X)
  local rest = edge_matrix(X)
  return edge_matrix(x) * rest:inverse(), rest:det() / FACTORIAL[X.rows - 1]
end

---F (3 x 2) and the rest area of triangles in space, in coordinates of the rest triangle's own
---plane: the first along its first edge.
function M.membrane(x, X)
  local a, b = X:row(2) - X:row(1), X:row(3) - X:row(1)
  local length, doubled = a:norm(), a:cross(b):norm()
  local rest_inverse = basin.matrix {
    { 1 / length, -(a:dot(b) / (length * doubled)) },
    { 0, length / doubled },
  }
  return edge_matrix(x) * rest_inverse, 0.5 * doubled
end

return M
