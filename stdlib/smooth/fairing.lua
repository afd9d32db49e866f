-- Implicit smoothing, stable for steps of any size.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

---std.smooth.fairing(points, laplacian, step, mass): one backward Euler step of diffusion.
---Without a mass the laplacian is an umbrella U: (I - step U) p' = p, not symmetric, by L U. With
---one it is a stiffness C, such as a cotangent matrix: (M + step C) p' = M p, by Cholesky.
---Source: Desbrun, Meyer, Schroeder and Barr, Implicit Fairing of Irregular Meshes Using Diffusion
---and Curvature Flow, SIGGRAPH 1999, sections 2 and 5.
return function(points, laplacian, step, mass)
  local p = basin.array.from(points)
  if mass then
    return (mass + step * laplacian):factorize("cholesky"):solve(mass * p)
  end
  return (basin.sparse.identity(laplacian.rows) - step * laplacian):factorize("lu"):solve(p)
end
