-- Held vertices that move among others: nothing is passed through, paths end exactly or wait.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local folder = os.getenv "BASIN_TEST_OUTPUT" or "/tmp"
local gravity <const> = { 0, -9.8, 0 }
local newton <const> = { tolerance = 1e-2, linear = { solver = "direct" } }

local function same_bits(a, b, what)
  assert(a:bytes() == b:bytes(), what .. ": the bits differ")
end

local function sheet(scene, offset)
  local mesh = basin.mesh.grid { nx = 7, ny = 7, width = 0.6, height = 0.6 }
  return std.body.cloth(scene, "sheet", { mesh = mesh, density = 300, thickness = 1e-3,
    copies = { offset }, membrane = std.shell.baraff_witkin { stretch = 5e3, shear = 1e3 } })
end

local function block(scene, name, given)
  local mesh = basin.mesh.box { width = given.size[1], height = given.size[2],
    depth = given.size[3], nx = 2, ny = 2, nz = 2 }
  return std.body.fixed(scene, name, { mesh = mesh, copies = { given.at }, motion = given.motion })
end

-- A sheet whose corners are held falls onto a block and is drawn over it.
local function drawn(given)
  local scene = basin.scene "drawn"
  local body = sheet(scene, { 0, 0, 0 })
  local below = block(scene, "below", { size = { 0.2, 0.2, 0.2 }, at = { 0, -0.1, 0.12 } })
  local corners = body.mesh:corners { "top_left", "top_right" }
  local function motion(time) return { 0, 0, 0.5 * time } end
  local start = body.position:value():select(corners)
  std.constraint.fix(body, { vertices = corners, motion = motion })
  local contact = std.contact.barrier(scene, { bodies = { body, below }, distance = 1e-2,
    stiffness = 1e4, friction = 0.2 })
  local witness = guard.new(contact, { body, below })
  local options = { dt = 0.02, steps = basin.setting("steps", 16), gravity = gravity,
    newton = newton, on_step = witness:on_step(function(state)
      same_bits(body.position:value():select(corners), start
        + basin.array.filled(corners.count, motion(state.time)), "corners")
    end) }
  for key, value in pairs(given) do options[key] = value end
  local report = basin.simulate(scene, options)
  if options.steps >= 16 then assert(contact.most_pairs > 0, "they never met") end
  return body.position:value():bytes() .. body.motion.unknowns[1].velocity:value():bytes(), report
end

harness.test("a sheet drawn over a block, and the same after a restart", function()
  local file = folder .. "/drawn.npz"
  local steps = basin.setting("steps", 16)
  local expected, report = drawn { checkpoint = { file = file, every = steps // 2 + 1 } }
  harness.equal(report.reasons.converged, steps)
  local again, rest = drawn { restart = file }
  harness.equal(rest.steps, steps - steps // 2 - 1)
  assert(again == expected, "the states differ")
end)

-- The path leads through a block that does not give way: the vertices wait before it.
harness.test("a path through a block", function()
  local scene = basin.scene "barred"
  local body = sheet(scene, { 0, 0, 0 })
  local wall = block(scene, "wall", { size = { 2, 2, 0.2 }, at = { 0, 0, 0.2 } })
  local all = basin.array.range(0, body.vertices.count)
  std.constraint.fix(body, { vertices = all, motion = function(time)
    return { 0, 0, time < 0.05 and 20 * time or 0.5 - 4 * time } -- to 0.8, and back
  end })
  local contact = std.contact.barrier(scene, { bodies = { body, wall }, distance = 1e-2,
    stiffness = 1e4 })
  local witness, late = guard.new(contact, { body, wall }), 0
  basin.simulate(scene, { dt = 0.02, steps = 8, newton = newton,
    on_step = witness:on_step(function(state)
      local depth = body.position:value():component(3)
      assert(depth:max() < 0.1, "it is in the wall")
      if state.time > 0.12 then
        harness.close(depth:min(), 0.5 - 4 * state.time, 1e-15, "it is back on its path")
        harness.equal(contact.moving.late, late, "late again")
      end
      late = contact.moving.late
    end) })
  assert(late > 0, "it was never late")
end)

-- A block without unknowns and the vertices before it move together, closer than a step is long.
harness.test("a gripper and what it holds", function()
  local scene = basin.scene "gripper"
  local body = sheet(scene, { 0, 0, 0.02 })
  local function motion(time) return { 0, 0, 2 * time } end
  local jaw = block(scene, "jaw", { size = { 0.7, 0.7, 0.02 }, at = { 0, 0, 0 },
    motion = function(time) return motion(time) end })
  local top = body.mesh:corners { "top_left", "top_right" }
  local start = body.position:value():select(top)
  std.constraint.fix(body, { vertices = top, motion = motion })
  local contact = std.contact.barrier(scene, { bodies = { body, jaw }, distance = 1e-2,
    stiffness = 1e4 })
  local witness = guard.new(contact, { body, jaw })
  basin.simulate(scene, { dt = 0.02, steps = 5, newton = newton,
    on_step = witness:on_step(function(state)
      same_bits(body.position:value():select(top), start
        + basin.array.filled(top.count, motion(state.time)), "top")
    end) })
  harness.equal(contact.moving.late, 0)
end)

-- A beam twisted until it meets itself.
harness.test("held ends that twist a beam into contact with itself", function()
  local scene = basin.scene "twisted"
  local mesh = basin.mesh.box { nx = 12, ny = 2, nz = 1, width = 0.6, height = 0.2, depth = 0.02 }
  local body = std.body.soft(scene, "beam", { mesh = mesh, density = 500,
    material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } })
  local left, right = mesh:select { "left" }, mesh:select { "right" }
  local function turn(start, angle)
    local places, c, s = start:table(), math.cos(angle), math.sin(angle)
    for _, p in ipairs(places) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
    return basin.array.from(places)
  end
  local steps = basin.setting("steps", 14)
  local rate <const> = 30 -- radians a second: 34 degrees a step
  std.constraint.fix(body, { vertices = left, pieces = 2,
    motion = function(time, start) return turn(start, -rate / 2 * time) end })
  std.constraint.fix(body, { vertices = right, pieces = 2,
    motion = function(time, start) return turn(start, rate / 2 * time) end })
  local start = body.position:value()
  local contact = std.contact.barrier(scene, { bodies = { body }, distance = 5e-3,
    stiffness = 1e4 })
  local witness = guard.new(contact, { body })
  local report = basin.simulate(scene, { dt = 0.02, steps = steps, newton = newton,
    integrator = "implicit_euler", on_step = witness:on_step(function(state)
      local now, angle = body.position:value(), rate / 2 * state.time
      same_bits(now:select(left), turn(start:select(left), -angle), "left")
      same_bits(now:select(right), turn(start:select(right), angle), "right")
    end) })
  if steps >= 14 then assert(contact.most_pairs > 0, "it never met itself") end
  harness.equal(report.steps, steps)
end)

harness.finish()
