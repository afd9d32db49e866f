-- Bending of a hinge between two triangles: quadratic in the change of the signed angle.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local hinge = require "basin.std.shell.hinge"

return term.define {
  name = "hinge_bending",
  doc = "k w (angle - rest)^2 with the weight w = 3 |e|^2 / (A1 + A2) of the rest shape",
  stencil = { { "x", "edge, then both tips: 4 x 3" } },
  params = {
    { "rest", "rest angle, rad" }, { "weight", "of the rest shape" }, { "stiffness", "k, J" },
  },
  energy = function(x, rest, weight, stiffness)
    return stiffness * weight * (hinge.angle(x) - rest) ^ 2
  end,
  reference = "E. Grinspun, A. Hirani, M. Desbrun, P. Schroeder, Discrete Shells, Symposium on "
    .. "Computer Animation, 2003, section 4.1",
  checks = {
    { x = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.4, 1, 0 }, { 0.6, -1, 0 } }, rest = 0.0,
      weight = 2.0, stiffness = 0.7 },
    { x = { { 0, 0, 0 }, { 1, 0.1, 0 }, { 0.4, 1, 0.3 }, { 0.6, -1, 0.5 } }, rest = 0.3,
      weight = 2.0, stiffness = 0.7 },
    { x = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, 1, 0.3 }, { 0.5, 0.9, -0.4 } }, rest = -0.2,
      weight = 2.0, stiffness = 0.7 },
  },
  singular = { -- folded flat onto itself; a triangle without area
    { x = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.4, 1, 0 }, { 0.6, 1, 0 } }, rest = 0.0,
      weight = 2.0, stiffness = 0.7 },
    { x = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, 0, 0 }, { 0.6, -1, 0 } }, rest = 0.0,
      weight = 2.0, stiffness = 0.7 },
  },
}
