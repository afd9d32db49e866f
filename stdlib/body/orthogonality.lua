-- Affine bodies stay nearly rigid: a penalty on the deviation of A from the orthogonal matrices.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "orthogonality",
  doc = "k |A A^T - I|^2, per volume",
  stencil = { { "A", "affine matrix, d x d" } },
  params = { { "stiffness", "k, Pa" } },
  energy = function(A, stiffness)
    return stiffness * (A * A:T() - basin.identity(A.rows)):squared_norm()
  end,
  reference = "L. Lan, D. Kaufman, M. Li, C. Jiang, Y. Yang, Affine Body Dynamics, "
    .. "ACM Trans. Graph. 41(4), 2022, eq. 7",
  checks = {
    { A = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, stiffness = 5.0 },
    { A = { { 1.2, 0.1, 0 }, { -0.2, 0.9, 0.3 }, { 0.1, 0, 1.1 } }, stiffness = 5.0 },
    { A = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, stiffness = 5.0 },
  },
}
