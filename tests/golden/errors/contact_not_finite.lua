local basin = require "basin"
local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
local detector = basin.contact.detector { positions = points, triangles = { { 0, 1, 2 } } }
points[4][2] = 0 / 0
detector:detect { positions = points, distance = 0.1 }
