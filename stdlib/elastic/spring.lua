-- A linear spring between two points.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "spring",
  doc = "k/2 (|x1 - x2| - rest)^2",
  stencil = { { "x", "the two ends, one a row" } },
  params = { { "rest", "rest length, m" }, { "stiffness", "k, N/m" } },
  energy = function(x, rest, stiffness)
    return 0.5 * stiffness * ((x:row(1) - x:row(2)):norm() - rest) ^ 2
  end,
  reference = "Hooke's law",
  checks = {
    { x = { { 0, 0, 0 }, { 1, 0, 0 } }, rest = 1.0, stiffness = 4.0 },
    { x = { { 0.3, -0.2, 0.5 }, { 0.9, 0.4, 0.1 } }, rest = 2.0, stiffness = 4.0 },
    { x = { { 0.3, -0.2 }, { 1.9, 0.4 } }, rest = 0.5, stiffness = 4.0 },
    { x = { { 0.3, -0.2 }, { 1.9, 0.4 } }, rest = 0.0, stiffness = 4.0 },
  },
  singular = { { x = { { 1, 2, 3 }, { 1, 2, 3 } }, rest = 0.5, stiffness = 4.0 } },
}
