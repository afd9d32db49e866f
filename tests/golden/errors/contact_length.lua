local basin = require "basin"
local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
local detector = basin.contact.detector { positions = points, triangles = { { 0, 1, 2 } } }
detector:detect { positions = { { 0, 0, 0 } }, distance = 0.1 }
