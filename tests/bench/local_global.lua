-- The local/global cloth of examples/fast_mass_springs.lua with a clock: one JSON line. Settings:
-- side, steps.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local side, steps = basin.setting("side", 25), basin.setting("steps", 240)
local h, ym, k_pin, inner = 1 / 30, 80.0, 1e7, 8
local grid = basin.mesh.grid { nx = side, ny = side, width = 2, height = 2, dim = 2 }
local scene = basin.scene("local_global")
local cloth = scene:add_mesh("cloth")

local verts = cloth:add_primitive("vertices", grid.points.count)
local x = verts:add_attribute("position", { rows = 2, value = grid.points })
local target = verts:add_constant("momentum_target", { rows = 2, value = grid.points })
local pinned = verts:add_constant("pinned", { value = grid:mask { "top_left", "top_right" } })
local rest = verts:add_constant("rest_position", { rows = 2, value = grid.points })

local springs = cloth:add_primitive("springs", grid.edges.count)
local s2v = springs:add_connectivity("s2v", verts, grid.edges, 2)
local function span(q) local p = s2v:gather(q); return p:row(1) - p:row(2) end
local r = springs:add_constant("rest_length", { value = springs:evaluate(span(rest):norm()) })
local d = springs:add_constant("direction", { rows = 2 })

local y, fix = x - target, x - rest
scene:add_energy(verts:add_attribute("inertia", 0.5 * y:dot(y) / h ^ 2 + 9.8 * x:at(2)))
scene:add_energy(verts:add_attribute("pin", 0.5 * k_pin * pinned * fix:dot(fix)))
local e = span(x) - d
scene:add_energy(springs:add_attribute("spring", 0.5 * (ym / r ^ 2) * e:dot(e)))
scene:add_minimize_target { x }

local project = springs:add_attribute("projected", r * span(x):normalized())
local solver = scene:solver { method = "direct" }
d:update(project:compute())
solver:solve() -- kernels, pattern and factor are made before the clock starts

local x_prev, x_curr = x:value(), x:value()
local start = os.clock()
for _ = 1, steps do
  target:update(2 * x_curr - x_prev)
  for _ = 1, inner do
    d:update(project:compute())
    x:update(x:value() - solver:solve())
  end
  x_prev, x_curr = x_curr, x:value()
end
local seconds = (os.clock() - start) / steps
local strain = springs:evaluate((span(x):norm() - r) / r)
print(('{"seconds":%.9g,"strain_min":%.12g,"strain_max":%.12g,"factorizations":%d}'):format(seconds,
  strain:min(), strain:max(), solver.factorizations))
