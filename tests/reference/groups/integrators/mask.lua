-- Held and driven particles: by steppers, by a mask in a loop, and by fewer unknowns.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local golden = require "golden"
local net_of = require "groups.integrators.net"
local std = require "basin.std"

local function has(value) return not golden.is_null(value) end

local function path(p, time) return { 0, p.amp * math.sin(p.omega * time) } end

local function build(case, masses)
  local p = case.params
  return net_of(case.inputs.x0, case.inputs.E, p.l0, p.k, masses or p.m)
end

local function by_stepper(case)
  local p = case.params
  local net = build(case)
  local hold = { { position = net.x, vertices = p.fixed } }
  if has(p.driven) then
    hold[2] = { position = net.x, vertices = { p.driven }, motion = function(time)
      return path(p, time)
    end }
  end
  local stepper = std.integrate.symplectic_euler(net.scene, { dt = p.h, gravity = p.g,
    hold = hold })
  return function()
    stepper:step()
    return net.x:value(), net.v:value(), stepper:kinetic_energy()
  end
end

-- The same with arrays: v += mask h g + h M^-1 f.
local function by_mask(case)
  local p = case.params
  local net = build(case)
  local springs = net.scene:minimizer { targets = { net.x }, energies = { "springs" } }
  local w = basin.array.from(case.inputs.inv_mass)
  local weight, pull = {}, {}
  for i, inverse in ipairs(w:table()) do
    for k = 1, 2 do
      weight[2 * i - 2 + k], pull[2 * i - 2 + k] = inverse, inverse > 0 and p.g[k] or 0
    end
  end
  weight, pull = basin.array.from(weight, { rows = 2 }), basin.array.from(pull, { rows = 2 })
  local v, k = basin.array.zeros(#case.inputs.x0, { rows = 2 }), 0
  return function()
    k = k + 1
    local last = net.x:value()
    v = v + p.h * pull - p.h * (weight * springs:gradient())
    net.x:update(last + p.h * v)
    if has(p.driven) then
      local x, speeds = net.x:value():table(), v:table()
      local place, start = path(p, k * p.h), case.inputs.x0[p.driven + 1]
      for c = 1, 2 do
        x[p.driven + 1][c] = start[c] + place[c]
        speeds[p.driven + 1][c] = (x[p.driven + 1][c] - last[p.driven + 1][c]) / p.h
      end
      net.x:update(x)
      v = basin.array.from(speeds)
    end
    return net.x:value(), v
  end
end

return function(case, checker)
  local expect = case.expect
  local stepper, masked, kinetic = by_stepper(case), by_mask(case), {}
  for k = 1, case.inputs.report_steps[#case.inputs.report_steps] do
    local x, v, energy = stepper()
    local x2, v2 = masked()
    kinetic[k] = energy
    local key = tostring(k)
    if expect.positions[key] then
      checker:compare("positions after " .. k, "positions", expect.positions[key], x)
      checker:compare("velocities after " .. k, "velocities", expect.velocities[key], v)
      -- Two orders of rounding, which the chain makes larger by some tens in fifty steps.
      checker:within("positions by a mask after " .. k, "abs", 1e-12, x, x2)
      checker:within("velocities by a mask after " .. k, "abs", 1e-11, v, v2)
    end
  end
  checker:within("kinetic energy", "rel", 1e-10, expect.kinetic, kinetic)
end
