-- Neo-Hookean solid with log J: infinite resistance to collapse, undefined for inverted elements.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local lame = require "basin.std.material.lame"

return term.define {
  name = "neo_hookean",
  doc = "mu/2 (|F|^2 - d) - mu log J + lambda/2 log(J)^2; needs J > 0 (see the inversion filter)",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "shear modulus, Pa" }, { "lambda", "second Lame parameter, Pa" } },
  energy = function(F, mu, lambda)
    local log_J = F:det():log()
    return 0.5 * mu * (F:squared_norm() - F.rows) - mu * log_J + 0.5 * lambda * log_J ^ 2
  end,
  material = function(options) return lame.options("neo_hookean", options) end,
  positive = true, -- defined for positive determinants only
  reference = "J. Bonet, R. Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, "
    .. "2nd ed., Cambridge University Press, 2008, eq. 6.28",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
  },
}
