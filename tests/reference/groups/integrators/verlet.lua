-- A swinging net by Verlet in positions, and by the velocity form.
-- SPDX-License-Identifier: Apache-2.0
local net_of = require "groups.integrators.net"
local std = require "basin.std"

local function run(case, method, visit)
  local p, input = case.params, case.inputs
  local net = net_of(input.P0, input.E, input.l0, p.k, p.m)
  local stepper = std.integrate[method](net.scene, { dt = p.h, gravity = p.g,
    hold = { { position = net.x, vertices = p.pinned } } })
  for k = 1, input.report_steps[#input.report_steps] do
    stepper:step()
    visit(k, net.x:value(), stepper)
  end
end

return function(case, checker)
  local expect, kinetic, potential, kept = case.expect, {}, {}, {}
  local low, high = math.huge, -math.huge
  run(case, "verlet", function(k, x, stepper)
    kinetic[k], potential[k] = stepper:kinetic_energy(), stepper:potential_energy()
    low, high = math.min(low, kinetic[k] + potential[k]), math.max(high, kinetic[k] + potential[k])
    local key = tostring(k)
    if expect.positions[key] then
      checker:within("positions after " .. k, "abs", k <= 100 and 1e-9 or 1e-7,
        expect.positions[key], x)
      kept[k] = x
    end
  end)
  checker:compare("kinetic energy", "energies", expect.kinetic, kinetic)
  checker:compare("potential energy", "energies", expect.potential, potential)
  checker:compare("band of the total energy", "energies", { expect.total_min, expect.total_max },
    { low, high })
  run(case, "symplectic_euler", function(k, x)
    if kept[k] then
      checker:within("velocity form after " .. k, "abs", k <= 100 and 1e-9 or 1e-7, kept[k], x)
    end
  end)
end
