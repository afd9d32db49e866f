-- Pairs of close features: squared distance, mollifier and barrier of each kind.
-- SPDX-License-Identifier: Apache-2.0
-- p has one position a row. Mollified kinds come from nearly parallel edges p1 p2 and p3 p4, whose
-- closest features are the inside of both, p1 and the inside of p3 p4, or p1 and p3.
local basin = require "basin"
local squared_distance = require "basin.std.contact.squared_distance"
local M = {}

---Positions of a pair of each kind.
M.arities = {
  point_point = 2, point_edge = 3, point_triangle = 4, edge_edge = 4, mollified_edge_edge = 4,
  mollified_point_edge = 4, mollified_point_point = 4, point_plane = 1,
}

local distances <const> = {
  mollified_edge_edge = squared_distance.edge_edge,
  mollified_point_edge = function(p)
    return squared_distance.point_edge(basin.columns { p:row(1), p:row(3), p:row(4) }:T())
  end,
  mollified_point_point = function(p) return (p:row(1) - p:row(3)):squared_norm() end,
}

---The squared distance of a pair. `plane` (normal and offset, 4 numbers) for point_plane.
function M.squared_distance(kind, p, plane)
  if kind == "point_plane" then
    local n = basin.vector { plane:at(1), plane:at(2), plane:at(3) }
    return (p:row(1):T():dot(n) - plane:at(4)) ^ 2
  end
  return (distances[kind] or squared_distance[kind])(p)
end

---Distance squared D and reach of a barrier that begins `distance` beyond a separation: without one
---D and distance^2. The second result is the factor that makes `stiffness` one in N/m.
function M.scaled(D, distance, separation)
  if separation == nil then return D, distance ^ 2, distance ^ -2 end
  local reach = distance ^ 2 + 2 * distance * separation
  return D - separation ^ 2, reach, distance ^ 2 / reach ^ 2
end

---An energy of a pair that fades where edges become parallel; `threshold`: of mollified kinds.
function M.mollified(p, threshold, energy)
  if threshold == nil then return energy end
  return squared_distance.edge_edge_mollifier(p, threshold) * energy
end

---The barrier of a pair: stiffness distance^2 b(s), where s runs from 0 at contact to 1 where the
---barrier begins and b is the form, a term of squared distance (or of distance), at reach and
---stiffness 1. Options: form, distance, stiffness (N/m), separation, threshold (of mollified
---kinds), plane.
function M.barrier(kind, p, given)
  local D = M.squared_distance(kind, p, given.plane)
  if given.form.of_distance then
    local d = D:sqrt() - (given.separation or 0)
    return M.mollified(p, given.threshold, given.form(d, given.distance, given.stiffness))
  end
  local s, reach, scale = M.scaled(D, given.distance, given.separation)
  return M.mollified(p, given.threshold, given.form(s, reach, given.stiffness * scale))
end

---The normal force of such a barrier at a squared distance.
function M.force(D, given)
  if given.form.of_distance then
    return given.form.force(D:sqrt() - (given.separation or 0), given.distance, given.stiffness)
  end
  local s, reach, scale = M.scaled(D, given.distance, given.separation)
  -- The force belongs to the distance d, s = d^2 - separation^2: dE/dd = dE/ds 2 d.
  return given.form.force(s:sqrt(), reach, given.stiffness * scale) * (D / s):sqrt()
end

return M
