-- A static net of springs in positions and tensions; springs that are rigid by zero compliance.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local bars = require "groups.mixed.bars"

local array, sparse = basin.array, basin.sparse

-- Newton on J^T y = f, phi - y / k = 0, from the shape it has.
local function equilibrium(net, f, compliance)
  local y = net.lengths() * 0
  for _ = 1, 200 do
    local J, phi = net.jacobian(), net.lengths()
    local gap = phi - compliance * y
    local rest = f - J:apply_transposed(y)
    if rest:max_abs() < 1e-12 * f:max_abs() and gap:max_abs() < 1e-14 then break end
    local system = sparse.kkt(net.curvature(y), J, { compliance = compliance })
    local d, dy = system:solve(rest, -gap)
    local scale = math.min(1, 0.1 / d:max_abs())
    net.move(d * scale)
    y = y + dy * scale
  end
  return y
end

return function(case, check)
  local params, inputs, expect = case.params, case.inputs, case.expect
  local count, m = #inputs.E, #inputs.X
  local hard = {}
  for _, s in ipairs(params.hard) do hard[math.tointeger(s) + 1] = true end
  local function solve(k_hard)
    local net = bars.net(inputs.X, inputs.E, inputs.l0, params.pinned)
    local compliance, f = {}, {}
    for s = 1, count do compliance[s] = hard[s] and k_hard or 1 / params.k end
    for i = 1, #net.free, 2 do f[i], f[i + 1] = params.m * params.g[1], params.m * params.g[2] end
    local y = equilibrium(net, array.from(f), array.from(compliance))
    return net.place:value(), y, net.lengths()
  end
  local x, y = solve(1 / params.k)
  check:compare("positions", "positions", expect.positions, x)
  check:compare("tensions", "tensions", expect.tensions, y)
  local rigid, tension, gap = solve(0)
  check:compare("rigid_positions", "rigid_positions", expect.rigid_positions, rigid)
  check:compare("rigid_tensions", "rigid_tensions", expect.rigid_tensions, tension)
  local function stretch(values)
    local most = 0
    for _, s in ipairs(params.hard) do
      most = math.max(most, math.abs(values:at(math.tointeger(s) + 1)))
    end
    return most
  end
  check:require("rigid_length_error", stretch(gap) <= expect.rigid_length_error_at_most)
  local distances = {}
  for i, k in ipairs(params.ladder) do
    local soft, _, change = solve(1 / k)
    distances[i] = (soft - rigid):max_abs()
    check:within("ladder_length_error " .. i, "rel", 1e-2, expect.ladder_length_error[i],
      stretch(change))
    check:within("ladder_distance " .. i, "rel", 1e-2, expect.ladder_distance_to_rigid[i],
      distances[i])
  end
  check:require("m", m == x.count)
end
