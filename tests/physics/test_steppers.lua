-- Steppers: orders against exact motions, what they conserve, sweeps by hand, restart.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

local folder = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")

local function check_order(errors, order, tolerance)
  for i = 1, #errors - 1 do
    local seen = math.log(errors[i] / errors[i + 1], 2)
    assert(math.abs(seen - order) < tolerance, ("order %.3f instead of %d"):format(seen, order))
  end
end

-- 2 kg on a spring: x'' = -9 x, x(0) = 1, v(0) = 0.
local function oscillator()
  local scene = basin.scene "oscillator"
  local point = scene:add_mesh("mesh"):add_primitive("point", 1)
  local x = point:add_attribute("x", { rows = 2, value = { 1, 0 } })
  local body = scene:add_body { name = "mass", unknowns = { x }, inertia = function(d)
    return d:squared_norm()
  end }
  scene:add_energy(9 * x:squared_norm(), { name = "spring" })
  return scene, x, body.unknowns[1].velocity
end

-- Positions of Verlet are of second order; its velocities lag by half a step.
for method, order in basin.sorted { symplectic_euler = 1, verlet = 1, rattle = 2 } do
  harness.test("order of " .. method .. " on an oscillator", function()
    local errors = {}
    for i, steps in ipairs { 100, 200, 400 } do
      local scene, x, v = oscillator()
      local stepper = std.integrate[method](scene, { dt = 1 / steps })
      for _ = 1, steps do stepper:step() end
      errors[i] = math.abs(x:value()[1][1] - math.cos(3)) + math.abs(v:value()[1][1]
        + 3 * math.sin(3))
    end
    check_order(errors, order, 0.15)
  end)
end

-- A triangle of rods that turns and flies, without forces.
local function triangle()
  local scene = basin.scene "triangle"
  local points = scene:add_mesh("triangle"):add_primitive("points", 3)
  local x = points:add_attribute("x",
    { rows = 3, value = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } } })
  local mass = points:add_constant("mass", { value = { 1, 2, 3 } })
  local body = scene:add_body { name = "triangle", unknowns = { x }, inertia = function(d)
    return 0.5 * mass * d:squared_norm()
  end }
  local rods = scene.triangle:add_primitive("rods", 3)
  local p = rods:add_connectivity("ends", points, { { 0, 1 }, { 1, 2 }, { 2, 0 } }, 2):gather(x)
  local length = (p:row(2) - p:row(1)):norm()
  scene:add_constraint(length - rods:add_constant("length", { value = rods:evaluate(length) }),
    { name = "rods" })
  local v = body.unknowns[1].velocity
  -- (0.5, 0, 1) + (0, 0, 2) x position: a rigid motion.
  v:update { { 0.5, 0, 1 }, { 0.5, 2, 1 }, { -3.5, 0, 1 } }
  return scene, x, v, { 1, 2, 3 }
end

local function momenta(x, v, masses)
  local P, L = { 0, 0, 0 }, { 0, 0, 0 }
  for i, m in ipairs(masses) do
    local p, u = x:value():table()[i], v:value():table()[i]
    for k = 1, 3 do
      local a, b = k % 3 + 1, (k + 1) % 3 + 1
      P[k], L[k] = P[k] + m * u[k], L[k] + m * (p[a] * u[b] - p[b] * u[a])
    end
  end
  return P, L
end

-- Directions of constraints are those of pairs: momenta are kept by all; those of the start of the
-- step act at other places, which costs SHAKE nothing in the mean and velocity stepping a little.
for _, method in ipairs { "rattle", "sap", "proj2", "proj2_half", "pbd", "fast_projection" } do
  harness.test(method .. " keeps the momentum of a free body", function()
    local scene, x, v, masses = triangle()
    local P, L = momenta(x, v, masses)
    local stepper = std.integrate[method](scene, { dt = 0.01 })
    local start = stepper:kinetic_energy()
    for _ = 1, 50 do stepper:step() end
    local P1, L1 = momenta(x, v, masses)
    for k = 1, 3 do
      harness.close(P1[k], P[k], 1e-9, method .. ": momentum")
      if method == "rattle" then harness.close(L1[k], L[k], 1e-8, "angular momentum") end
    end
    if method == "rattle" then
      assert(stepper:constraint_error() < 1e-9 and stepper:velocity_error() < 1e-9)
      harness.close(stepper:kinetic_energy(), start, 1e-3 * start)
    else
      assert(stepper:kinetic_energy() < start * (1 + 1e-9), "energy grows")
    end
  end)
end

-- ---- Gauss-Seidel ----

-- A chain of rods and, in the middle, a point held by three rows.
local function chain(compliance)
  local scene = basin.scene "chain"
  local n = 9
  local points = scene:add_mesh("chain"):add_primitive("points", n)
  local places = {}
  for i = 1, n do places[i] = { i - 1, 0.1 * math.sin(3 * i), 0.05 * i } end
  local x = points:add_attribute("x", { rows = 3, value = places })
  local mass = points:add_constant("mass", { value = basin.array.range(1, n, 0.25) })
  scene:add_body { name = "chain", unknowns = { x }, inertia = function(d)
    return 0.5 * mass * d:squared_norm()
  end, gravity = function(g) return -(mass * x:dot(g)) end }
  local rods = scene.chain:add_primitive("rods", n - 1)
  local ends = rods:add_connectivity("ends", points, basin.array.chain(n), 2)
  local p = ends:gather(x)
  scene:add_constraint((p:row(2) - p:row(1)):norm() - 0.9, { name = "rods",
    compliance = compliance })
  local pins = scene.chain:add_primitive("pins", 1)
  local middle = pins:add_connectivity("point", points, { 4 }, 1):gather(x)
  scene:add_constraint(middle - pins:add_constant("place", { rows = 3, value = { 4, 0.3, 0.1 } }),
    { name = "pin", compliance = compliance })
  return scene, x, mass
end

-- The same step with numbers, row after row.
local function by_hand(x, mass, h, g, sweeps, compliance)
  local rows, w = x:table(), {}
  for i, m in ipairs(mass:table()) do
    w[i], rows[i][2] = 1 / m, rows[i][2] - g * h ^ 2
  end
  local s, sums = compliance / h ^ 2, {}
  local function change(key, c, slopes)
    local stiffness = s
    for i, slope in pairs(slopes) do
      stiffness = stiffness + w[i] * (slope[1] ^ 2 + slope[2] ^ 2 + slope[3] ^ 2)
    end
    local y = -(c + s * (sums[key] or 0)) / stiffness
    sums[key] = (sums[key] or 0) + y
    for i, slope in pairs(slopes) do
      for k = 1, 3 do rows[i][k] = rows[i][k] + w[i] * slope[k] * y end
    end
  end
  for _ = 1, sweeps do
    for i = 1, #rows - 1 do
      local a, b = rows[i], rows[i + 1]
      local d = { b[1] - a[1], b[2] - a[2], b[3] - a[3] }
      local l = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
      local n = { d[1] / l, d[2] / l, d[3] / l }
      change(i, l - 0.9, { [i] = { -n[1], -n[2], -n[3] }, [i + 1] = n })
    end
    for k, place in ipairs { 4, 0.3, 0.1 } do
      local slope = { 0, 0, 0 }
      slope[k] = 1
      change("pin" .. k, rows[5][k] - place, { [5] = slope })
    end
  end
  return rows, sums
end

for method, compliance in basin.sorted { pbd = 0, xpbd = 1e-3 } do
  harness.test(method .. " is Gauss-Seidel in the given order", function()
    local scene, x, mass = chain(compliance)
    local expected, sums = by_hand(x:value(), mass:value(), 0.02, 9.8, 7, compliance)
    local stepper = std.integrate[method](scene, { dt = 0.02, gravity = { 0, -9.8, 0 },
      sweeps = 7 })
    stepper:step()
    assert((x:value() - basin.array.from(expected)):max_abs() < 1e-13, "positions")
    local forces = stepper:forces()
    for i = 1, 8 do harness.close(forces.rods[i], sums[i] / 0.02 ^ 2, 1e-8, "force") end
    for k = 1, 3 do harness.close(forces.pin[k], sums["pin" .. k] / 0.02 ^ 2, 1e-8, "force") end
  end)
end

harness.test("one compliant row by XPBD is implicit Euler on its energy", function()
  local h, T = 0.02, 1
  local function place(make)
    local scene = basin.scene "one"
    local point = scene:add_mesh("m"):add_primitive("point", 1)
    local x = point:add_attribute("x", { value = 1 })
    scene:add_body { name = "m", unknowns = { x }, inertia = function(d) return d ^ 2 end }
    make(scene, x)
    return x:value()[1]
  end
  local soft = place(function(scene, x)
    scene:add_constraint(x - 0.25, { name = "c", compliance = 1 / 50 })
    local stepper = std.integrate.xpbd(scene, { dt = h, sweeps = 3 })
    for _ = 1, math.floor(T / h) do stepper:step() end
  end)
  local euler = place(function(scene, x)
    scene:add_energy(0.5 * 50 * (x - 0.25) ^ 2, { name = "c" })
    basin.simulate(scene, { dt = h, steps = math.floor(T / h), newton = { tolerance = 1e-10 } })
  end)
  harness.close(soft, euler, 1e-10)
end)

harness.test("a compliance an instance, switched off and on", function()
  local scene, x = chain()
  scene:constraints()[1]:disable()
  local rods = scene.chain.rods
  local values = {}
  for i = 1, 8 do values[i] = i <= 4 and 0 or 1e9 end
  local p = rods.ends:gather(x)
  scene:add_constraint((p:row(2) - p:row(1)):norm() - 0.9, { name = "half",
    compliance = rods:add_constant("compliance", { value = values }) })
  scene:constraints()[2]:disable()
  std.integrate.xpbd(scene, { dt = 0.02, sweeps = 200 }):step()
  local lengths = rods:evaluate((p:row(2) - p:row(1)):norm()):table()
  for i = 1, 3 do harness.close(lengths[i], 0.9, 1e-3, "rigid") end
  assert(lengths[7] > 0.99, "soft")
end)

-- ---- scenes ----

local function rope(name)
  local scene = basin.scene(name)
  local body = std.body.rope(scene, "rope", {
    mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 6 }, density = 1,
    stiffness = 50,
  })
  return scene, body
end

harness.test("held vertices stay or follow their path", function()
  local scene, body = rope "held"
  local stepper = std.integrate.verlet(scene, { dt = 0.005, gravity = { 0, -9.8, 0 }, hold = {
    { position = body.position, vertices = { 0 } },
    { position = body.position, vertices = { 4, 5 }, motion = function(time)
      return { 0, 0, time ^ 2 }
    end },
  } })
  for _ = 1, 40 do stepper:step() end
  local x = body.position:value():table()
  for k, value in ipairs { 0, 0, 0 } do harness.close(x[1][k], value, 0) end
  for k, value in ipairs { 1, 0, 0.2 ^ 2 } do harness.close(x[6][k], value, 1e-15) end
  local v = body.motion.unknowns[1].velocity:value():table()
  harness.close(v[6][3], (0.2 ^ 2 - 0.195 ^ 2) / 0.005, 1e-10)
  assert(x[3][2] < -0.01, "the rest falls")
end)

harness.test("what attribute:hold holds stays, until it is released", function()
  local scene, body = rope "attribute"
  body.position:hold { 0, 5 }
  local stepper = std.integrate.verlet(scene, { dt = 0.005, gravity = { 0, -9.8, 0 } })
  for _ = 1, 10 do stepper:step() end
  local x = body.position:value():table()
  assert(x[1][2] == 0 and x[6][1] == 1 and x[6][2] == 0 and x[3][2] < 0)
  body.position:release { 5 }
  for _ = 1, 10 do stepper:step() end
  x = body.position:value():table()
  assert(x[1][2] == 0 and x[6][2] < 0)
end)

-- Steps through basin.simulate: pins of the scene, checkpoints, restart.
for _, method in ipairs { "symplectic_euler", "rattle", "xpbd" } do
  harness.test("restart of " .. method, function()
    local function build()
      local scene, body = rope "restart"
      std.constraint.pin(body, { vertices = { 0 }, stiffness = 500, motion = function(time)
        return { 0, 0.1 * math.sin(9 * time), 0 }
      end })
      if method ~= "symplectic_euler" then
        local rods = scene:add_mesh("rods"):add_primitive("rods", 2)
        local p = rods:add_connectivity("ends", body.vertices, { { 2, 3 }, { 4, 5 } }, 2)
          :gather(body.position)
        scene:add_constraint((p:row(2) - p:row(1)):norm() - 0.2, { name = "rods" })
      end
      return scene, body, std.integrate[method](scene, { dt = 0.01, gravity = { 0, -9.8, 0 } })
    end
    local function state(body)
      return body.position:value():bytes() .. body.motion.unknowns[1].velocity:value():bytes()
    end
    local file = folder .. "/" .. method .. ".npz"
    local scene, body, stepper = build()
    basin.simulate(scene, { integrator = stepper, steps = 20,
      checkpoint = { file = file, every = 12 } })
    local expected = state(body)
    scene, body, stepper = build()
    local report = basin.simulate(scene, { integrator = stepper, steps = 20, restart = file })
    harness.equal(report.steps, 8, "steps after the restart")
    assert(state(body) == expected, "the states differ")
  end)
end

harness.test("a free rigid body keeps its angular momentum and nearly its energy", function()
  local scene = basin.scene "tumbler"
  local body = std.body.rigid(scene, "body", { position = { { 0, 0, 0 } }, mass = 2,
    inertia = { { 1, 2, 3 } }, spin = { { 0.1, 2, 0.1 } } })
  local stepper = std.integrate.rigid(scene, { dt = 1e-3, bodies = body, gravity = { 0, -9.8, 0 } })
  local momentum, energy = body.angular_momentum:value(), nil
  for _ = 1, 200 do
    stepper:step()
    energy = energy or stepper:kinetic_energy() - 9.8 ^ 2 * 1e-6
  end
  assert((body.angular_momentum:value() - momentum):max_abs() == 0)
  harness.close(stepper:kinetic_energy() - 9.8 ^ 2 * 0.2 ^ 2, energy, 1e-3)
  harness.close(body.position:value()[1][2], -9.8 * 1e-6 * 200 * 201 / 2, 1e-12)
end)
harness.finish()
