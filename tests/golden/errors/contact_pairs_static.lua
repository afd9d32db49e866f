local basin = require "basin"
local scene = basin.scene("scene")
local verts = scene:add_mesh("mesh"):add_primitive("vertices", 3)
local x = verts:add_attribute("position", { rows = 3 })
local pair = scene.mesh:add_primitive("pair", 1)
local ends = pair:add_connectivity("ends", verts, { { 0, 1 } }, 2)
basin.contact.detector { positions = x, pairs = { point_point = ends } }
