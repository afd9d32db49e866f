-- Two points that shall be one.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "coincidence",
  doc = "stiffness/2 |a - b|^2",
  stencil = { { "a", "point" }, { "b", "point" } },
  params = { { "stiffness", "N/m" } },
  energy = function(a, b, stiffness) return 0.5 * stiffness * (a - b):squared_norm() end,
  reference = "the quadratic penalty of an equality constraint",
  checks = {
    { a = { { 1 }, { 2 }, { 3 } }, b = { { 0.5 }, { 2.5 }, { 3 } }, stiffness = 2.0 },
  },
}
