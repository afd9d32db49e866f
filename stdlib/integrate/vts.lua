-- Velocity time-stepping: one exact solve on velocities, directions at the start of the step.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "vts",
  doc = "v' = v + h a + W J(x)^T y with J(x) v' = -(beta/h) c(x), x' = x + h v'",
  reference = "M. Anitescu, F. A. Potra, Formulating Dynamic Multi-Rigid-Body Contact Problems "
    .. "with Friction as Solvable Linear Complementarity Problems, Nonlinear Dynamics 14, 1997; "
    .. "beta: J. Baumgarte, Stabilization of Constraints and Integrals of Motion, CMAME 1, 1972",
  options = {
    { "beta", "nonnegative", 0.2, "the part of the error that a step takes back" },
  },
  step = function(self, h)
    local system, rows = self.system, self.rows
    local c, J = rows:values(), rows:jacobian()
    local x, v = system:position(), system:velocity() + h * system:acceleration()
    local y = -rows:solve(J, J, J * v + self.options.beta / h * c)
    v = v + rows:pull(J, y)
    self:move(x + h * v, v)
    self.multipliers = y / h
  end,
}
