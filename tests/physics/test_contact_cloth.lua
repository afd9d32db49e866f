-- Cloth over a sphere, under a body, and twisted until it touches itself.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local folder = os.getenv "BASIN_TEST_MESHES"
  or arg[0]:match("^(.*)/physics/[^/]*$") .. "/data/meshes"

local gravity <const> = { 0, -9.8, 0 }
local newton <const> = { tolerance = 1e-2, max_iterations = 200, linear = { solver = "direct" } }

local function cloth(scene, cells, size, given)
  local all = { mesh = basin.mesh.grid { nx = cells, ny = cells, width = size, height = size,
    plane = "xz" }, density = 0.2, thickness = 1e-3, young = 1e5, bending = 1e-4 }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.cloth(scene, "cloth", all)
end

local function run(scene, contact, bodies, steps, dt, pull)
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = dt, steps = steps, gravity = pull or gravity,
    newton = newton, on_step = witness:on_step() })
  assert(contact.most_pairs > 0, "nothing ever came near")
  harness.equal(report.reasons.converged, steps, "steps that converged\n" .. tostring(report))
end

harness.test("cloth over a sphere", function()
  local scene = basin.scene "drape"
  local sheet = cloth(scene, 11, 0.8, { copies = { { 0.02, 0.27, 0.01 } } })
  local ball = std.body.fixed(scene, "ball", { mesh = basin.mesh.sphere { level = 2,
    radius = 0.25 } })
  local bodies = { sheet, ball }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 5e-3,
    stiffness = 10, friction = 0.3 })
  run(scene, contact, bodies, 40, 0.01)
  local middle = sheet.position:value():component(2):max()
  assert(middle > 0.25 and middle < 0.26, "the cloth lies on the sphere")
end)

harness.test("a bunny falls into cloth that hangs by its corners", function()
  local scene = basin.scene "trampoline"
  local sheet = cloth(scene, 15, 0.6, { young = 1e6 })
  std.constraint.pin(sheet, { vertices = { 0, 14, 210, 224 } })
  local mesh = basin.mesh.read(folder .. "/bunny0.msh"):scaled_to { height = 0.15 }
  local bunny = std.body.affine(scene, "bunny", { mesh = mesh, density = 200, stiffness = 1e7,
    copies = { { 0.01, 0.01 - mesh:bounds()[2], 0.02 } } })
  local bodies = { sheet, bunny }
  run(scene, std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 100 }),
    bodies, 30, 0.01)
  assert(bunny.position:compute():component(2):mean() > -0.3, "the bunny fell through")
end)

harness.test("a mat twisted at both ends touches itself", function()
  local scene = basin.scene "mat"
  local sheet = std.body.cloth(scene, "mat", { mesh = basin.mesh.grid { nx = 13, ny = 9,
    width = 0.6, height = 0.4, plane = "xz" }, density = 0.2, thickness = 1e-3, young = 1e5,
    bending = 1e-5 })
  local left, right = {}, {}
  for i, p in ipairs(sheet.mesh.points:table()) do
    if p[1] < -0.299 then left[#left + 1] = i - 1 end
    if p[1] > 0.299 then right[#right + 1] = i - 1 end
  end
  local function turn(speed)
    return function(time, start)
      local rows, c, s = start:table(), math.cos(speed * time), math.sin(speed * time)
      for _, p in ipairs(rows) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
      return rows
    end
  end
  std.constraint.pin(sheet, { vertices = left, stiffness = 1e4, motion = turn(5) })
  std.constraint.pin(sheet, { vertices = right, stiffness = 1e4, motion = turn(-5) })
  local bodies = { sheet }
  run(scene, std.contact.barrier(scene, { bodies = bodies, distance = 4e-3, stiffness = 10 }),
    bodies, 100, 0.01, { 0, 0, 0 })
end)
harness.finish()
