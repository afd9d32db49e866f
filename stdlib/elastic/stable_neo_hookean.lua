-- Stable neo-Hookean solid without a logarithm: rest-stable, defined for inverted elements.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local lame = require "basin.std.material.lame"

return term.define {
  name = "stable_neo_hookean",
  doc = "mu/2 (|F|^2 - d) - mu (J - 1) + lambda/2 (J - 1)^2, per rest volume",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "first parameter, Pa" }, { "lambda", "second parameter, Pa" } },
  energy = function(F, mu, lambda)
    local stretch = F:det() - 1
    return 0.5 * mu * (F:squared_norm() - F.rows) - mu * stretch + 0.5 * lambda * stretch ^ 2
  end,
  material = function(options) return lame.options("stable_neo_hookean", options, lame.stable) end,
  reference = "B. Smith, F. de Goes, T. Kim, Stable Neo-Hookean Flesh Simulation, "
    .. "ACM Trans. Graph. 37(2), 2018, eq. 13 before the regularized origin barrier",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
  },
}
