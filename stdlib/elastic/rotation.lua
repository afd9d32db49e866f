-- What corotational terms share: the distance of F from the rotations.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local M = {}

---|F - R|^2 with R the closest rotation (det +1). Written as |F|^2 - 2 R.F + d: R.F has the exact
---derivative R, so that one differentiation of the polar decomposition gives the whole Hessian.
function M.squared_distance(F)
  local R = F:polar()
  local overlap = basin.custom(R:dot(F), { F }, { R:reshape(1, F.rows * F.cols) })
  return F:squared_norm() - 2 * overlap + F.rows
end

return M
