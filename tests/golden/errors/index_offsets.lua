-- Offsets of rows that are no indices.
local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
verts:add_connectivity("ring", verts, { indices = { 0, 1 }, offsets = { 0, 1, 1.5, 2, 2 } }, 0)
