-- Friction between bodies: a block on a slope at, below and above its friction angle; a stack.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local SLIP <const> = 1e-3
local ANGLE <const> = math.atan(0.5)
local G <const> = 9.8

local function box(width, height)
  return basin.mesh.box { nx = 1, ny = 1, nz = 1, width = width, height = height, depth = width,
    surface = true }
end

local newton <const> = { rule = "gradient", tolerance = 1e-7, max_iterations = 200,
  linear = { solver = "direct" } }

-- A stiff block on a fixed slope of 26.57 degrees; `gap` is the distance at which it rests. Returns
-- the distance travelled down the slope after each step.
local function slide(friction, given)
  local scene = basin.scene "slope"
  local function turned(mesh) return mesh:rotated { axis = { 0, 0, 1 }, angle = -ANGLE } end
  local n = { math.sin(ANGLE), math.cos(ANGLE) }
  local height = 0.1 + 0.025 + 1.6e-3 -- half the slope, half the block, and where it floats
  local slope = std.body.fixed(scene, "slope", { mesh = turned(box(2, 0.2)) })
  local block = std.body.affine(scene, "block", { mesh = turned(box(0.1, 0.05)),
    copies = { { n[1] * height, n[2] * height, 0 } }, density = 1000, stiffness = 1e7 })
  local all = { bodies = { slope, block }, distance = 2e-3, stiffness = 1e4, slip = SLIP,
    friction = friction }
  for key, value in pairs(given or {}) do all[key] = value end
  local witness = guard.new(std.contact.barrier(scene, all), { slope, block })
  local history, start = {}, block.position:compute()
  local report = basin.simulate(scene, { dt = 0.005, steps = 60, gravity = { 0, -G, 0 },
    newton = newton, on_step = witness:on_step(function(state)
      local moved = block.position:compute() - start
      history[state.step] = moved:component(1):mean() * math.cos(ANGLE)
        - moved:component(2):mean() * math.sin(ANGLE)
    end) })
  assert(report.reasons.converged == 60, tostring(report))
  return history
end

local function speed(history, from, to)
  return (history[to] - history[from]) / ((to - from) * 0.005)
end

-- f0 has the slope f (2 - f) below the slip speed: where it balances the pull.
local function creep(friction) return SLIP * (1 - math.sqrt(1 - math.tan(ANGLE) / friction)) end

harness.test("below the friction angle the block creeps as the smoothing says", function()
  harness.close(speed(slide(0.6), 40, 60) / creep(0.6), 1, 0.05)
end)

harness.test("at the friction angle it neither gains nor loses speed", function()
  local history = slide(0.5)
  local gained = (speed(history, 50, 60) - speed(history, 20, 30)) / (30 * 0.005)
  assert(math.abs(gained) < 0.002 * G, ("it gains %.3g m/s^2"):format(gained))
end)

harness.test("above it slides with a = g (sin - mu cos)", function()
  local history = slide(0.3)
  local a = G * (math.sin(ANGLE) - 0.3 * math.cos(ANGLE))
  harness.close((speed(history, 50, 60) - speed(history, 20, 30)) / (30 * 0.005) / a, 1, 0.02)
end)

harness.test("static and dynamic coefficients", function()
  -- Held by the static one.
  local held = slide(0, { static_friction = 0.8, dynamic_friction = 0.6 })
  assert(speed(held, 40, 60) < SLIP, "the block slides")
  -- The static one is too small, the dynamic one decides the acceleration.
  local sliding = slide(0, { static_friction = 0.4, dynamic_friction = 0.2 })
  local a = G * (math.sin(ANGLE) - 0.2 * math.cos(ANGLE))
  harness.close((speed(sliding, 50, 60) - speed(sliding, 20, 30)) / (30 * 0.005) / a, 1, 0.02)
end)

harness.test("coefficients of a pair of bodies, and renewed forces", function()
  local history = slide(0, { pairs = { { "block", "slope", friction = 0.6 } },
    friction_iterations = 2 })
  harness.close(speed(history, 40, 60) / creep(0.6), 1, 0.05)
end)

harness.test("a stack of blocks neither slides nor creeps by a tenth of the slip speed", function()
  local scene = basin.scene "stack"
  local floor = std.body.fixed(scene, "floor", { mesh = box(2, 0.1) })
  local offsets = {}
  for i = 1, 4 do offsets[i] = { 0.003 * i, 0.05 + 0.0267 + 0.0517 * (i - 1), 0.002 * i } end
  local blocks = std.body.affine(scene, "blocks", { mesh = box(0.1, 0.05), copies = offsets,
    density = 1000, stiffness = 1e7 })
  local bodies = { floor, blocks }
  local witness = guard.new(std.contact.barrier(scene, { bodies = bodies, distance = 2e-3,
    stiffness = 1e4, friction = 0.5, slip = SLIP }), bodies)
  local before
  basin.simulate(scene, { dt = 0.01, steps = 60, gravity = { 0, -G, 0 }, newton = newton,
    on_step = witness:on_step(function(state)
      if state.step == 30 then before = blocks.position:compute() end
    end) })
  local moved = (blocks.position:compute() - before):table()
  for _, d in ipairs(moved) do
    assert(math.max(math.abs(d[1]), math.abs(d[3])) < 0.1 * SLIP * 0.3,
      ("a vertex moved by %.3g, %.3g m in 0.3 s"):format(d[1], d[3]))
  end
end)
harness.finish()
