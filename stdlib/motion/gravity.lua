-- The potential of a constant force field.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "gravity",
  doc = "-mass a.x, where a is the acceleration of free fall, for example (0, -9.8, 0)",
  stencil = { { "x", "position, d x 1" } },
  params = { { "mass", "kg" }, { "acceleration", "m/s^2, d x 1" } },
  energy = function(x, mass, acceleration) return -(mass * x:dot(acceleration)) end,
  reference = "the potential energy of a uniform field",
  checks = {
    { x = { { 1 }, { 2 }, { 3 } }, mass = 2.0, acceleration = { { 0 }, { -9.8 }, { 1 } } },
  },
}
