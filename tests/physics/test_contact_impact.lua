-- Bodies that hit each other: nothing passes through, and momentum stays.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local function cube(width, cells)
  return basin.mesh.box { nx = cells, ny = cells, nz = cells, width = width, height = width,
    depth = width }
end

local exact <const> = { rule = "gradient", tolerance = 1e-9, max_iterations = 300,
  linear = { solver = "direct" } }

-- Momentum of bodies with lumped masses, or of affine ones turned about their centre.
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

local function soft(scene, name, given)
  local all = { mesh = cube(0.1, 2), density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.3 } }
  for key, value in pairs(given) do all[key] = value end
  return std.body.soft(scene, name, all)
end

-- Two bodies meet; returns the largest drift of the momentum relative to its size before, and
-- whether they turned back.
local function collide(kinds, density, speed)
  local scene = basin.scene "impact"
  local bodies = {}
  for i, kind in ipairs(kinds) do
    local given = { copies = { { 0.01 * i, 0.13 * i, 0.02 * i } }, density = density[i],
      velocity = { 0, i == 1 and speed or -speed, 0 } }
    if kind == "affine" then
      given.mesh, given.stiffness = cube(0.1, 1), 1e7
      bodies[i] = std.body.affine(scene, "body_" .. i, given)
    else
      bodies[i] = soft(scene, "body_" .. i, given)
    end
  end
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e4 })
  local witness = guard.new(contact, bodies)
  local before, size, drift = momentum(bodies), 0, 0
  for _, body in ipairs(bodies) do size = size + body.mass * speed end
  local report = basin.simulate(scene, { dt = 0.005, steps = 16, newton = exact,
    on_step = witness:on_step(function()
      for k, value in ipairs(momentum(bodies)) do
        drift = math.max(drift, math.abs(value - before[k]) / size)
      end
    end) })
  assert(contact.most_pairs > 0, "the bodies never met")
  assert(report.reasons.converged == 16, tostring(report))
  return drift
end

harness.test("momentum stays through a frictionless impact", function()
  assert(collide({ "soft", "soft" }, { 1000, 1000 }, 1) < 1e-9)
  assert(collide({ "soft", "affine" }, { 1000, 500 }, 1) < 1e-9)
end)

harness.test("masses of 1 to 1000", function()
  assert(collide({ "soft", "affine" }, { 10, 10000 }, 1) < 1e-9)
end)

harness.test("a body of 10 m/s does not pass a sheet one element thick", function()
  local scene = basin.scene "projectile"
  local sheet = soft(scene, "sheet", { mesh = basin.mesh.box { nx = 6, ny = 1, nz = 6, width = 0.6,
    height = 0.02, depth = 0.6 } })
  local ball = std.body.affine(scene, "ball", { mesh = cube(0.05, 1):rotated { axis = { 1, 0, 1 },
    angle = 0.6 }, copies = { { 0.03, 0.15, 0.02 } }, density = 1000, stiffness = 1e8,
    velocity = { 0, -10, 0 } })
  local bodies = { sheet, ball }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3,
    stiffness = 1e5 })
  local witness = guard.new(contact, bodies)
  basin.simulate(scene, { dt = 0.01, steps = 8, newton = { tolerance = 1e-2, max_iterations = 200,
    linear = { solver = "direct" } }, on_step = witness:on_step() })
  assert(contact.most_pairs > 0, "the ball never came near")
  -- The sheet moves along; the ball stays above its middle.
  local middle = sheet.position:value():component(2):mean()
  assert(ball.position:compute():component(2):mean() > middle, "the ball is below the sheet")
end)

harness.test("free flight: contact adds nothing", function()
  local function fly(with_contact)
    local scene = basin.scene "flight"
    local bodies = { soft(scene, "a", { velocity = { 1, 0, 0 } }),
      soft(scene, "b", { copies = { { 0, 0.5, 0 } } }) }
    local witness = with_contact and guard.new(std.contact.barrier(scene, { bodies = bodies,
      stiffness = 1e4 }), bodies)
    basin.simulate(scene, { dt = 0.01, steps = 3, gravity = { 0, -9.8, 0 }, newton = exact,
      on_step = witness and witness:on_step() or nil })
    return bodies[1].position:value():bytes()
  end
  harness.equal(fly(true), fly(false), "positions")
end)
harness.finish()
