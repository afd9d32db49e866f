-- A penalty on the volume change of an affine body.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"

return term.define {
  name = "determinant",
  doc = "k/2 (det A - 1)^2, per volume",
  stencil = { { "A", "affine matrix, d x d" } },
  params = { { "stiffness", "k, Pa" } },
  energy = function(A, stiffness) return 0.5 * stiffness * (A:det() - 1) ^ 2 end,
  reference = "the penalty form of the constraint det A = 1",
  checks = {
    { A = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, stiffness = 5.0 },
    { A = { { 1.2, 0.1, 0 }, { -0.2, 0.9, 0.3 }, { 0.1, 0, 1.1 } }, stiffness = 5.0 },
  },
  singular = { { A = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, stiffness = 5.0 } },
}
