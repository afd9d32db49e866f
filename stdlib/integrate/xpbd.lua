-- XPBD: position-based dynamics whose stiffness does not depend on the sweeps and the time step.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "xpbd",
  doc = "x' = x + h v + h^2 a, then `sweeps` times for each row of compliance s, with its sum m of "
    .. "multipliers, x' += W J^T y with (J W J^T + s/h^2) y = -(c + s/h^2 m), v' = (x' - x) / h",
  reference = "M. Macklin, M. Müller, N. Chentanez, XPBD: Position-Based Simulation of Compliant "
    .. "Constrained Dynamics, Motion in Games 2016",
  options = {
    { "sweeps", "count", 10, "passes over all rows a step" },
  },
  soft = true,
  step = function(self, h)
    local system, sweeps = self.system, self.options.sweeps
    local x, v, a = system:position(), system:velocity(), system:acceleration()
    system:set_position(x + h * v + h ^ 2 * a)
    self.multipliers = self.rows:sweep { sweeps = sweeps, scale = 1 / h ^ 2 } / h ^ 2
    local moved = system:position()
    self:move(moved, (moved - x) / h)
    return sweeps
  end,
}
