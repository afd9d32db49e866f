-- Weights of secondary motion: the smoothest fields that a rig cannot make.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

---std.rig.modes(stiffness, mass, rows, count): weights (a column each, orthonormal in the mass),
---their eigenvalues: the lowest modes of S w = lambda M w with rows * w = 0. The rows may depend on
---each other. Source: as of std.rig.linear.
return function(stiffness, mass, rows, count)
  local values, weights = basin.sparse.eigen(stiffness, { mass = mass, constraints = rows,
    count = count })
  return weights, values
end
