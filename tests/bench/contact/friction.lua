-- Friction at full size: a wall of stiff blocks that stands, and a soft block on a slope below, at
-- and above its friction angle. Settings: rows, only.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local SLIP <const>, G <const> = 1e-3, 9.8
local newton <const> = { rule = "gradient", tolerance = 1e-6 }

local function box(width, height, cells)
  return basin.mesh.box { nx = cells, ny = math.max(1, cells // 2), nz = cells, width = width,
    height = height, depth = width, surface = cells == 1 }
end

-- Rows of blocks, each on two of the row below; the pyramid must not creep.
if run.wanted "wall" then
  local rows, offsets = basin.setting("rows", 6), {}
  local scene = basin.scene "wall"
  local floor = std.body.fixed(scene, "floor", { mesh = box(4, 0.1, 1) })
  for row = 1, rows do
    for k = 1, rows + 1 - row do
      offsets[#offsets + 1] = { 0.11 * (k - (rows + 2 - row) / 2), 0.0767 + 0.0517 * (row - 1), 0 }
    end
  end
  local blocks = std.body.affine(scene, "blocks", { mesh = box(0.1, 0.05, 1), copies = offsets,
    density = 1000, stiffness = 1e7 })
  local bodies, before = { floor, blocks }, nil
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e4,
    friction = 0.5, slip = SLIP })
  run.run("wall", scene, contact, bodies, { steps = 200, newton = newton,
    on_step = function(state)
      if state.step == 100 then before = blocks.position:compute() end
    end, camera = { eye = { 0.5, 0.5, 1.2 }, target = { 0, 0.2, 0 } } })
  local moved = (blocks.position:compute() - before):table()
  local most = 0
  for _, d in ipairs(moved) do most = math.max(most, math.abs(d[1]), math.abs(d[3])) end
  print(('{"bench":"contact","scene":"wall","blocks":%d,"crept_m_per_s":%.3g}'):format(#offsets,
    most))
  assert(most < 0.1 * SLIP, ("a vertex crept by %.3g m in a second"):format(most))
end

-- The speed that a block on the slope has after each step, downwards.
local function slide(name, friction, angle)
  local scene = basin.scene(name)
  local function turned(mesh) return mesh:rotated { axis = { 0, 0, 1 }, angle = -angle } end
  local n, height = { math.sin(angle), math.cos(angle) }, 0.1 + 0.025 + 1.6e-3
  local slope = std.body.fixed(scene, "slope", { mesh = turned(box(4, 0.2, 1)) })
  local block = std.body.soft(scene, "block", { mesh = turned(box(0.1, 0.05, 8)), density = 1000,
    copies = { { n[1] * height, n[2] * height, 0 } }, damping = { stiffness = 0.01 },
    material = std.elastic.stable_neo_hookean { young = 1e6, poisson = 0.3 } })
  local bodies, history = { slope, block }, {}
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e3,
    slip = SLIP, friction = friction })
  local start = block.position:compute()
  run.run(name, scene, contact, bodies, { dt = 0.005, steps = 120, newton = newton,
    on_step = function(state)
      local moved = block.position:compute() - start
      history[state.step] = moved:component(1):mean() * math.cos(angle)
        - moved:component(2):mean() * math.sin(angle)
    end })
  local function speed(from, to) return (history[to] - history[from]) / ((to - from) * 0.005) end
  return speed(100, 120), (speed(110, 120) - speed(60, 70)) / (50 * 0.005)
end

-- Measured against the smoothed law of Coulomb.
local function report(name, what, found, expected, tolerance)
  print(('{"bench":"contact","scene":"%s","%s":%.4g,"expected":%.4g}'):format(name, what, found,
    expected))
  assert(math.abs(found - expected) < tolerance, name)
end

local angle <const> = math.atan(0.5)
if run.wanted "slope_below" then
  local speed = slide("slope_below", 0.6, angle)
  local creep = SLIP * (1 - math.sqrt(1 - math.tan(angle) / 0.6))
  report("slope_below", "speed", speed, creep, 0.1 * creep)
end
if run.wanted "slope_at" then
  local _, gain = slide("slope_at", 0.5, angle)
  report("slope_at", "acceleration", gain, 0, 0.004 * G)
end
if run.wanted "slope_above" then
  local _, gain = slide("slope_above", 0.3, angle)
  local expected = G * (math.sin(angle) - 0.3 * math.cos(angle))
  report("slope_above", "acceleration", gain, expected, 0.03 * expected)
end
