-- Rayleigh damping over one step, mass part: resistance to velocity.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "drag",
  doc = "rate mass/(2 dt) |x - x_last|^2: the alpha of Rayleigh's damping matrix",
  stencil = { { "x", "position" }, { "x_last", "at the last step" } },
  params = { { "mass", "kg" }, { "rate", "1/s" }, { "dt", "time step, s" } },
  energy = function(x, x_last, mass, rate, dt)
    return 0.5 * rate * mass / dt * (x - x_last):squared_norm()
  end,
  constants = { x_last = true },
  reference = "Rayleigh's dissipation function, The Theory of Sound, 1877, section 81",
  checks = {
    { x = { { 1 }, { 2 }, { 3 } }, x_last = { { 0.9 }, { 2.1 }, { 3 } }, mass = 2.0, rate = 0.3,
      dt = 0.01 },
  },
}
