local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
local tets = cloth:add_primitive("tets", 1)
tets:add_connectivity("corners", verts, { { 0, 1, 2, 3 } }, 4)
local volume = tets:add_attribute("volume")
local e = x:dot(x) * volume
return e
