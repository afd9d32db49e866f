-- Joints of affine bodies: what they hold, the periods of pendulums, limits, drives, momentum.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

local LENGTH <const>, G <const> = 0.4, 9.8

local function bar(scene, name, given)
  local all = { density = 500, stiffness = 1e8,
    mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1, width = LENGTH, height = 0.05, depth = 0.05 } }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.affine(scene, name, all)
end

local function simulate(scene, given)
  local all = { dt = 0.01, steps = 50, gravity = { 0, -G, 0 },
    newton = { rule = "gradient", tolerance = 1e-7, linear = { solver = "direct" } } }
  for key, value in pairs(given) do all[key] = value end
  return basin.simulate(scene, all)
end

-- A vector of a body as a list: its translation, or what its matrix does to one.
local function moved(body, X)
  local A, t, x = body.bodies.affine_matrix:value(), body.bodies.translation:value(), {}
  for i = 1, 3 do
    x[i] = t:at(1, i)
    for k = 1, 3 do x[i] = x[i] + A:at(1, i, k) * X[k] end
  end
  return x
end

local function distance(a, b)
  return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2)
end

-- A bar hangs from its end, turned a little out of the vertical.
local function hanging(scene, angle)
  local mesh = basin.mesh.box({ nx = 1, ny = 1, nz = 1, width = 0.05, height = LENGTH,
    depth = 0.05 }):rotated { axis = { 0, 0, 1 }, angle = angle }
  local x, y = 0.5 * LENGTH * math.sin(angle), -0.5 * LENGTH * math.cos(angle)
  return bar(scene, "bar", { mesh = mesh, copies = { { x, y, 0 } } })
end

-- The time of the first passage through the vertical, between steps of 2 ms.
local function quarter_period(add)
  local scene = basin.scene "pendulum"
  local body, angle, last, time = hanging(scene, 0.05), nil, nil, nil
  add(body)
  simulate(scene, { dt = 2e-3, steps = 200, integrator = "bdf2", on_step = function(state)
    angle = body.bodies.translation:value():at(1, 1)
    if last and last > 0 and angle <= 0 then time = state.time - 2e-3 * angle / (angle - last) end
    last = angle
    return time == nil
  end })
  return time
end

-- T = 2 pi sqrt(I / (m g l)) with I = m (L^2 / 3 + w^2 / 12) about the end of a bar.
local EXPECTED <const> = 0.5 * math.pi * math.sqrt((LENGTH ^ 2 / 3 + 0.05 ^ 2 / 12)
  / (G * 0.5 * LENGTH))

harness.test("a hinge swings with the period of a rigid pendulum", function()
  local time = quarter_period(function(body)
    std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 0, 1 } })
  end)
  harness.close(time, EXPECTED, 0.004 * EXPECTED)
end)

harness.test("so does a ball joint", function()
  local time = quarter_period(function(body)
    std.joint.ball(body, "world", { at = { 0, 0, 0 } })
  end)
  harness.close(time, EXPECTED, 0.004 * EXPECTED)
end)

harness.test("two bodies on a ball joint keep their momentum", function()
  local scene = basin.scene "free"
  local a = bar(scene, "a", { velocity = { 0.3, 0.2, 0 } })
  local b = bar(scene, "b", { copies = { { LENGTH, 0, 0 } }, spin = { 0, 2, 1 }, density = 900 })
  std.joint.ball(a, b, { at = { LENGTH / 2, 0, 0 } })
  local function momentum()
    local sum = { 0, 0, 0 }
    for _, body in ipairs { a, b } do
      local v = body.motion.unknowns[2].velocity:value()
      for i = 1, 3 do sum[i] = sum[i] + body.mass * v:at(1, i) end
    end
    return sum
  end
  local before = momentum()
  simulate(scene, { gravity = { 0, 0, 0 }, steps = 60 })
  assert(distance(before, momentum()) < 1e-8, "momentum has changed")
  local gap = distance(moved(a, { LENGTH / 2, 0, 0 }), moved(b, { -LENGTH / 2, 0, 0 }))
  assert(gap < 1e-4 * LENGTH, ("the joint is %.3g m apart"):format(gap))
end)

harness.test("a hinge stops at its limit", function()
  local scene = basin.scene "limit"
  local a, b = bar(scene, "a"), bar(scene, "b", { copies = { { LENGTH, 0, 0 } } })
  std.joint.weld("world", a, { at = { 0, 0, 0 } })
  local hinge = std.joint.hinge(a, b, { at = { LENGTH / 2, 0, 0 }, axis = { 0, 0, 1 },
    limit = { lower = -0.5, upper = 0.5 } })
  local least = 0
  simulate(scene, { steps = 200, on_step = function()
    least = math.min(least, hinge.angle:compute()[1])
  end })
  assert(least > -0.6, ("angle %.3g"):format(least))
  harness.close(hinge.angle:compute()[1], -0.5, 0.05)
  assert(distance(moved(a, { 0, 0, 0 }), { 0, 0, 0 }) < 1e-4, "the weld holds")
end)

harness.test("a slider falls along its axis and does not turn", function()
  local scene = basin.scene "slider"
  local body = bar(scene, "body")
  local slider = std.joint.slider("world", body, { at = { 0, 0, 0 }, axis = { 1, -1, 0 } })
  simulate(scene, { steps = 40 })
  -- Steps of implicit Euler: half the acceleration times t (t + dt).
  local expected = 0.5 * G / math.sqrt(2) * 0.4 * 0.41
  harness.close(slider.position:compute()[1], expected, 1e-3 * expected)
  local x = moved(body, { 0, 0, 0 })
  assert(math.abs(x[1] + x[2]) < 1e-4, ("off its axis by %.3g m"):format(x[1] + x[2]))
  local tip = moved(body, { 1, 0, 0 })
  harness.close(tip[2] - x[2], 0, 1e-3, "it turned")
end)

harness.test("a drive moves a hinge to its target, which may change", function()
  local scene = basin.scene "drive"
  local body = bar(scene, "body", { copies = { { LENGTH / 2, 0, 0 } } })
  local hinge = std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 1, 0 },
    drive = { target = 0, stiffness = 20 } })
  simulate(scene, { steps = 150, on_step = function(state)
    hinge.target:update(math.min(0.6, 0.8 * state.time))
  end })
  harness.close(hinge.angle:compute()[1], 0.6, 0.02)
end)

harness.test("a drive follows its target through pi and over whole turns", function()
  for _, speed in ipairs { 5, -5 } do
    local scene = basin.scene "motor"
    local body = bar(scene, "body", { copies = { { LENGTH / 2, 0, 0 } } })
    local hinge = std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 0, 1 },
      drive = { target = 0, stiffness = 50 } })
    local last = 0
    local report = simulate(scene, { steps = 150, gravity = { 0, 0, 0 },
      on_step = function(state)
        local angle = hinge.angle:compute()[1]
        assert(math.abs(angle - last) < 0.2, ("jumps from %g to %g"):format(last, angle))
        last = angle
        hinge.target:update(speed * state.time)
      end })
    harness.close(last, speed * 1.5, 0.1)
    harness.equal(report.reasons.converged, 150)
  end
end)

harness.test("a target that is turns away is reached", function()
  for _, stiffness in ipairs { 50, 1e5 } do
    local scene = basin.scene "far"
    local body = bar(scene, "body", { copies = { { LENGTH / 2, 0, 0 } } })
    local hinge = std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 0, 1 },
      drive = { target = 10, stiffness = stiffness } })
    simulate(scene, { steps = 200, gravity = { 0, 0, 0 } })
    harness.close(hinge.angle:compute()[1], 10, 0.02, ("stiffness %g"):format(stiffness))
  end
end)

harness.test("a limit near pi is not jumped", function()
  for _, spin in ipairs { 60, -60 } do
    local scene = basin.scene "stop"
    local body = bar(scene, "body", { spin = { 0, 0, spin } })
    local hinge = std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 0, 1 },
      limit = { lower = -3.1, upper = 3.1 } })
    local largest = 0
    simulate(scene, { steps = 60, gravity = { 0, 0, 0 }, on_step = function()
      largest = math.max(largest, math.abs(hinge.angle:compute()[1]))
    end })
    assert(largest > 3.1, "the limit was not reached")
    -- strength (o / 6.2)^3 is at most the energy of the turn.
    local energy = 0.5 * body.mass * (LENGTH ^ 2 + 0.05 ^ 2) / 12 * spin ^ 2
    local strength = 1e3 * G * body.mass * LENGTH
    assert(largest < 3.1 + 6.2 * (energy / strength) ^ (1 / 3) + 0.01, tostring(largest))
    local angle = hinge.angle:compute()[1]
    assert(angle * spin < 0 or math.abs(angle) < 3.1, "it came through")
  end
end)

harness.test("a driven hinge beyond pi restarts in the same bits", function()
  local file = assert(os.getenv "BASIN_TEST_OUTPUT") .. "/motor.npz"
  local function run(steps, given)
    local scene = basin.scene "motor"
    local body = bar(scene, "body", { copies = { { LENGTH / 2, 0, 0 } } })
    local hinge = std.joint.hinge("world", body, { at = { 0, 0, 0 }, axis = { 0, 0, 1 },
      drive = { target = 0, stiffness = 50 } })
    given.steps, given.on_step = steps, function(state)
      hinge.target:update(6 * state.time)
    end
    simulate(scene, given)
    return body.bodies.affine_matrix:value():bytes() .. hinge.angle:compute():bytes()
  end
  local whole = run(80, {})
  run(60, { checkpoint = { file = file, every = 60 } })
  harness.equal(run(80, { restart = file }) == whole, true)
end)

harness.test("copies are named by their numbers", function()
  local scene = basin.scene "chain"
  local links = {}
  for i = 1, 5 do links[i] = { (i - 0.5) * LENGTH, 0, 0 } end
  local chain = bar(scene, "chain", { copies = links })
  std.joint.hinge("world", { chain, 1 }, { at = { 0, 0, 0 }, axis = { 0, 0, 1 } })
  for i = 1, 4 do
    std.joint.hinge({ chain, i }, { chain, i + 1 }, { at = { i * LENGTH, 0, 0 },
      axis = { 0, 0, 1 } })
  end
  local report = simulate(scene, { steps = 30, newton = { tolerance = 1e-4,
    linear = { solver = "direct" } } })
  assert(report.reasons.converged == 30, tostring(report))
  local t, A = chain.bodies.translation:value(), chain.bodies.affine_matrix:value()
  for i = 1, 4 do
    for k = 1, 3 do
      local right = t:at(i, k) + A:at(i, k, 1) * LENGTH / 2
      local left = t:at(i + 1, k) - A:at(i + 1, k, 1) * LENGTH / 2
      harness.close(right, left, 1e-3 * LENGTH, "link " .. i)
    end
  end
end)

harness.test("arguments are checked", function()
  local scene = basin.scene "wrong"
  local a = bar(scene, "a")
  local fixed = std.body.fixed(scene, "fixed", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 } })
  local at = { 0, 0, 0 }
  harness.fails("joints hold affine bodies, 'fixed' is none", std.joint.ball, a, fixed, { at = at })
  harness.fails("needs two bodies", std.joint.ball, a, a, { at = at })
  harness.fails("needs two bodies", std.joint.ball, "world", "world", { at = at })
  harness.fails("has copies 1 to 1, not 2", std.joint.ball, "world", { a, 2 }, { at = at })
  harness.fails("option 'axis' is missing", std.joint.hinge, "world", a, { at = at })
  harness.fails("'axis' needs 3 numbers, not all 0", std.joint.hinge, "world", a,
    { at = at, axis = { 0, 0, 0 } })
  harness.fails("'lower' must lie below 'upper'", std.joint.hinge, "world", a,
    { at = at, axis = { 0, 1, 0 }, limit = { lower = 1, upper = 0 } })
  harness.fails("angles lie between %-pi and pi, got %-90 to 90.*radians",
    std.joint.hinge, "world", a,
    { at = at, axis = { 0, 1, 0 }, limit = { lower = -90, upper = 90 } })
end)
harness.finish()
