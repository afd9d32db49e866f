-- Sparse matrices as values: arithmetic, blocks, solves, export.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"
local sparse = basin.sparse

local A = sparse.from { { 4, 1, 0 }, { 1, 3, -1 }, { 0, -1, 2 } }
local B = sparse.new { rows = 3, columns = 2, i = { 0, 1, 2, 2 }, j = { 0, 1, 0, 0 },
  values = { 1, 2, 3, 4 } }

h.test("entries", function()
  h.equal(A.rows, 3)
  h.equal(B.count, 3)
  h.equal(B:at(3, 1), 7)
  h.equal(B:at(1, 2), 0)
  h.equal(A:is_symmetric(), true)
  h.fails("count from 1", function() return A:at(0, 1) end)
  h.equal(tostring(B), "sparse matrix 3x2, 3 entries")
end)

h.test("arithmetic", function()
  h.close_arrays((A + A):dense(), (2 * A):dense())
  h.close_arrays((A - A / 2):dense(), { { 2, 0.5, 0 }, { 0.5, 1.5, -0.5 }, { 0, -0.5, 1 } })
  h.close_arrays((A * B):dense(), { { 4, 2 }, { -6, 6 }, { 14, -2 } })
  h.close_arrays(A * { 1, 2, 3 }, { 6, 4, 4 })
  h.close_arrays(B:T() * { 1, 2, 3 }, { 22, 4 })
  h.close_arrays(B:apply_transposed { 1, 2, 3 }, { 22, 4 })
  h.close_arrays(A * basin.array.from { { 1, 0 }, { 0, 1 }, { 0, 0 } },
    { { 4, 1 }, { 1, 3 }, { 0, -1 } })
  h.close_arrays((-A):dense():component(1), { -4, -1, 0 })
  h.fails("cannot multiply", function() return A * { 1, 2 } end)
end)

h.test("kron, blocks, selection", function()
  local K = sparse.from({ { 1, 2 } }):kron(sparse.identity(2))
  h.close_arrays(K:dense(), { { 1, 0, 2, 0 }, { 0, 1, 0, 2 } })
  local M = sparse.blocks { { A, B }, { B:T(), false } }
  h.equal(M.rows, 5)
  h.equal(M:at(4, 3), 7)
  h.equal(M:at(5, 5), 0)
  h.close_arrays(A:select({ 2, 0 }, { 0, 2 }):dense(), { { 0, 2 }, { 4, 0 } })
  h.close_arrays(sparse.diagonal({ 1, 2 }):dense(), { { 1, 0 }, { 0, 2 } })
  h.equal(sparse.zero(2, 3).count, 0)
end)

h.test("solves, with a factorization that is kept", function()
  local b = basin.array.from { 1, -2, 0.5 }
  for _, kind in ipairs { "cholesky", "ldlt", "lu" } do
    h.close_arrays(A * A:solve(b, kind), b, 1e-14, kind)
  end
  local factor = A:factorize()
  h.close_arrays(A * factor:solve(b), b, 1e-14)
  local columns = basin.array.from { { 1, 0 }, { 0, 1 }, { 2, 3 } }
  h.close_arrays(A * factor:solve(columns), columns, 1e-14, "several right-hand sides")
  factor:update(2 * A)
  h.close_arrays(2 * (A * factor:solve(b)), b, 1e-14)
  h.equal(factor:info().solves >= 3, true)
  h.fails("numbers, the matrix", factor.solve, factor, { 1, 2 })
  local unsymmetric = sparse.from { { 1, 5 }, { 0, 1 } }
  h.close_arrays(unsymmetric:solve { 1, 2 }, { -9, 2 })
  for _, kind in ipairs { "cholesky", "ldlt" } do
    h.fails("not symmetric: entry %(0, 1%) is 5", unsymmetric.solve, unsymmetric, { 1, 2 }, kind)
  end
  h.fails("only square", B.factorize, B)
  h.fails("not positive definite", (-1 * A).factorize, -1 * A, "cholesky")
end)

h.test("a saddle point: blocks and LDLT", function()
  local C = sparse.from { { 1, 1, 1 } }
  local M = sparse.blocks { { A, C:T() }, { C, false } }
  local solution = M:solve({ 1, 2, 3, 0 }, "ldlt")
  h.close_arrays(M * solution, { 1, 2, 3, 0 }, 1e-13)
  h.close(solution[1] + solution[2] + solution[3], 0, 1e-14)
end)

h.test("export", function()
  local csr = B:csr()
  h.close_arrays(csr.starts, { 0, 1, 2, 3 })
  h.close_arrays(csr.columns, { 0, 1, 0 })
  h.close_arrays(csr.values, { 1, 2, 7 })
  h.close(A:norm(), math.sqrt(16 + 9 + 4 + 4))
  h.close(A:norm "max", 4)
end)

h.finish()
