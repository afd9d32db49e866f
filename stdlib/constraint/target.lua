-- A point tied to a place, which may move.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "target",
  doc = "stiffness/2 |x - place|^2",
  stencil = { { "x", "position, any shape" }, { "place", "the same shape" } },
  params = { { "stiffness", "N/m" } },
  energy = function(x, place, stiffness) return 0.5 * stiffness * (x - place):squared_norm() end,
  reference = "the quadratic penalty of an equality constraint",
  checks = {
    { x = { { 1 }, { 2 }, { 3 } }, place = { { 0.5 }, { 2.5 }, { 3 } }, stiffness = 2.0 },
  },
}
