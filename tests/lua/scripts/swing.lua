-- For test_host: two points on springs, and what a host may ask of them.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local scene = basin.scene("swing")
local points = scene:add_mesh("cloud"):add_primitive("points", 2)
local x = points:add_attribute("position", { rows = 3, value = { { 1, 0, 0 }, { 0, 2, 0 } } })
local m = points:add_constant("mass", { value = { 1, 2 } })
points:add_attribute("double", 2 * x)
scene:add_body {
  name = "cloud", unknowns = { x }, velocities = { points:add_constant("velocity", { rows = 3 }) },
  inertia = function(d) return 0.5 * m * d:dot(d) end,
  gravity = function(g) return -m * g:dot(x) end,
}
scene:add_energy(points:add_attribute("spring", 5 * x:dot(x)))

local report = basin.simulate(scene,
  { dt = 0.01, steps = 1000000, gravity = { 0, -10, 0 }, newton = { tolerance = 1e-9 },
  output = { folder = "/nonexistent/never/written", frames = "vtu", positions = x } })
assert(report.steps == 0, "declared only")
