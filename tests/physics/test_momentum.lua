-- Free flight: momentum is conserved, and implicit Euler only ever loses energy.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

-- Linear momentum, angular momentum about the origin and kinetic energy of free vertices.
local function moments(body)
  local x, v = body.position:value():table(), body.motion.unknowns[1].velocity:value():table()
  local m, p, L, kinetic = body.vertices.mass:value():table(), { 0, 0, 0 }, { 0, 0, 0 }, 0
  for i, mass in ipairs(m) do
    local turn = cross(x[i], v[i])
    for k = 1, 3 do
      p[k], L[k] = p[k] + mass * v[i][k], L[k] + mass * turn[k]
      kinetic = kinetic + 0.5 * mass * v[i][k] ^ 2
    end
  end
  return p, L, kinetic
end

-- A stretched, spinning block without gravity.
local function throw(dt, steps, integrator, look)
  local scene = basin.scene "throw"
  local body = scenes.block(scene, "block", { velocity = { 0.3, -0.2, 0.5 } })
  local spin, x = {}, body.position:value():table()
  for i, p in ipairs(x) do
    local v = cross({ 1, 2, -1 }, p)
    spin[i] = { v[1] + 0.3, v[2] - 0.2, v[3] + 0.5 }
    x[i] = { 1.1 * p[1], 0.95 * p[2], p[3] }
  end
  body.position:update(x)
  body.motion.unknowns[1].velocity:update(spin)
  local elastic = scene:energy "block.elastic"
  look(body, elastic)
  basin.simulate(scene, { dt = dt, steps = steps, integrator = integrator, newton = scenes.tight,
    on_step = function() look(body, elastic) end })
  return body
end

for _, integrator in ipairs { "implicit_euler", "bdf2" } do
  harness.test("linear momentum, " .. integrator, function()
    local first
    throw(0.01, 10, integrator, function(body)
      local p = moments(body)
      first = first or p
      for k = 1, 3 do harness.close(p[k], first[k], 1e-8, "momentum") end
    end)
  end)
end

harness.test("energy decays", function()
  local last = math.huge
  throw(0.01, 20, "implicit_euler", function(body, elastic)
    local _, _, kinetic = moments(body)
    local energy = kinetic + elastic:compute():sum()
    assert(energy <= last + 1e-9, ("energy rises from %.12g to %.12g"):format(last, energy))
    last = energy
  end)
end)

-- Angular momentum L and energy E change by the error of the method: order 1 and 2.
local function drift(integrator, dt)
  local first, last, energy_first, energy_last
  throw(dt, math.tointeger(0.04 // dt), integrator, function(body, elastic)
    local _, L, kinetic = moments(body)
    local energy = kinetic + elastic:compute():sum()
    first, energy_first = first or L, energy_first or energy
    last, energy_last = L, energy
  end)
  local sum = 0
  for k = 1, 3 do sum = sum + (last[k] - first[k]) ^ 2 end
  return math.sqrt(sum), math.abs(energy_last - energy_first)
end

for integrator, order in basin.sorted { implicit_euler = 1, bdf2 = 2 } do
  harness.test("drift of angular momentum and energy, " .. integrator, function()
    local L1, E1 = drift(integrator, 0.0005)
    local L2, E2 = drift(integrator, 0.00025)
    for name, ratio in basin.sorted { energy = E1 / E2, ["angular momentum"] = L1 / L2 } do
      local seen = math.log(ratio, 2)
      assert(seen > order - 0.35, ("%s drifts with order %.2f instead of %d"):format(name, seen,
        order))
    end
  end)
end

harness.test("affine body: momentum, exact spin of a free rigid body's axis", function()
  local scene = basin.scene "spin"
  local body = std.body.affine(scene, "cube", { mesh = basin.mesh.box { surface = true },
    density = 1000, stiffness = 1e7,
    velocity = { 1, 0, 0 }, spin = { 0, 2, 0 } })
  basin.simulate(scene, { dt = 0.002, steps = 50, integrator = "bdf2", newton = scenes.tight })
  local t = body.motion.unknowns[2]
  harness.close(t.velocity:value()[1][1], 1, 1e-9, "velocity")
  harness.close(t.value:value()[1][1], 0.1, 1e-9, "position")
  -- A cube turns about an axis of symmetry with constant rate: 0.2 rad in 0.1 s.
  local A = body.motion.unknowns[1].value:value():table()[1]
  harness.close(math.atan(A[3], A[1]), 0.2, 1e-4, "angle")
end)
harness.finish()
