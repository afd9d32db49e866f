-- Two orientations that are to be the same, or to differ by a given rotation.
-- SPDX-License-Identifier: Apache-2.0
local quaternion = require "basin.std.rotation.quaternion"
local M = {}

---The error, 3 rows, zero where p1* p2 = target (unit quaternions; without target, 1): the vector
---part of target* p1* p2. Orientations p1 and p2 rotate joint frames to the world.
function M.error(p1, p2, target)
  local q = quaternion.product(quaternion.conjugate(p1), p2)
  if target then q = quaternion.product(quaternion.conjugate(target), q) end
  return quaternion.vector(q)
end

---J with d error/dt = J (w1 - w2) for angular velocities of the world frame: -G(p1 target)
---E(p2)^T / 2.
function M.jacobian(p1, p2, target)
  local p = target and quaternion.product(p1, target) or p1
  return -0.5 * quaternion.G(p) * quaternion.E(p2):T()
end

return M
