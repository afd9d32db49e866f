local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
scene:add_energy(x:dot(x))
scene:minimize_energy { tolerance = 1e-4 }
