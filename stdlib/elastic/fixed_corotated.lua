-- Fixed corotated solid: distance from the rotations plus a penalty on volume change.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local rotation = require "basin.std.elastic.rotation"
local lame = require "basin.std.material.lame"

return term.define {
  name = "fixed_corotated",
  doc = "mu |F - R|^2 + lambda/2 (J - 1)^2 with R the rotation closest to F",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "shear modulus, Pa" }, { "lambda", "second Lame parameter, Pa" } },
  energy = function(F, mu, lambda)
    return mu * rotation.squared_distance(F) + 0.5 * lambda * (F:det() - 1) ^ 2
  end,
  material = function(options) return lame.options("fixed_corotated", options) end,
  reference = "A. Stomakhin, R. Howes, C. Schroeder, J. Teran, Energetically Consistent Invertible "
    .. "Elasticity, Symposium on Computer Animation, 2012, section 3.3",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0, lambda = 7.0 },
  },
  singular = {
    { F = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } }, mu = 3.0, lambda = 7.0 },
    { F = { { 1, 0 }, { 0, -1 } }, mu = 3.0, lambda = 7.0 },
  },
}
