local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
local rest = verts:add_constant("rest", { rows = 3 })
rest:hold { 0 }
