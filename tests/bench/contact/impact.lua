-- Impacts at full size: a projectile of 10 m/s and a sheet one element thick, masses of 1 to 1000,
-- momentum. Setting: only.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local zero <const> = { 0, 0, 0 }

local function solid(scene, name, mesh, density, young, given)
  return std.body.soft(scene, name, { mesh = mesh, density = density, copies = given.copies,
    velocity = given.velocity,
    material = std.elastic.stable_neo_hookean { young = young, poisson = 0.3 } })
end

-- Soft and stiff balls against a sheet that is free to move.
local function shoot(name, make_ball)
  local scene = basin.scene(name)
  local sheet = solid(scene, "sheet", basin.mesh.box { nx = 24, ny = 1, nz = 24, width = 0.6,
    height = 0.02, depth = 0.6 }, 1000, 1e5, {})
  local mesh = basin.mesh.sphere { level = 2, radius = 0.04, layers = 2 }
  local ball = make_ball(scene, mesh, { copies = { { 0.013, 0.18, 0.007 } },
    velocity = { 0, -10, 0 } })
  local bodies = { sheet, ball }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3, stiffness = 1e5 })
  run.run(name, scene, contact, bodies, { steps = 50, gravity = zero,
    camera = { eye = { 0.8, 0.5, 1.0 }, target = { 0, -0.1, 0 } },
    on_step = function()
      -- The nearest part of the sheet is below the lowest point of the ball.
      local rows = ball.position:compute():table()
      local lowest = rows[1]
      for _, p in ipairs(rows) do if p[2] < lowest[2] then lowest = p end end
      local near, height = math.huge, nil
      for _, p in ipairs(sheet.position:value():table()) do
        local d = (p[1] - lowest[1]) ^ 2 + (p[3] - lowest[3]) ^ 2
        if d < near then near, height = d, p[2] end
      end
      assert(height < lowest[2] + 0.02, "the ball is below the sheet")
    end })
end
if run.wanted "projectile" then
  shoot("projectile", function(scene, mesh, given)
    return solid(scene, "ball", mesh, 1000, 1e6, given)
  end)
end
if run.wanted "stiff_projectile" then
  shoot("stiff_projectile", function(scene, mesh, given)
    return std.body.affine(scene, "ball", { mesh = mesh, copies = given.copies, density = 7800,
      velocity = given.velocity, stiffness = 1e9 })
  end)
end

local function momentum(bodies)
  local sum = { 0, 0, 0 }
  for _, body in ipairs(bodies) do
    local velocities = body.motion.unknowns[#body.motion.unknowns].velocity:value():table()
    local masses = body.bodies and basin.array.filled(#velocities, body.mass / #velocities)
      or body.vertices.mass:value()
    for i, v in ipairs(velocities) do
      for k = 1, 3 do sum[k] = sum[k] + masses[i] * v[k] end
    end
  end
  return sum
end

-- Two balls meet a little off their centres; the drift of the momentum relative to its size.
local function collide(name, densities)
  local scene, bodies, size, drift = basin.scene(name), {}, 0, 0
  for i, density in ipairs(densities) do
    local mesh = basin.mesh.sphere { level = 2, radius = 0.05, layers = 2 }
    bodies[i] = solid(scene, "ball_" .. i, mesh, density, 1e5, {
      copies = { { 0.01 * i, 0.12 * i, 0.02 * i } }, velocity = { 0, i == 1 and 1 or -1, 0 } })
    size = size + bodies[i].mass
  end
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3, stiffness = 1e3 })
  local before = momentum(bodies)
  run.run(name, scene, contact, bodies, { dt = 0.005, steps = 40, gravity = zero,
    newton = { rule = "gradient", tolerance = 1e-9 }, on_step = function()
      for k, value in ipairs(momentum(bodies)) do
        drift = math.max(drift, math.abs(value - before[k]) / size)
      end
    end })
  print(('{"bench":"contact","scene":"%s","momentum_drift":%.3g}'):format(name, drift))
  assert(drift < 1e-9, "momentum is not conserved")
end
if run.wanted "momentum" then collide("momentum", { 1000, 1000 }) end
if run.wanted "masses" then collide("masses", { 10, 10000 }) end
