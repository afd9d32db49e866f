-- A block on a tilted plane: it stays inside the friction cone and slides with a = g (sin - mu cos)
-- outside.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

local ANGLE <const> = math.rad(20)
local SLIP <const> = 1e-3

-- A rigid (affine) or soft block lying on the plane; returns the distance slid down the slope at
-- each step.
local function slide(kind, friction, steps, dt)
  local scene = basin.scene "slope"
  local mesh = basin.mesh.box { nx = 2, ny = 1, nz = 2, width = 0.2, height = 0.05, depth = 0.2 }
    :rotated { axis = { 0, 0, 1 }, angle = -ANGLE }
  local n = { math.sin(ANGLE), math.cos(ANGLE), 0 }
  local offset = { n[1] * 0.0265, n[2] * 0.0265, 0 } -- half the height, and the contact's distance
  local body
  if kind == "affine" then
    body = std.body.affine(scene, "block", { mesh = mesh, copies = { offset }, density = 1000,
      stiffness = 1e7 })
  else
    body = std.body.soft(scene, "block", { mesh = mesh, copies = { offset }, density = 1000,
      material = std.elastic.stable_neo_hookean { young = 1e6, poisson = 0.3 },
        damping = { stiffness = 0.01 } })
  end
  std.contact.plane(scene, { bodies = { body }, normal = n, friction = friction, distance = 2e-3,
    slip = SLIP })
  local down, history = { math.cos(ANGLE), -math.sin(ANGLE) }, {}
  local function travelled()
    local x = body.position:compute()
    return x:component(1):mean() * down[1] + x:component(2):mean() * down[2]
  end
  local start = travelled()
  local report = basin.simulate(scene, { dt = dt, steps = steps, gravity = { 0, -9.8, 0 },
    newton = { tolerance = 1e-6, max_iterations = 200, linear = { solver = "direct" } },
    on_step = function(state) history[state.step] = travelled() - start end })
  return history, report, scene.plane.block.height:compute():min()
end

for _, kind in ipairs { "affine", "soft" } do
  harness.test(kind .. " block stays: tan 20 deg = 0.36 < 0.5", function()
    local history, report, height = slide(kind, 0.5, 60, 0.005)
    assert(report.reasons.converged == 60, tostring(report))
    assert(height > 0, "the block is in the floor")
    -- Smoothed friction holds the block with the speed f at which f (2 - f) = tan / mu, f in units
    -- of the slip speed.
    local creep = SLIP * (1 - math.sqrt(1 - math.tan(ANGLE) / 0.5))
    local speed = (history[60] - history[40]) / (20 * 0.005)
    harness.close(speed / creep, 1, 0.05, "creep")
  end)

  harness.test(kind .. " block slides: 0.36 > 0.2", function()
    local history, report, height = slide(kind, 0.2, 60, 0.005)
    assert(report.reasons.converged == 60, tostring(report))
    assert(height > 0, "the block is in the floor")
    local a = 9.8 * (math.sin(ANGLE) - 0.2 * math.cos(ANGLE))
    local first = (history[20] - history[10]) / (10 * 0.005) -- mean speeds, 40 steps apart
    local last = (history[60] - history[50]) / (10 * 0.005)
    harness.close((last - first) / (40 * 0.005), a, 0.01, "acceleration")
  end)
end

harness.test("friction at rest has the stiffness 2 mu force / slip along the plane", function()
  local scene = basin.scene "rest"
  local point = scene:add_mesh("mesh"):add_primitive("point", 1)
  local x = point:add_attribute("x", { rows = 3, value = { 1, 2, 3 } })
  local last = point:add_constant("last", { rows = 3, value = { 1, 2, 3 } })
  scene:add_energy(std.contact.plane_friction(x, last, basin.vector { 0, 1, 0 }, 3, 0.5, 0.01),
    { name = "friction" })
  scene:add_minimize_target { x }
  local H = scene:hessian { projection = "none" }
  harness.close(H:at(1, 1), 300, 1e-12)
  harness.close(H:at(2, 2), 0, 1e-12)
  harness.close(H:at(3, 3), 300, 1e-12)
end)

harness.test("the force is minus the derivative of the barrier", function()
  local scene = basin.scene "barrier"
  local point = scene:add_mesh("mesh"):add_primitive("point", 4)
  local d = point:add_attribute("d", { value = { 0.001, 0.005, 0.0099, 0.02 } })
  scene:add_energy(std.contact.log_barrier(d ^ 2, 1e-4, 5e4), { name = "barrier" })
  scene:add_minimize_target { d }
  local force = point:evaluate(std.contact.log_barrier.force(d, 1e-4, 5e4))
  local gradient = scene:gradient()
  for i = 1, 4 do harness.close(force[i], -gradient[i], 1e-12) end
  assert(force[4] == 0 and force[1] > force[2], "the force falls with distance")
end)

harness.test("a fast body does not pass the plane", function()
  local scene = basin.scene "bullet"
  local body = scenes.block(scene, "block", { copies = { { 0, 0.3, 0 } },
    velocity = { 0, -50, 0 } })
  std.contact.plane(scene, { bodies = { body }, distance = 1e-3 })
  local lowest = math.huge
  basin.simulate(scene, { dt = 0.01, steps = 15, newton = { max_iterations = 100 },
    on_step = function() lowest = math.min(lowest, body.position:value():component(2):min()) end })
  assert(lowest > 0, "a vertex is below the plane")
  assert(lowest < 1e-3, "the block never came near")
end)

harness.test("a body that starts behind the plane is refused", function()
  local scene = basin.scene "behind"
  local body = scenes.block(scene, "block")
  harness.fails("starts 0.1 m behind the plane", std.contact.plane, scene, { bodies = { body } })
end)
harness.finish()
