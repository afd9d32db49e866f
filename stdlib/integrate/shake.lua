-- SHAKE: Verlet with constraints, pulled along the directions of the start of the step.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "shake",
  doc = "x' = x + h v + h^2 a + W J(x)^T y with c(x') = 0, v' = (x' - x) / h",
  reference = "J.-P. Ryckaert, G. Ciccotti, H. Berendsen, Numerical Integration of the Cartesian "
    .. "Equations of Motion of a System with Constraints, J. Comput. Phys. 23, 1977",
  options = constrained.options,
  step = function(self, h)
    local system = self.system
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local J = self.rows:jacobian()
    local moved, y, iterations = constrained.along(self, J, x + h * v + h ^ 2 * a)
    self:move(moved, (moved - x) / h)
    self.multipliers = y / h ^ 2
    return iterations
  end,
}
