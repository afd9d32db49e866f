-- Two orientations that may differ by a turn about an axis of their joint frames.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local locked = require "basin.std.rotation.locked"
local M = {}

local function vector(value)
  if type(value) == "table" and not getmetatable(value) then return basin.vector(value) end
  return value
end

---The error, 2 rows, zero where p1* p2 is a turn about a x b; a and b: perpendicular unit vectors
---of the joint frame.
function M.error(p1, p2, a, b)
  local g = locked.error(p1, p2)
  return basin.vector { vector(a):dot(g), vector(b):dot(g) }
end

---J, 2 x 3, with d error/dt = J (w1 - w2).
function M.jacobian(p1, p2, a, b)
  local J = locked.jacobian(p1, p2)
  return basin.rows { (J:T() * vector(a)):T(), (J:T() * vector(b)):T() }
end

return M
