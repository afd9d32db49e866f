-- As rigid as possible: the distance of the deformation gradient from the rotations.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local rotation = require "basin.std.elastic.rotation"
local lame = require "basin.std.material.lame"

return term.define {
  name = "arap",
  doc = "mu/2 |F - R|^2 with R the rotation closest to F, in the plane or in space",
  stencil = { { "F", "deformation gradient, d x d" } },
  params = { { "mu", "stiffness, Pa" } },
  energy = function(F, mu) return 0.5 * mu * rotation.squared_distance(F) end,
  material = function(options)
    local values = lame.options("arap", options)
    return values == options and options or { mu = 2 * values.mu }
  end,
  reference = "I. Chao, U. Pinkall, P. Sanan, P. Schroeder, A Simple Geometric Model for Elastic "
    .. "Deformations, ACM Trans. Graph. 29(4), 2010, eq. 4",
  checks = {
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mu = 3.0 },
    { F = { { 1.3, 0.2, -0.1 }, { 0.4, 0.7, 0.2 }, { 0.1, -0.3, 1.1 } }, mu = 3.0 },
    { F = { { -0.9, 0.2, 0.1 }, { 0.1, 0.8, 0.3 }, { 0.2, -0.1, 1.2 } }, mu = 3.0 },
    { F = { { 1.1, 0.3 }, { -0.2, 0.8 } }, mu = 3.0 },
  },
  singular = {
    { F = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, mu = 3.0 },
    { F = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } }, mu = 3.0 },
    { F = { { 1, 0 }, { 0, -1 } }, mu = 3.0 },
  },
}
