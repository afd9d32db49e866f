-- The classical hard cases: thin and sharp bodies, cracks, inner edges; links of a chain.
-- SPDX-License-Identifier: Apache-2.0
-- After K. Erleben, Methodology for Assessing Mesh-Based Contact Point Methods, ACM Trans. Graph.
-- 37(3), 2018; offsets as in the unit tests of Incremental Potential Contact, 2020.
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local folder = os.getenv "BASIN_TEST_MESHES"
  or arg[0]:match("^(.*)/physics/[^/]*$") .. "/data/meshes"

local function read(name) return basin.mesh.read(folder .. "/" .. name) end

local gravity <const> = { 0, -9.8, 0 }
local newton <const> = { tolerance = 1e-2, max_iterations = 200, linear = { solver = "direct" } }

-- Drops one mesh on another; the fixed one below.
local function drop(falling, offset, below, steps, given)
  local scene = basin.scene "hard"
  local all = { mesh = read(falling), copies = { offset }, density = 1000,
    material = std.elastic.fixed_corotated { young = 1e5, poisson = 0.4 } }
  for key, value in pairs(given or {}) do all[key] = value end
  if type(all.turn) == "table" then all.mesh = all.mesh:rotated(all.turn) end
  if all.scale then all.mesh = all.mesh:scaled(all.scale) end
  all.turn, all.scale = nil, nil
  local body = std.body.soft(scene, "body", all)
  local ground = std.body.fixed(scene, "ground", { mesh = read(below) })
  local bodies = { body, ground }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-2,
    stiffness = 1e5 })
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = 0.01, steps = steps, gravity = gravity,
    newton = newton, on_step = witness:on_step() })
  assert(contact.most_pairs > 0, "the bodies never met")
  harness.equal(report.reasons.converged, steps, "steps that converged\n" .. tostring(report))
end

harness.test("spike on spike", function()
  drop("erleben_spike.msh", { 1 / 6, 5.2, 1 / 6 }, "erleben_spike.msh", 50,
    { turn = { axis = { 1, 0, 0 }, degrees = 180 } })
end)

harness.test("spike on wedge, wedge on wedge", function()
  local turn = { axis = { 1, 0, 0 }, degrees = 180 }
  drop("erleben_spike.msh", { 1 / 6, 5.2, 1 / 6 }, "erleben_wedge.msh", 50, { turn = turn })
  drop("erleben_wedge.msh", { 1 / 6, 5.2, 1 / 3 }, "erleben_wedge.msh", 50, { turn = turn })
end)

harness.test("spike into a crack", function()
  drop("erleben_spike.msh", { 1 / 6, 3.56, 1 / 6 }, "erleben_crack.obj", 50,
    { turn = { axis = { 1, 0, 0 }, degrees = 180 } })
end)

harness.test("wedge into a crack", function()
  drop("erleben_wedge.msh", { 1 / 6, 3.56, 1 / 3 }, "erleben_crack.obj", 50,
    { turn = { axis = { 1, 0, 0 }, degrees = 180 } })
end)

harness.test("cube on a cliff", function()
  drop("cube.msh", { 0.5, 0.53, -0.25 }, "erleben_cliff.obj", 50, { scale = 0.5 })
end)

harness.test("cube on inner edges", function()
  drop("cube.msh", { -0.5, 0.53, -0.5 }, "erleben_internal_edges.obj", 50)
end)
harness.finish()
