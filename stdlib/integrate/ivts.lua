-- Implicit velocity projection: directions at the end of the step, by repeated exact solves.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "ivts",
  doc = "v' = v + h a, x' = x + h v', then `iterations` times v' += W J(x')^T y with J(x') v' = "
    .. "-(beta/h) c(x), x' = x + h v'",
  reference = "vts (Anitescu and Potra 1997) with J at the end of the step, met by fixed point",
  options = {
    { "beta", "nonnegative", 0.2, "the part of the error that a step takes back" },
    { "iterations", "count", 10, "projections a step" },
  },
  step = function(self, h)
    local system, rows = self.system, self.rows
    local x, v = system:position(), system:velocity() + h * system:acceleration()
    local bias, sum = self.options.beta / h * rows:values(), nil
    for _ = 1, self.options.iterations do
      system:set_position(x + h * v)
      local J = rows:jacobian()
      local y = -rows:solve(J, J, J * v + bias)
      v, sum = v + rows:pull(J, y), sum and sum + y or y
    end
    self:move(x + h * v, v)
    self.multipliers = sum / h
    return self.options.iterations
  end,
}
