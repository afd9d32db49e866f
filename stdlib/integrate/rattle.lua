-- RATTLE: velocity Verlet with constraints on positions and velocities; second order, symplectic.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "rattle",
  doc = "x' = x + h v + h^2/2 a + W J(x)^T y with c(x') = 0, v' = (x' - x) / h + h/2 a(x'), "
    .. "projected to J(x') v' = 0; without constraints this is velocity Verlet",
  reference = "H. C. Andersen, Rattle: A Velocity Version of the Shake Algorithm for Molecular "
    .. "Dynamics Calculations, J. Comput. Phys. 52, 1983",
  options = constrained.options,
  step = function(self, h)
    local system, rows = self.system, self.rows
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local J = rows:jacobian()
    local moved, y, iterations = constrained.along(self, J, x + h * v + h ^ 2 / 2 * a)
    system:set_position(moved)
    v = (moved - x) / h + h / 2 * system:acceleration()
    self:move(moved, rows:projected(rows:jacobian(), v))
    self.multipliers = 2 / h ^ 2 * y
    return iterations
  end,
}
