-- Stable neo-Hookean solid with the logarithmic term that keeps flattened elements from locking.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local lame = require "basin.std.material.lame"

return term.define {
  name = "stable_neo_hookean_log",
  doc = "mu/2 (|F|^2 - d) - mu/2 log(|F|^2 + 1) + lambda/2 (J - a)^2, a = 1 + mu/lambda d/(d + 1)",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "first parameter, Pa" }, { "lambda", "second parameter, Pa" } },
  energy = function(F, mu, lambda)
    local d, squared = F.rows, F:squared_norm()
    local stretch = F:det() - (1 + d / (d + 1) * mu / lambda)
    return 0.5 * mu * (squared - d - (squared + 1):log()) + 0.5 * lambda * stretch ^ 2
  end,
  material = function(options)
    return lame.options("stable_neo_hookean_log", options, lame.stable_log)
  end,
  reference = "B. Smith, F. de Goes, T. Kim, Stable Neo-Hookean Flesh Simulation, "
    .. "ACM Trans. Graph. 37(2), 2018, eq. 14",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
  },
  singular = { { F = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, mu = 3.0, lambda = 7.0 } },
}
