-- Gradient descent on a hanging net, then Newton.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local net_of = require "groups.integrators.net"

return function(case, checker)
  local p, input, expect = case.params, case.inputs, case.expect
  local net = net_of(input.P0, input.E, input.l0, p.k, p.m)
  net.scene:motion().gravity:update { p.g[1], p.g[2], 0 }
  local potential = net.scene:minimizer { targets = { net.x },
    energies = { "springs", "net.gravity" } }
  local mask = {}
  for i = 1, #input.P0 do mask[i] = { 1, 1 } end
  for _, pinned in ipairs(p.pinned) do mask[pinned + 1] = { 0, 0 } end
  mask = basin.array.from(mask)
  local energies = { potential:compute_total_energy() }
  for k = 1, input.report_iters[#input.report_iters] do
    net.x:update(net.x:value() - p.alpha * (mask * potential:gradient()))
    if k % 10 == 0 then energies[#energies + 1] = potential:compute_total_energy() end
    local key = tostring(k)
    if expect.positions[key] then
      checker:compare("positions after " .. k, "positions", expect.positions[key], net.x:value())
    end
  end
  checker:compare("energy", "energy", expect.energy_every_10, energies)
  for k = 2, #energies do
    checker:require("energy falls", energies[k] < energies[k - 1])
  end
  -- Newton in the free unknowns alone.
  local free = {}
  for i, entry in ipairs(basin.array.from(mask, { rows = 1 }):table()) do
    if entry == 1 then free[#free + 1] = i - 1 end
  end
  free = basin.array.from(free)
  for _ = 1, 20 do
    local gradient = basin.array.from(potential:gradient(), { rows = 1 }):select(free)
    local H = potential:hessian { projection = "clamp" }:select(free, free)
    local d, x = H:solve(gradient):table(), basin.array.from(net.x:value(), { rows = 1 }):table()
    for k, entry in ipairs(free:table()) do
      local at = math.tointeger(entry) + 1
      x[at] = x[at] - d[k]
    end
    net.x:update(basin.array.from(x, { rows = 2 }))
  end
  checker:compare("equilibrium", "equilibrium_near", expect.equilibrium_near, net.x:value())
  checker:compare("energy of the equilibrium", "energy", expect.equilibrium_energy,
    potential:compute_total_energy())
end
