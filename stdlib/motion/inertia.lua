-- Inertia of a point mass over one step of an implicit integrator.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "inertia",
  doc = "mass/2 |x - predicted|^2; the position without forces, gravity included, is `predicted`",
  stencil = { { "x", "position, any shape" }, { "predicted", "the same shape" } },
  params = { { "mass", "kg" } },
  energy = function(x, predicted, mass) return 0.5 * mass * (x - predicted):squared_norm() end,
  reference = "C. Kane, J. Marsden, M. Ortiz, M. West, Variational Integrators and the Newmark "
    .. "Algorithm, Int. J. Numer. Meth. Engng 49, 2000: one step of backward Euler as a minimum",
  checks = {
    { x = { { 1 }, { 2 }, { 3 } }, predicted = { { 0.5 }, { 2.5 }, { 3 } }, mass = 2.0 },
    { x = { { 1 }, { 2 } }, predicted = { { 1 }, { 2 } }, mass = 2.0 },
  },
}
