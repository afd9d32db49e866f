-- Implicit velocity projection by Gauss-Seidel over the constraints, in their order.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

-- In positions: with x' = x + h v' the row is J(x') (x' - x) = -beta c(x).
return stepper.define {
  name = "ivts_gs",
  doc = "v' = v + h a, then `sweeps` times for each row v' += W J(x')^T y with J(x') v' = "
    .. "-(beta/h) c(x), where x' = x + h v'",
  reference = "ivts, row by row as pbd (Müller et al. 2007)",
  options = {
    { "beta", "nonnegative", 0.2, "the part of the error that a step takes back" },
    { "sweeps", "count", 10, "passes over all rows a step" },
  },
  step = function(self, h)
    local system, rows, sweeps = self.system, self.rows, self.options.sweeps
    local x, v = system:position(), system:velocity() + h * system:acceleration()
    local bias = self.options.beta * rows:values()
    system:set_position(x + h * v)
    self.multipliers = rows:sweep { sweeps = sweeps, scale = 0, bias = bias, from = x } / h ^ 2
    local moved = system:position()
    self:move(moved, (moved - x) / h)
    return sweeps
  end,
}
