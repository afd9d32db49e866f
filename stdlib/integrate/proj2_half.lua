-- Double projection with half of the acceleration before and half after.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "proj2_half",
  doc = "x' = the point of c = 0 closest to x + h v + h^2/2 a in the mass metric, v' = "
    .. "(x' - x) / h + h/2 a(x') projected to J(x') v' = 0",
  reference = "rattle (Andersen 1983) with the closest point in place of old directions",
  options = constrained.options,
  step = function(self, h)
    local system, rows = self.system, self.rows
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local moved, y, iterations = constrained.closest(self, x + h * v + h ^ 2 / 2 * a)
    system:set_position(moved)
    v = (moved - x) / h + h / 2 * system:acceleration()
    self:move(moved, rows:projected(rows:jacobian(), v))
    self.multipliers = 2 / h ^ 2 * y
    return iterations
  end,
}
