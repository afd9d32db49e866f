-- St. Venant-Kirchhoff membrane: a sheet under plane stress.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local st_venant_kirchhoff = require "basin.std.elastic.st_venant_kirchhoff"
local lame = require "basin.std.material.lame"

return term.define {
  name = "stvk_membrane",
  doc = "mu |E|^2 + lambda/2 tr(E)^2, per rest area and thickness, under plane stress",
  stencil = { { "F", "deformation gradient of a triangle, 3 x 2" } },
  params = { { "mu", "shear modulus, Pa" }, { "lambda", "plane-stress parameter, Pa" } },
  energy = st_venant_kirchhoff.energy,
  material = function(options)
    return lame.options("stvk_membrane", options, nil, lame.plane_stress)
  end,
  reference = "P. Volino, N. Magnenat-Thalmann, F. Faure, A Simple Approach to Nonlinear Tensile "
    .. "Stiffness for Accurate Cloth Simulation, ACM Trans. Graph. 28(4), 2009",
  checks = {
    { F = { { 1, 0 }, { 0, 1 }, { 0, 0 } }, mu = 3.0, lambda = 2.0 },
    { F = { { 1.2, 0.3 }, { -0.2, 0.7 }, { 0.5, 0.1 } }, mu = 3.0, lambda = 2.0 },
    { F = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, mu = 3.0, lambda = 2.0 },
  },
}
