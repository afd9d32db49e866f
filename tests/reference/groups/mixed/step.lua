-- One linearised implicit step of a chain in velocities and forces, in either alone.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local bars = require "groups.mixed.bars"

local array, sparse = basin.array, basin.sparse

return function(case, check)
  local params, inputs, expect = case.params, case.inputs, case.expect
  local h, count = params.h, #inputs.E
  local lengths = array.filled(count, params.l0)
  local net = bars.net(inputs.x, inputs.E, lengths, { 0 })
  local J, phi = net.jacobian(), net.lengths()
  check:within("phi", "abs", 1e-13, expect.phi, phi)
  check:within("J_free", "abs", 1e-13, expect.J_free, J:dense())
  local n = J.columns
  local v = array.from(array.from(inputs.v), { rows = 1 }):select(net.free)
  local f = {}
  for i = 1, n, 2 do f[i], f[i + 1] = params.m * params.g[1], params.m * params.g[2] end
  f = array.from(f)
  local M = sparse.identity(n, params.m)
  local right = params.m * v + h * f
  for name, result in pairs(expect.results) do
    local k = tonumber(name)
    local compliance = k and 1 / k or 0
    -- M v - h J^T y = right, h J v + e y = -phi: with z = -y the symmetric form.
    local velocity, negative = sparse.kkt(M, h * J, { compliance = compliance }):solve(right, -phi)
    check:compare(name .. " velocity", "velocity", result.velocity, velocity)
    check:compare(name .. " force", "force", result.force, -negative)
    local W = h * h / params.m * (J * J:T()) + sparse.identity(count, compliance)
    local force = W:solve(-phi - h * (J * (v + f * (h / params.m))), "cholesky")
    check:compare(name .. " force alone", "force", result.force, force)
    if k then
      local A = M + h * h * k * (J:T() * J)
      local alone = A:solve(right - J:apply_transposed(phi) * (h * k), "cholesky")
      check:compare(name .. " velocity alone", "velocity", result.velocity, alone)
    end
  end
end
