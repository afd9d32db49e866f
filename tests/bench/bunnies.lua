-- Bunnies fall into a container that grows with their number. One JSON line: seconds a step by
-- phase, and counts. Settings: count (4), steps (40), first (step at which the clock starts, 20).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local count = basin.setting("count", 4)
local steps = basin.setting("steps", 40)
local first = basin.setting("first", 20)
local side = math.ceil(math.sqrt(count)) -- bunnies along an edge of the floor

local scene = basin.scene("bunnies")
local bunny = basin.mesh.read("../../examples/data/bunny_tet.msh"):scaled_to { height = 0.3 }
local copies = {}
for k = 0, count - 1 do
  local x, z = k % side - (side - 1) / 2, k // side - (side - 1) / 2
  copies[#copies + 1] = { 0.5 * x, 0.16, 0.5 * z }
end
local soft = std.body.soft(scene, "soft", { mesh = bunny, copies = copies, density = 1000,
  material = std.elastic.stable_neo_hookean { young = 1e4, poisson = 0.36 } })
local floor = 0.5 * side + 0.5
local box = std.body.fixed(scene, "container", {
  mesh = basin.mesh.box { width = floor, height = 0.1, depth = floor, surface = true }
    :translated { 0, -0.05, 0 } })
std.contact.barrier(scene, { bodies = { soft, box }, distance = 1e-3, stiffness = 1e4,
  friction = 0.2 })

local function snapshot(report)
  local c = report:collision()
  return { seconds = report.seconds_newton, broad = c.broad, narrow = c.narrow, ccd = c.steps,
    fill = c.fill, pair_assembly = c.pairs, pair_energy = c.pair_energy,
    assembly = report.seconds_assembly, solve = report.seconds_solve,
    line_search = report.seconds_line_search, iterations = report.iterations }
end

local start
local report = basin.simulate(scene, {
  dt = 0.01, steps = steps, gravity = { 0, -9.8, 0 },
  newton = { tolerance = 1e-2, linear = { solver = "pcg", tolerance = 1e-4 } },
  on_step = function(state)
    if state.step == first then start = snapshot(scene._simulation.report) end
  end,
})
local last, fields = snapshot(report), {}
for _, name in ipairs { "seconds", "broad", "narrow", "ccd", "fill", "pair_assembly",
  "pair_energy", "assembly", "solve", "line_search" } do
  fields[#fields + 1] = ('"%s": %.4g'):format(name, (last[name] - start[name])
    / (last.iterations - start.iterations))
end
print(('{"bench": "bunnies", "count": %d, "triangles": %d, "iterations": %d, %s}'):format(count,
  #copies * bunny:surface().triangles.count, last.iterations - start.iterations,
  table.concat(fields, ", ")))
