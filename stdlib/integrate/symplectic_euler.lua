-- Symplectic Euler: velocities first, then positions with the new velocities.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

return stepper.define {
  name = "symplectic_euler",
  doc = "v' = v + h a(x), x' = x + h v'",
  reference = "E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, I.1.2",
  constraints = false,
  step = function(self, h)
    local system = self.system
    local v = system:velocity() + h * system:acceleration()
    self:move(system:position() + h * v, v)
  end,
}
