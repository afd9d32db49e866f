local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
local t = cloth:add_attribute("temperature")
scene:add_energy(x:dot(x))
scene:add_energy(t ^ 2, { name = "heat" })
scene:add_minimize_target { x }
scene:minimize_energy {}
