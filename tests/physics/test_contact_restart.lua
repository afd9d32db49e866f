-- Contact that is interrupted and resumed, in the same process and from a checkpoint, ends in the
-- same bits; what moved or was moved in between is looked at again.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local file = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")
  .. "/contact.npz"
local STEPS <const> = basin.setting("steps", 16)
local STOP <const> = STEPS * 9 // 16

local function cube(width, given)
  local all = { width = width, height = width, depth = width, surface = true }
  for key, value in pairs(given or {}) do all[key] = value end
  return basin.mesh.box(all)
end

-- Rises and sinks, and carries what lies on it along.
local function shake(time, start)
  local rows = start:table()
  for _, p in ipairs(rows) do
    p[1], p[2] = p[1] + 0.3 * time, p[2] + 0.03 * math.sin(25 * time)
  end
  return rows
end

local function build(motion, stiffness)
  local scene = basin.scene "restart"
  local soft = std.body.soft(scene, "soft", { mesh = basin.mesh.sphere { level = 1, radius = 0.08,
    layers = 1 }, copies = { { 0, 0.14, 0 }, { 0.03, 0.31, 0.01 } }, velocity = { 0.3, -1, 0 },
    density = 1000, material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } })
  local stiff = std.body.affine(scene, "stiff", { mesh = cube(0.1), copies = { { 0.3, 0.12, 0 } },
    density = 500, stiffness = 1e6, spin = { 1, 2, 3 } })
  local floor = std.body.fixed(scene, "floor", { mesh = cube(1, { height = 0.1 }),
    motion = motion })
  local bodies = { soft, stiff, floor }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 5e-3,
    stiffness = stiffness or 1e3, friction = 0.3 })
  return { scene = scene, bodies = bodies, witness = guard.new(contact, bodies) }
end

local function simulate(item, more)
  local all = { dt = 0.01, steps = STEPS, gravity = { 0, -9.8, 0 },
    on_step = item.witness:on_step(), newton = { tolerance = 1e-3, max_iterations = 200 } }
  for key, value in pairs(more or {}) do all[key] = value end
  return basin.simulate(item.scene, all)
end

local function state(item)
  local parts = {}
  for _, body in ipairs(item.bodies) do
    for _, part in ipairs(body.motion and body.motion.unknowns or {}) do
      parts[#parts + 1] = part.value:value():bytes() .. part.velocity:value():bytes()
    end
    parts[#parts + 1] = body.position:compute():bytes()
  end
  return table.concat(parts)
end

-- Stops within a step, as Ctrl-C would; the file has the state after the step before.
local function interrupt(item)
  harness.fails(("interrupted after step %d of %d"):format(STOP, STEPS), simulate, item, {
    checkpoint = { file = file, every = 1000 }, newton = { tolerance = 1e-3,
    max_iterations = 200, monitor = function(iteration)
      return not (item.witness.steps == STOP and iteration.number == 2)
    end } })
end

for name, case in basin.sorted { ["a floor at rest"] = {}, ["a floor that moves"] = { shake },
  ["stiffness that is balanced"] = { nil, "adaptive" } } do
  harness.test("interrupted and resumed: " .. name, function()
    local function make() return build(case[1], case[2]) end
    local whole = make()
    simulate(whole)
    local expected = state(whole)
    local broken = make()
    interrupt(broken)
    local resumed = make()
    harness.equal(simulate(resumed, { restart = file }).steps, STEPS - STOP, "steps")
    assert(state(resumed) == expected, "resumed in another scene: the states differ")
    simulate(broken, { restart = file })
    assert(state(broken) == expected, "resumed in the same scene: the states differ")
  end)
end

harness.test("a step that was interrupted is taken again", function()
  local simulation = require "basin.simulation"
  local function make(stop)
    local item = build(shake)
    item.run = simulation.new(item.scene, { dt = 0.01, gravity = { 0, -9.8, 0 },
      newton = { tolerance = 1e-3, max_iterations = 200, monitor = function(iteration)
        if not (stop and item.witness.steps == STOP and iteration.number == 2) then return true end
        stop = false
        return false
      end } })
    return item
  end
  local function step(item)
    local report = item.run:step()
    item.witness:check()
    return report
  end
  local whole, broken = make(false), make(true)
  for _ = 1, STEPS do step(whole) end
  for _ = 1, STOP do step(broken) end
  harness.equal(broken.run:step().interrupted, true)
  for _ = STOP + 1, STEPS do step(broken) end
  assert(state(broken) == state(whole), "the states differ")
end)

harness.test("nothing is jumped over where a run is resumed", function()
  local function plate(time, start) -- past the soft bodies between two steps
    return time < 0.015 and start or start + basin.array.filled(start.count, { 0, 0.6, 0 })
  end
  local item = build(plate)
  simulate(item, { steps = 1, checkpoint = { file = file, every = 1 } })
  item = build(plate)
  simulate(item, { steps = 2, restart = file })
  local top = item.bodies[3].position:value():component(2):max()
  assert(item.bodies[2].position:compute():component(2):min() > top, "the plate passed the body")
end)

harness.test("bodies that a script moves into each other are refused at the next step", function()
  local item = build(nil)
  harness.fails("%d+ intersections at the start", simulate, item, { on_step = function(at)
    local x = item.bodies[1].position
    local down = basin.array.filled(x:value().count, { 0, 0.1, 0 })
    if at.step == 3 then x:update(x:value() - down) end
  end })
end)
harness.finish()
