-- Vertices that are held exactly: in every integrator, along paths, against pins, after restarts.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

local folder = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")
local gravity <const> = { 0, -9.8, 0 }

local function same_bits(a, b, what)
  assert(a:bytes() == b:bytes(), what .. ": the bits differ")
end

-- Places turned about the x axis.
local function turned(start, angle)
  local c, s = math.cos(angle), math.sin(angle)
  local places = start:table()
  for _, p in ipairs(places) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
  return basin.array.from(places)
end

-- A block held at both ends, the right of which turns.
local function twisted(given)
  local scene = basin.scene "twisted"
  local body = scenes.block(scene, "block", given)
  local left, right = body.mesh:select { "left" }, body.mesh:select { "right" }
  std.constraint.fix(body, { vertices = left })
  local fix = std.constraint.fix(body, { vertices = right,
    motion = function(time, start) return turned(start, 2 * time) end })
  return scene, body, left, right, fix
end

for _, integrator in ipairs { "implicit_euler", "bdf2", "newmark", "quasistatic" } do
  harness.test("held vertices are where they should be: " .. integrator, function()
    local scene, body, left, right = twisted()
    local start, steps = body.position:value(), 0
    local report = basin.simulate(scene, { dt = 0.02, steps = 8, gravity = gravity,
      integrator = integrator, on_step = function(state)
      local now = body.position:value()
      same_bits(now:select(left), start:select(left), "left")
      same_bits(now:select(right), turned(start:select(right), 2 * state.time), "right")
      assert((now - start):max_abs() > 1e-3, "the others move")
      steps = steps + 1
    end })
    harness.equal(steps, 8)
    harness.equal(report.reasons.converged, 8)
  end)
end

harness.test("the same with a first-order method", function()
  local scene, body, left, right = twisted()
  local start = body.position:value()
  local report = basin.simulate(scene, { dt = 0.02, steps = 3, gravity = gravity,
    solve = { method = "lbfgs" } })
  harness.equal(report.reasons.converged, 3)
  local now = body.position:value()
  same_bits(now:select(left), start:select(left), "left")
  same_bits(now:select(right), turned(start:select(right), 2 * 0.06), "right")
end)

harness.test("the same with an explicit stepper", function()
  local scene, body, left, right = twisted()
  local start = body.position:value()
  local stepper = std.integrate.verlet(scene, { dt = 1e-3, gravity = gravity })
  for _ = 1, 5 do stepper:step() end
  local now = body.position:value()
  same_bits(now:select(left), start:select(left), "left")
  same_bits(now:select(right), turned(start:select(right), 2 * 0.005), "right")
  assert((now - start):max_abs() < 0.1, "it holds together")
end)

-- An energy that ends where elements invert: the ends go as far as the filter lets them, the block
-- makes room, and all arrive.
harness.test("a path that inverts elements if it is gone at once", function()
  local scene = basin.scene "pushed"
  local body = scenes.block(scene, "block",
    { material = std.elastic.neo_hookean { young = 1e4, poisson = 0.3 } })
  std.constraint.fix(body, { vertices = body.mesh:select { "left" } })
  local right = body.mesh:select { "right" }
  std.constraint.fix(body, { vertices = right,
    motion = function(time) return { -2 * time, 0, 0 } end })
  local start = body.position:value()
  local report = basin.simulate(scene, { dt = 0.05, steps = 2, newton = { tolerance = 1e-2 },
    on_step = function(state)
      local moved = (body.position:value() - start):select(right)
      same_bits(body.position:value():select(right):component(1),
        (start:select(right) + basin.array.filled(right.count, { -2 * state.time, 0, 0 }))
        :component(1), "right")
      -- half of the length of 0.4 m: cells of 0.1 m would have inverted at once
      assert(math.abs(moved:component(2):max_abs()) == 0)
    end })
  harness.equal(report.reasons.converged, 2)
end)

harness.test("coordinates that slide, and vertices that are let go", function()
  local scene = basin.scene "sliding"
  local body = scenes.block(scene, "block")
  local left = body.mesh:select { "left" }
  local fix = std.constraint.fix(body, { vertices = left, entries = { 2 },
    motion = function(time) return { 5, 0.1 * time, 5 } end })
  local start, before = body.position:value(), nil
  basin.simulate(scene, { dt = 0.01, steps = 8, gravity = { 3, -9.8, 0 }, on_step = function(state)
    local now, count = body.position:value():select(left), left.count
    if state.step <= 5 then
      same_bits(now:component(2), start:select(left):component(2)
        + basin.array.filled(count, 0.1 * state.time), "height")
      assert((now - start:select(left)):component(1):max_abs() > 0, "they slide")
      assert((now - start:select(left)):component(3):max_abs() < 1, "other entries are no path")
    else
      assert((now - before):component(2):max() < 0, "they fall")
    end
    before = now
    if state.step == 5 then fix:release() end
  end })
end)

-- Of all vertices together: mass times what inertia lacks, less the weight, is what holds.
harness.test("the gradient of held vertices is the force that holds them", function()
  local scene, body = twisted()
  local dt, part = 0.01, nil
  basin.simulate(scene, { dt = dt, steps = 6, gravity = gravity, newton = { tolerance = 1e-6,
    linear = { solver = "direct" } }, on_step = function()
    part = body.motion.unknowns[1]
    local mass = body.vertices.mass:value()
    local lacking = part.value:value() - part.predicted:value()
    local g, held = scene:gradient(), body.position:held()
    for i = 1, 3 do
      local expected = (lacking:component(i) * mass):sum() / dt ^ 2
        - mass:sum() * gravity[i]
      harness.close(g:select(held):component(i):sum(), expected, 1e-5, "component " .. i)
    end
  end })
end)

harness.test("pins of growing stiffness converge to what is held", function()
  local function run(stiffness)
    local scene = basin.scene "pinned"
    local body = scenes.block(scene, "block")
    local left = body.mesh:select { "left" }
    local motion = function(time) return { 0, 0.5 * time, 0 } end
    if stiffness then
      std.constraint.pin(body, { vertices = left, stiffness = stiffness, motion = motion })
    else
      std.constraint.fix(body, { vertices = left, motion = motion })
    end
    basin.simulate(scene, { dt = 0.02, steps = 5, gravity = gravity, newton = { tolerance = 1e-8,
      linear = { solver = "direct" } } })
    return body.position:value()
  end
  local exact = run()
  local first, second = (run(1e5) - exact):max_abs(), (run(1e6) - exact):max_abs()
  assert(first > second and second > 0)
  harness.close(first / second, 10, 0.1, "first order in 1 / stiffness")
end)

for _, integrator in ipairs { "implicit_euler", "bdf2" } do
  harness.test("restart of " .. integrator, function()
    local function run(given)
      local scene, body, _, _, fix = twisted { damping = { stiffness = 0.002 } }
      local options = { dt = 0.01, steps = 12, gravity = gravity, integrator = integrator,
        on_step = function(state) if state.step == 5 then fix:release() end end }
      for key, value in pairs(given) do options[key] = value end
      basin.simulate(scene, options)
      return body.position:value():bytes() .. body.motion.unknowns[1].velocity:value():bytes()
        .. select(2, body.position:held()):bytes()
    end
    local file = ("%s/fix_%s.npz"):format(folder, integrator)
    local expected = run { checkpoint = { file = file, every = 7 } }
    assert(run { restart = file } == expected, "the states differ")
    local early = run { checkpoint = { file = file, every = 3 }, steps = 3 }
    assert(early ~= expected and run { restart = file } == expected, "the states differ")
  end)
end

harness.test("everything held: a step is no work", function()
  local scene = basin.scene "still"
  local body = scenes.block(scene, "block")
  std.constraint.fix(body, { vertices = basin.array.range(0, body.vertices.count) })
  local start = body.position:value()
  local report = basin.simulate(scene, { dt = 0.01, steps = 2, gravity = gravity })
  same_bits(body.position:value(), start, "all")
  harness.equal(report.reasons.converged, 2)
  harness.equal(body.motion.unknowns[1].velocity:value():max_abs(), 0)
end)

harness.finish()
