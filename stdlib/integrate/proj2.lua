-- Double projection: step and project, then the velocities too.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "proj2",
  doc = "x' = the point of c = 0 closest to x + h v + h^2 a in the mass metric, v' = (x' - x) / h "
    .. "projected to J(x') v' = 0",
  reference = "sap followed by the velocity projection of Andersen 1983 (rattle)",
  options = constrained.options,
  step = function(self, h)
    local system, rows = self.system, self.rows
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local moved, y, iterations = constrained.closest(self, x + h * v + h ^ 2 * a)
    system:set_position(moved)
    self:move(moved, rows:projected(rows:jacobian(), (moved - x) / h))
    self.multipliers = y / h ^ 2
    return iterations
  end,
}
