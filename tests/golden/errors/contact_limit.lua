local basin = require "basin"
local grid = basin.mesh.grid { nx = 20, ny = 20 }
local both = grid:copies { { 0, 0, 0 }, { 0, 0, 0.01 } }
local detector = basin.contact.detector { positions = both.points, triangles = both.triangles,
  pair_limit = 1000 }
detector:detect { distance = 0.5 }
