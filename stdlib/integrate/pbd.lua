-- Position-based dynamics: Gauss-Seidel over the constraints, in their order.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "pbd",
  doc = "x' = x + h v + h^2 a, then `sweeps` times for each row x' += W J^T y with J W J^T y = -c, "
    .. "v' = (x' - x) / h",
  reference = "M. Müller, B. Heidelberger, M. Hennix, J. Ratcliff, Position Based Dynamics, "
    .. "J. Vis. Commun. Image Represent. 18, 2007",
  options = {
    { "sweeps", "count", 10, "passes over all rows a step" },
  },
  step = function(self, h)
    local system, sweeps = self.system, self.options.sweeps
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    system:set_position(x + h * v + h ^ 2 * a)
    self.multipliers = self.rows:sweep { sweeps = sweeps, scale = 0 } / h ^ 2
    local moved = system:position()
    self:move(moved, (moved - x) / h)
    return sweeps
  end,
}
