-- A run that is restarted from a checkpoint ends in the same bits as one that was not interrupted.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

local folder = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")

local function build()
  local scene = basin.scene "restart"
  local soft = scenes.block(scene, "soft", { copies = { { 0, 0.13, 0 } },
    damping = { stiffness = 0.002 } })
  local cube = std.body.affine(scene, "cube", { mesh = basin.mesh.box { width = 0.1, height = 0.1,
    depth = 0.1, surface = true },
    copies = { { 0.6, 0.08, 0 } }, density = 500, stiffness = 1e6, spin = { 1, 2, 3 } })
  std.contact.plane(scene, { bodies = { soft, cube }, normal = { 0.1, 1, 0 },
    point = { 0, -0.05, 0 }, friction = 0.3, distance = 2e-3 })
  std.constraint.pin(soft, { vertices = { 0 }, stiffness = 100, motion = function(time)
    return { 0, 0.1 * math.sin(20 * time), 0 }
  end })
  return scene, soft, cube
end

local function state(soft, cube)
  local parts = {}
  for _, body in ipairs { soft, cube } do
    for _, part in ipairs(body.motion.unknowns) do
      parts[#parts + 1] = part.value:value():bytes() .. part.velocity:value():bytes()
    end
  end
  return table.concat(parts)
end

for _, integrator in ipairs { "implicit_euler", "bdf2", "newmark" } do
  harness.test("restart of " .. integrator, function()
    local options = { dt = 0.01, steps = 20, gravity = { 0, -9.8, 0 }, integrator = integrator,
      newton = { max_iterations = 100 } }
    local scene, soft, cube = build()
    options.checkpoint = { file = folder .. "/" .. integrator .. ".npz", every = 12 }
    basin.simulate(scene, options)
    local expected = state(soft, cube)
    scene, soft, cube = build()
    options.checkpoint, options.restart = nil, folder .. "/" .. integrator .. ".npz"
    local report = basin.simulate(scene, options)
    harness.equal(report.steps, 8, "steps after the restart")
    assert(state(soft, cube) == expected, "the states differ")
  end)
end
harness.finish()
