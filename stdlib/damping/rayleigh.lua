-- Rayleigh damping over one step, stiffness part: viscous resistance to change of strain.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "rayleigh",
  doc = "ratio/dt (mu |dE|^2 + lambda/2 tr(dE)^2), dE the change of Green's strain in the step",
  stencil = { { "F", "deformation gradient" }, { "F_last", "at the last step" } },
  params = {
    { "mu", "shear modulus, Pa" }, { "lambda", "second Lame parameter, Pa" },
    { "ratio", "damping force over stiffness, s" }, { "dt", "time step, s" },
  },
  -- At rest this is ratio times the linear stiffness, the beta of Rayleigh's damping matrix; unlike
  -- that matrix it resists no rotation.
  energy = function(F, F_last, mu, lambda, ratio, dt)
    local change = 0.5 * (F:T() * F - F_last:T() * F_last)
    return ratio / dt * (mu * change:squared_norm() + 0.5 * lambda * change:trace() ^ 2)
  end,
  constants = { F_last = true },
  reference = "Rayleigh's dissipation function in Green's strain (Kelvin-Voigt material), see "
    .. "J. Simo, T. Hughes, Computational Inelasticity, Springer, 1998, chapter 10",
  checks = {
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } },
      F_last = { { 1.2, 0.1, -0.1 }, { 0.4, 0.8, 0.2 }, { 0, -0.3, 1 } },
      mu = 3.0, lambda = 7.0, ratio = 0.1, dt = 0.01 },
    { F = { { 1, 0 }, { 0, 1 } }, F_last = { { 1, 0 }, { 0, 1 } }, mu = 3.0, lambda = 7.0,
      ratio = 0.1, dt = 0.01 },
  },
}
