-- A point that may only move along a line.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "rail",
  doc = "stiffness/2 of the squared part of b - a across the direction n",
  stencil = {
    { "a", "point on the line" }, { "b", "point" }, { "n", "direction of the line, any length" },
  },
  params = { { "stiffness", "N/m" } },
  energy = function(a, b, n, stiffness)
    return 0.5 * stiffness * n:cross(b - a):squared_norm() / n:squared_norm()
  end,
  reference = "the quadratic penalty of an equality constraint",
  checks = {
    { a = { { 1 }, { 2 }, { 3 } }, b = { { 0.5 }, { 2.5 }, { 3 } }, n = { { 0.2 }, { 0.9 }, { 0 } },
      stiffness = 2.0 },
    { a = { { 1 }, { 2 }, { 3 } }, b = { { 1 }, { 5 }, { 3 } }, n = { { 0 }, { 1 }, { 0 } },
      stiffness = 2.0 },
  },
}
