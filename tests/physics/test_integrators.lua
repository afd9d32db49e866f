-- Order of convergence on oscillators with exact solutions, and free fall.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

-- A mass on a spring of rest length 0: x'' = -omega^2 x, x(0) = 1, v(0) = 0. Returns x(T), v(T).
local function oscillate(integrator, dt, T)
  local omega = 3
  local scene = basin.scene "oscillator"
  local point = scene:add_mesh("mesh"):add_primitive("point", 1)
  local x = point:add_attribute("x", { rows = 3, value = { 1, 0, 0 } })
  local origin = point:add_constant("origin", { rows = 3, value = { 0, 0, 0 } })
  -- 2 kg
  local body = scene:add_body { name = "mass", unknowns = { x }, inertia = function(d)
    return d:squared_norm()
  end }
  scene:add_energy(std.constraint.target(x, origin, 2 * omega ^ 2), { name = "spring" })
  basin.simulate(scene, { dt = dt, steps = math.floor(T / dt + 0.5), integrator = integrator,
    newton = { rule = "gradient", tolerance = 1e-13 } })
  return x:value()[1][1], body.unknowns[1].velocity:value()[1][1], math.cos(omega * T),
    -omega * math.sin(omega * T)
end

for integrator, order in basin.sorted { implicit_euler = 1, bdf2 = 2, newmark = 2 } do
  harness.test("order of " .. integrator, function()
    local errors = {}
    local longest = integrator == "newmark" and 0.02 or 0.004 -- both in the range of the limit
    for i, dt in ipairs { longest, longest / 2, longest / 4 } do
      local x, v, x_exact, v_exact = oscillate(integrator, dt, 1)
      errors[i] = math.abs(x - x_exact) + math.abs(v - v_exact)
    end
    for i = 1, 2 do
      local seen = math.log(errors[i] / errors[i + 1], 2)
      assert(math.abs(seen - order) < 0.15, ("order %.3f instead of %d"):format(seen, order))
    end
  end)
end

-- The same oscillator started off, its energy after each step.
local function energies(newmark, steps)
  local scene = basin.scene "oscillator"
  local point = scene:add_mesh("mesh"):add_primitive("point", 1)
  local x = point:add_attribute("x", { rows = 3, value = { 1, 0, 0 } })
  local body = scene:add_body { name = "mass", unknowns = { x }, inertia = function(d)
    return d:squared_norm()
  end }
  local origin = point:add_constant("origin", { rows = 3, value = { 0, 0, 0 } })
  scene:add_energy(std.constraint.target(x, origin, 18), { name = "spring" })
  local list = {}
  basin.simulate(scene, { dt = 0.05, steps = steps, integrator = "newmark", newmark = newmark,
    newton = { rule = "gradient", tolerance = 1e-13 }, on_step = function()
    list[#list + 1] = body.unknowns[1].velocity:value():norm() ^ 2 + 9 * x:value():norm() ^ 2
  end })
  return list
end

harness.test("newmark conserves the energy of an oscillator, a larger gamma damps", function()
  for _, energy in ipairs(energies(nil, 100)) do harness.close(energy, 9, 1e-9) end
  -- exp(-(gamma - 1/2) omega^2 h t) of it is left, in the limit of short steps.
  local damped = energies({ gamma = 0.6, beta = 0.3025 }, 100)
  harness.close(damped[100], 9 * math.exp(-0.1 * 9 * 0.05 * 5), 0.02)
end)

harness.test("newmark with constant force is exact: x = x0 + v0 t + g t^2 / 2", function()
  local scene = basin.scene "fall"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 }, density = 2, stiffness = 10, velocity = { 0, 2, 0 } })
  basin.simulate(scene, { dt = 0.01, steps = 20, gravity = { 0, -9.8, 1 }, integrator = "newmark",
    newton = { rule = "gradient", tolerance = 1e-12 } })
  harness.close(body.position:value()[2][2], 2 * 0.2 - 9.8 * 0.2 ^ 2 / 2, 1e-10)
  harness.close(body.motion.unknowns[1].velocity:value()[2][3], 0.2, 1e-10)
end)

harness.test("newmark leaves what is held", function()
  local scene = basin.scene "held"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 }, density = 2, stiffness = 10 })
  body.position:hold { 0 }
  basin.simulate(scene, { dt = 0.01, steps = 20, gravity = { 0, -9.8, 0 },
    integrator = "newmark", newmark = { beta = 0.3025, gamma = 0.6 } })
  local x, v = body.position:value():table(), body.motion.unknowns[1].velocity:value():table()
  assert(x[1][1] == 0 and x[1][2] == 0 and x[3][2] < -0.1)
  assert(v[1][1] == 0 and v[1][2] == 0 and v[3][2] < -1, "what stays has no velocity")
end)

harness.test("newmark: held in its flight, or on a path, vertices move evenly", function()
  local scene = basin.scene "caught"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 }, density = 2, stiffness = 10, velocity = { 0, 2, 1 } })
  local velocity = body.motion.unknowns[1].velocity
  local function step(count)
    basin.simulate(scene, { dt = 0.01, steps = count, integrator = "newmark" })
    return velocity:value():table()
  end
  step(3)
  body.position:hold({ 0 }, { entries = { 1, 2 } })
  local caught = body.position:value():table()
  for count = 1, 2 do
    local v, x = step(count), body.position:value():table()
    assert(v[1][1] == 0 and v[1][2] == 0, "what stays has no velocity")
    assert(x[1][1] == caught[1][1] and x[1][2] == caught[1][2])
    harness.close(v[1][3], 1, 0.05)
  end
  scene = basin.scene "path"
  body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 }, density = 2, stiffness = 10 })
  velocity = body.motion.unknowns[1].velocity
  std.constraint.fix(body, { vertices = { 0 }, motion = function(t) return { 0, 0, 3 * t } end })
  for count = 1, 3 do harness.close(step(count)[1][3], 3, 1e-12) end
end)

harness.test("inertia comes back after a quasi-static run", function()
  local scene = basin.scene "again"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 2 }, density = 2, stiffness = 10 })
  std.constraint.pin(body, { vertices = { 0 }, stiffness = 1e4 })
  basin.simulate(scene, { dt = 0.01, steps = 1, integrator = "quasistatic" })
  local before = body.position:value()
  body.motion.unknowns[1].velocity:update { 0, 0, 1 }
  basin.simulate(scene, { dt = 0.01, steps = 1, newton = { rule = "gradient", tolerance = 1e-12 } })
  harness.close((body.position:value() - before)[2][3], 0.01, 1e-4)
end)

harness.test("free fall, implicit Euler: x_n = x_0 - g h^2 n (n + 1) / 2", function()
  local scene = basin.scene "fall"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 },
    density = 2, stiffness = 10 })
  basin.simulate(scene, { dt = 0.01, steps = 20, gravity = { 0, -9.8, 1 },
    newton = { rule = "gradient", tolerance = 1e-12 } })
  harness.close(body.position:value()[2][2], -9.8 * 0.01 ^ 2 * 210, 1e-10)
  harness.close(body.position:value()[1][3], 0.01 ^ 2 * 210, 1e-10)
end)

harness.test("Rayleigh damping of mass: v_n = v_0 / (1 + rate h)^n", function()
  local scene = basin.scene "drag"
  local body = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 3 },
    density = 2, stiffness = 10, damping = { mass = 4 }, velocity = { 0, 2, 0 } })
  basin.simulate(scene, { dt = 0.01, steps = 20, newton = { rule = "gradient",
    tolerance = 1e-12 } })
  harness.close(body.motion.unknowns[1].velocity:value()[2][2], 2 / 1.04 ^ 20, 1e-10)
end)

harness.test("Rayleigh damping of stiffness: a block rings down, a moving one keeps its speed",
  function()
  local scenes = require "physics.scenes"
  local function ring(damping)
    local scene = basin.scene "ring"
    local body = scenes.block(scene, "block", { damping = damping, velocity = { 0, 3, 0 } })
    local x = body.position:value():table()
    for _, p in ipairs(x) do p[1] = 1.1 * p[1] end
    body.position:update(x)
    basin.simulate(scene, { dt = 0.002, steps = 60, integrator = "bdf2", newton = scenes.tight })
    return scene:energy("block.elastic"):compute():sum(),
      body.motion.unknowns[1].velocity:value():component(2):mean()
  end
  local free, damped = ring(nil), ring { stiffness = 0.05 }
  assert(damped < 0.1 * free, ("elastic energy %.3g with damping, %.3g without"):format(damped,
    free))
  local _, speed = ring { stiffness = 0.05 }
  harness.close(speed, 3, 1e-2)
end)
harness.finish()
