-- Verlet in positions: explicit, of second order in the positions, symplectic.
-- SPDX-License-Identifier: Apache-2.0
local stepper = require "basin.std.integrate.stepper"

-- h v is x less the position before, so that v is all that a step must remember.
return stepper.define {
  name = "verlet",
  doc = "x' = 2 x - x_ + h^2 a(x), v' = (x' - x) / h",
  reference = "L. Verlet, Computer Experiments on Classical Fluids I, Phys. Rev. 159, 1967",
  constraints = false,
  step = function(self, h)
    local system = self.system
    local x = system:position()
    local d = h * system:velocity() + h ^ 2 * system:acceleration()
    self:move(x + d, d / h)
  end,
}
