local basin = require "basin"
local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
basin.contact.detector { positions = points, triangles = { { 0, 1, 2 } } }:detect { distance = -1 }
