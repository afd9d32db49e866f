-- Step and project: the closest point of the constraints in the mass metric.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "sap",
  doc = "x' = the point of c = 0 closest to x + h v + h^2 a in the mass metric, v' = (x' - x) / h",
  reference = "R. Goldenthal, D. Harmon, R. Fattal, M. Bercovier, E. Grinspun, Efficient "
    .. "Simulation of Inextensible Cloth, ACM Trans. Graph. 26, 2007, 4: step and project",
  options = constrained.options,
  step = function(self, h)
    local system = self.system
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local moved, y, iterations = constrained.closest(self, x + h * v + h ^ 2 * a)
    self:move(moved, (moved - x) / h)
    self.multipliers = y / h ^ 2
    return iterations
  end,
}
