-- A truss with stiffnesses across many decades: the saddle form keeps its digits.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local bars = require "groups.mixed.bars"

local array, sparse = basin.array, basin.sparse

return function(case, check)
  local inputs, expect = case.inputs, case.expect
  local net = bars.net(inputs.X, inputs.E, array.zeros(#inputs.E), { 0, 1 })
  local J, k = net.jacobian(), array.from(inputs.k)
  local f = array.from(array.from(inputs.f), { rows = 1 })
  -- J^T y = f, J u - y / k = 0.
  local u, y = sparse.kkt(sparse.zero(J.columns, J.columns), J, { compliance = k ^ -1 }):solve(f)
  check:compare("u_exact", "u_exact", expect.u_exact, u)
  check:within("tension", "rel", 1e-8, expect.tension, y)
  local K = J:T() * sparse.diagonal(k) * J
  check:within("displacement form", "rel", expect.cond_displacement * 1e-15, expect.u_exact,
    K:solve(f, "cholesky"))
  local compliance = (k ^ -1):table()
  local stiffest = 1
  for s = 1, k.count do
    if k:at(s) > k:at(stiffest) then stiffest = s end
  end
  compliance[stiffest] = 0
  local rigid, tension = sparse.kkt(sparse.zero(J.columns, J.columns), J,
    { compliance = compliance }):solve(f)
  check:compare("u_one_rigid", "u_one_rigid", expect.u_one_rigid, rigid)
  check:within("tension_one_rigid", "rel", 1e-8, expect.tension_one_rigid, tension)
end
