-- Geometry of a hinge: two triangles that share an edge. Rows of x: the edge, then both tips.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

local function parts(x)
  local edge = x:row(2) - x:row(1)
  return edge, edge:cross(x:row(3) - x:row(1)), (x:row(4) - x:row(1)):cross(edge)
end

---Signed angle between the triangles, 0 when flat, in (-pi, pi): atan2 of sine and cosine of the
---angle between their normals n1 and n2 about the edge; |e| n1.b is the sine's part as a product of
---lengths, since (n1 x n2).e / |e| = -|e| n1.b for n1 = e x a, n2 = b x e.
function M.angle(x)
  local edge, n1, n2 = parts(x)
  return (-(edge:norm() * n1:dot(x:row(4) - x:row(1)))):atan2(n1:dot(n2))
end

---3 |e|^2 / (A1 + A2): the weight of a hinge, from its rest shape.
function M.weight(x)
  local edge, n1, n2 = parts(x)
  return 6 * edge:squared_norm() / (n1:norm() + n2:norm())
end

return M
