-- St. Venant-Kirchhoff solid or membrane: quadratic in Green's strain.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"
local lame = require "basin.std.material.lame"

return term.define {
  name = "st_venant_kirchhoff",
  doc = "mu |E|^2 + lambda/2 tr(E)^2 with Green's strain E = (F^T F - I)/2",
  stencil = { { "F", "deformation gradient, d x d, or 3 x 2 of a membrane" } },
  params = { { "mu", "shear modulus, Pa" }, { "lambda", "second Lame parameter, Pa" } },
  energy = function(F, mu, lambda)
    local strain = 0.5 * (F:T() * F - basin.identity(F.cols))
    return mu * strain:squared_norm() + 0.5 * lambda * strain:trace() ^ 2
  end,
  material = function(options) return lame.options("st_venant_kirchhoff", options) end,
  reference = "J. Bonet, R. Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, "
    .. "2nd ed., Cambridge University Press, 2008, section 6.4.1",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 }, { 0.4, 0.1 } }, mu = 3.0, lambda = 7.0 },
  },
}
