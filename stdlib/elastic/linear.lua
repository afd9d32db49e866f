-- Linear elasticity: quadratic in the small strain, not invariant under rotations.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"
local lame = require "basin.std.material.lame"

return term.define {
  name = "linear",
  doc = "mu |e|^2 + lambda/2 tr(e)^2 with the small strain e = (F + F^T)/2 - I; constant Hessian",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "shear modulus, Pa" }, { "lambda", "second Lame parameter, Pa" } },
  energy = function(F, mu, lambda)
    local strain = 0.5 * (F + F:T()) - basin.identity(F.rows)
    return mu * strain:squared_norm() + 0.5 * lambda * strain:trace() ^ 2
  end,
  material = function(options) return lame.options("linear", options) end,
  rotates = false, -- a rotation costs energy
  reference = "L. Landau, E. Lifshitz, Theory of Elasticity, 3rd ed., 1986, eq. 4.1",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
  },
}
