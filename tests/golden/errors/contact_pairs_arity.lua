local basin = require "basin"
local scene = basin.scene("scene")
local verts = scene:add_mesh("mesh"):add_primitive("vertices", 3)
local x = verts:add_attribute("position", { rows = 3 })
local pair = scene.mesh:add_primitive("pair", 0, { dynamic = true })
local ends = pair:add_connectivity("ends", verts, {}, 3)
basin.contact.detector { positions = x, pairs = { point_point = ends } }
