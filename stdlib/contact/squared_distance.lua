-- Squared distances of points, lines and planes; rows of p are points, in the order of the names.
-- SPDX-License-Identifier: Apache-2.0
-- Each is the distance of the named features extended without end (point to line, point to plane,
-- line to line): which of them is nearest is decided by contact detection.
local basin = require "basin"
local M = {}

---|p1 - p2|^2; p: 2 x d
function M.point_point(p) return (p:row(1) - p:row(2)):squared_norm() end

---Point p1 to the line through p2, p3; p: 3 x 3
function M.point_edge(p)
  local a, b = p:row(2), p:row(3)
  return (a - p:row(1)):cross(b - p:row(1)):squared_norm() / (b - a):squared_norm()
end

---Point p1 to the plane of p2, p3, p4; p: 4 x 3
function M.point_triangle(p)
  local normal = (p:row(3) - p:row(2)):cross(p:row(4) - p:row(2))
  return (p:row(1) - p:row(2)):dot(normal) ^ 2 / normal:squared_norm()
end

---Line p1 p2 to line p3 p4, not parallel; p: 4 x 3
function M.edge_edge(p)
  local normal = (p:row(2) - p:row(1)):cross(p:row(4) - p:row(3))
  return (p:row(3) - p:row(1)):dot(normal) ^ 2 / normal:squared_norm()
end

---s (2 - s) with s = x / scale, and 1 from s = 1 on.
function M.mollifier(x, scale)
  local s = x / scale
  return basin.where(s:lt(1), s * (2 - s), 1)
end

---The mollifier of x = |e1 x e2|^2: multiplied with the energy of an edge pair it keeps derivatives
---bounded as the edges become parallel. The usual scale is 1e-3 |e1|^2 |e2|^2 of the rest shape
---(Incremental Potential Contact, 2020, eq. 24).
function M.edge_edge_mollifier(p, scale)
  local normal = (p:row(2) - p:row(1)):cross(p:row(4) - p:row(3))
  return M.mollifier(normal:squared_norm(), scale)
end

return M
