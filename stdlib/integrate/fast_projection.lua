-- Fast projection: a few linearized projections in the mass metric.
-- SPDX-License-Identifier: Apache-2.0
local constrained = require "basin.std.integrate.constrained"
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "fast_projection",
  doc = "x' = x + h v + h^2 a, then `iterations` times x' += W J^T y with J W J^T y = -c(x'), "
    .. "v' = (x' - x) / h",
  reference = "R. Goldenthal, D. Harmon, R. Fattal, M. Bercovier, E. Grinspun, Efficient "
    .. "Simulation of Inextensible Cloth, ACM Trans. Graph. 26, 2007, 4.2",
  options = {
    { "iterations", "count", 5, "projections a step" },
  },
  step = function(self, h)
    local system, count = self.system, self.options.iterations
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    local moved, y = constrained.repeated(self, x + h * v + h ^ 2 * a, count)
    self:move(moved, (moved - x) / h)
    self.multipliers = y / h ^ 2
    return count
  end,
}
