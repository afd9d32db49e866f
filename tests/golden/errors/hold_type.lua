local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
x:hold("top")
