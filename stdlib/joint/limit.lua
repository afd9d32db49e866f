-- A coordinate of a joint stays between two bounds.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "limit",
  doc = "strength |overshoot|^3 / (upper - lower)^3 beyond a bound, 0 between them",
  stencil = { { "x", "coordinate: angle or length" } },
  params = {
    { "lower", "bound" }, { "upper", "bound" }, { "strength", "J" },
  },
  energy = function(x, lower, upper, strength)
    local over = basin.max(basin.max(x - upper, lower - x), 0) / (upper - lower)
    return strength * over ^ 3
  end,
  reference = "the penalty of an inequality constraint, of third order: twice smooth at the bounds",
  checks = {
    { x = { { 0.2 } }, lower = -1.0, upper = 1.0, strength = 10.0 },
    { x = { { 1.4 } }, lower = -1.0, upper = 1.0, strength = 10.0 },
    { x = { { -1.7 } }, lower = -1.0, upper = 1.0, strength = 10.0 },
  },
}
