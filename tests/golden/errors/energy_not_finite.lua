local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
x:update { { 1, 0, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 1, 0, 1 } }
scene:add_energy(verts:add_attribute("barrier", -x:at(1):log()))
scene:add_minimize_target { x }
print(scene:compute_total_energy())
