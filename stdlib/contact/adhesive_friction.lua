-- Resistance of sticky surfaces to slip: it holds until the bond tears, then lets go.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "adhesive_friction",
  doc = "coefficient force (y^2/slip - y^3/(3 slip^2)) of the slip y = |u|, constant from 2 slip",
  stencil = { { "u", "slip in two directions along the contact, 2 x 1" } },
  params = {
    { "force", "attraction at the lagged state, N" }, { "coefficient", "of friction" },
    { "slip", "length at which the resistance is largest, m" },
  },
  -- A function of y^2: smooth at rest.
  energy = function(u, force, coefficient, slip)
    local squared = u:squared_norm()
    local held = squared / slip - squared * squared:sqrt() / (3 * slip ^ 2)
    return coefficient * force * basin.where(squared:lt(4 * slip ^ 2), held, 4 / 3 * slip)
  end,
  reference = "Y. Fang, M. Li, Y. Cao, X. Li, J. Wolper, Y. Yang, C. Jiang, Augmented Incremental "
    .. "Potential Contact for Sticky Interactions, IEEE Trans. Vis. Comput. Graph., 2023; "
    .. "the potential begins at 0",
  checks = {
    { u = { { 0.001 }, { 0.002 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
    { u = { { 0.008 }, { 0.009 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
    { u = { { 0.1 }, { 0.2 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
  },
  singular = { { u = { { 0 }, { 0 } }, force = 3.0, coefficient = 0.5, slip = 0.01 } },
}
