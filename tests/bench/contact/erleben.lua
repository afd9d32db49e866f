-- The classical hard cases at their own sizes: thin and sharp bodies, cracks, inner edges.
-- After K. Erleben, Methodology for Assessing Mesh-Based Contact Point Methods, ACM Trans. Graph.
-- 37(3), 2018. Settings: steps, only.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local down <const> = { axis = { 1, 0, 0 }, degrees = 180 }

local function upside_down(name) return run.read(name):rotated(down) end

local cases = {
  { "spike_spike", upside_down "erleben_spike.msh", { 1 / 6, 6.2, 1 / 6 }, "erleben_spike.msh" },
  { "spike_wedge", upside_down "erleben_spike.msh", { 1 / 6, 6.2, 1 / 6 }, "erleben_wedge.msh" },
  { "wedge_wedge", upside_down "erleben_wedge.msh", { 1 / 6, 6.2, 1 / 3 }, "erleben_wedge.msh" },
  { "spike_crack", upside_down "erleben_spike.msh", { 1 / 6, 4.2, 1 / 6 }, "erleben_crack.obj" },
  { "wedge_crack", upside_down "erleben_wedge.msh", { 1 / 6, 4.2, 1 / 3 }, "erleben_crack.obj" },
  { "cliff", run.read "cube.msh":scaled(0.5), { 0.5, 1.03, -0.25 }, "erleben_cliff.obj" },
  { "cube_cliff", run.read "cube.msh", { 0.5, 1.1, -0.5 }, "erleben_cliff.obj" },
  { "internal_edges", run.read "cube.msh", { -0.5, 1.03, -0.5 }, "erleben_internal_edges.obj" },
}

for _, case in ipairs(cases) do
  local name, mesh, offset, below = table.unpack(case)
  if run.wanted(name) then
    local scene = basin.scene(name)
    local body = std.body.soft(scene, "body", { mesh = mesh, copies = { offset }, density = 1000,
      material = std.elastic.fixed_corotated { young = 1e6, poisson = 0.4 } })
    local ground = std.body.fixed(scene, "ground", { mesh = run.read(below) })
    local bodies = { body, ground }
    local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3,
      stiffness = 1e6, friction = 0.1 })
    run.run(name, scene, contact, bodies, { steps = basin.setting("steps", 200),
      camera = { eye = { 6, 6, 9 }, target = { 0, 2, 0 } } })
    collectgarbage()
  end
end
