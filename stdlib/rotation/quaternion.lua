-- Rotations as unit quaternions, scalar first: expressions of 4 rows.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local M = {}

-- Tables of numbers become vectors.
local function vector(where, value, size)
  if type(value) == "table" and not getmetatable(value) then value = basin.vector(value) end
  if not basin.is_expression(value) or value.rows * value.cols ~= size then
    errors.fail("SHAPE", "std.rotation.quaternion.%s: a vector of %d is needed, got a %s", where,
      size, basin.is_expression(value) and ("%dx%d expression"):format(value.rows, value.cols)
      or options.type_name(value))
  end
  return value
end

local function quaternion(where, q)
  q = vector(where, q, 4)
  return q:at(1), basin.vector { q:at(2), q:at(3), q:at(4) }
end

-- [v] w = v x w.
local function cross_matrix(v)
  local x, y, z = v:at(1), v:at(2), v:at(3)
  return basin.matrix { { 0, -z, y }, { z, 0, -x }, { -y, x, 0 } }
end

---The Hamilton product p q: first q, then p.
function M.product(p, q)
  local s, v = quaternion("product", p)
  local t, w = quaternion("product", q)
  local u = s * w + t * v + v:cross(w)
  return basin.vector { s * t - v:dot(w), u:at(1), u:at(2), u:at(3) }
end

---The inverse of a unit quaternion.
function M.conjugate(q)
  local s, v = quaternion("conjugate", q)
  return basin.vector { s, -v:at(1), -v:at(2), -v:at(3) }
end

---The vector part, 3 rows: the axis times the sine of half the angle.
function M.vector(q)
  local _, v = quaternion("vector", q)
  return v
end

---The rotation matrix of a unit quaternion.
function M.matrix(q)
  local s, v = quaternion("matrix", q)
  return (s * s - v:dot(v)) * basin.identity(3) + 2 * v:outer(v) + 2 * s * cross_matrix(v)
end

---The vector x turned by q.
function M.rotate(q, x)
  local s, v = quaternion("rotate", q)
  x = vector("rotate", x, 3)
  local t = 2 * v:cross(x)
  return x + s * t + v:cross(t)
end

---The unit quaternion of a rotation vector: axis times angle in radians; safe at 0.
function M.exponential(w)
  w = vector("exponential", w, 3)
  local angle = w:norm()
  local factor = basin.where(angle:gt(1e-8), (0.5 * angle):sin() / angle, 0.5)
  return basin.vector { (0.5 * angle):cos(), factor * w:at(1), factor * w:at(2), factor * w:at(3) }
end

---dq/dt of an orientation that turns with the angular velocity w of the world frame: (0, w) q / 2.
function M.rate(q, w)
  w = vector("rate", w, 3)
  return 0.5 * M.product(basin.vector { 0, w:at(1), w:at(2), w:at(3) }, q)
end

-- [first, M], 3 x 4.
local function beside(first, M_)
  return basin.columns { first, M_:col(1), M_:col(2), M_:col(3) }
end

---T(q) = q_s I - [q_v], 3 x 3.
function M.T(q)
  local s, v = quaternion("T", q)
  return s * basin.identity(3) - cross_matrix(v)
end

---G(q) = [-q_v, T(q)], 3 x 4.
function M.G(q)
  local _, v = quaternion("G", q)
  return beside(-v, M.T(q))
end

---E(q) = [-q_v, T(q)^T], 3 x 4: the rate of q is E(q)^T w / 2.
function M.E(q)
  local _, v = quaternion("E", q)
  return beside(-v, M.T(q):T())
end

return M
