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
  local held = slide(nil, { static_friction = 0.8, dynamic_friction = 0.6 })
  assert(speed(held, 40, 60) < SLIP, "the block slides")
  -- The static one is too small, the dynamic one decides the acceleration.
  local sliding = slide(nil, { static_friction = 0.4, dynamic_friction = 0.2 })
  local a = G * (math.sin(ANGLE) - 0.2 * math.cos(ANGLE))
  harness.close((speed(sliding, 50, 60) - speed(sliding, 20, 30)) / (30 * 0.005) / a, 1, 0.02)
end)

-- A block on level ground, which gravity pulls along with 3 m/s^2; its acceleration.
local function pulled(given, on_plane)
  local scene = basin.scene "pulled"
  local block = std.body.affine(scene, "block", { mesh = box(0.2, 0.2), density = 1000,
    stiffness = 1e6, copies = { { 0.013, 0.1035, 0.017 } } })
  local all = { bodies = { block }, distance = 5e-3 }
  if on_plane then
    all.planes = { { normal = { 0, 1, 0 }, offset = 0 } }
  else
    all.bodies[2] = std.body.fixed(scene, "ground", { mesh = box(4, 0.2):translated { 0.1, -0.1,
      0 } })
  end
  for key, value in pairs(given) do all[key] = value end
  std.contact.barrier(scene, all)
  local x = {}
  local report = basin.simulate(scene, { dt = 0.005, steps = 80, gravity = { 3, -G, 0 },
    on_step = function(state) x[state.step] = block.position:compute():component(1):mean() end })
  assert(report.reasons.converged == 80, tostring(report))
  return (x[80] - 2 * x[60] + x[40]) / 0.1 ^ 2
end

local rules <const> = { default = {}, adaptive = { stiffness = "adaptive" },
  ["semi-implicit"] = { stiffness = "semi_implicit" },
  growing = { stiffness = 1e4, adaptive = true } }

-- a = 3 - mu g whatever holds the weight: normal forces add up to it.
for name, rule in basin.sorted(rules) do
  harness.test("friction goes by the weight with stiffness " .. name, function()
    for _, form in ipairs { "squared_log", "log", "two_stage", "cubic" } do
      for _, on_plane in ipairs { true, false } do
        if not (form == "cubic" and name == "adaptive") then
          local what = ("%s on a %s"):format(form, on_plane and "plane" or "body")
          harness.close(pulled({ form = form, friction = 0.2, stiffness = rule.stiffness,
            adaptive = rule.adaptive }, on_plane), 3 - 0.2 * G, 0.01, what)
        end
      end
    end
  end)
end

harness.test("semi-implicit stiffness with renewed forces, and with thickness", function()
  for _, on_plane in ipairs { true, false } do
    harness.close(pulled({ form = "cubic", stiffness = "semi_implicit", friction = 0.2,
      friction_iterations = 3 }, on_plane), 3 - 0.2 * G, 0.005)
    harness.close(pulled({ form = "log", stiffness = "semi_implicit", friction = 0.2,
      thickness = 2e-3 }, on_plane), 3 - 0.2 * G, 0.01)
  end
end)

harness.test("one of the static and dynamic coefficients stands for both", function()
  harness.close(pulled({ static_friction = 0.2 }), 3 - 0.2 * G, 0.005)
  harness.close(pulled({ dynamic_friction = 0.2 }, true), 3 - 0.2 * G, 0.005)
  harness.close(pulled({ friction = 0.9, pairs = { { "block", "plane", dynamic_friction = 0.2 } } },
    true), 3 - 0.2 * G, 0.005, "of a pair")
end)

harness.test("coefficients that contradict each other are refused", function()
  local grain <const> = { along = 0.2, across = 0.9, direction = { 1, 0, 0 } }
  harness.fails("give either 'friction' or 'static_friction'", pulled, { friction = 1,
    static_friction = 0.2 })
  harness.fails("give either 'friction' or 'static_friction'", pulled, { friction = grain,
    dynamic_friction = 0.2 })
  harness.fails("'static_friction' 0.2 is below 'dynamic_friction' 0.3", pulled,
    { static_friction = 0.2, dynamic_friction = 0.3 })
  harness.fails("'direction' is missing", pulled, { friction = { along = 0.2, across = 0.9 } })
  local function with(friction, pair)
    pair[1], pair[2] = "block", "ground"
    return pulled({ friction = friction, pairs = { pair } })
  end
  harness.fails("pairs: 'static_friction' 0.2 is below", with, 0.1, { static_friction = 0.2,
    dynamic_friction = 0.3 })
  harness.fails("pairs: give either 'friction'", with, 0.1, { friction = 1,
    static_friction = 0.2 })
  harness.fails("do not go with a 'direction'", with, grain, { static_friction = 0.2 })
  harness.fails("'along' and 'across' need a 'direction'", with, 0.1, { friction = { along = 0.2,
    across = 0.9 } })
  harness.fails("all pairs have the 'direction'", with, grain, { friction = grain })
  local own = with(grain, { friction = { along = 0.1, across = 0.8 } })
  harness.close(own, pulled { friction = { along = 0.1, across = 0.8, direction = { 1, 0, 0 } } })
  harness.close(own, 3 - 0.1 * G, 0.02)
end)

harness.test("a stiffness of a pair goes with one in N/m", function()
  local function with(stiffness)
    return pulled { friction = 0.2, stiffness = stiffness, pairs = { { "block", "ground",
      stiffness = 2e4 } } }
  end
  harness.close(with(1e4), pulled { friction = 0.2, stiffness = 2e4 }, 1e-6)
  for _, rule in ipairs { "adaptive", "semi_implicit" } do
    harness.fails("pairs: 'stiffness' goes with a 'stiffness' of the contact in N/m", with, rule)
  end
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
