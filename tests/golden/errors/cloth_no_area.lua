local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.new { points = { { 0, 0, 0 }, { 0.1, 0.1, 0.1 }, { 0.3, 0.3, 0.3 },
  { 0, 1, 0 } }, triangles = { { 0, 1, 3 }, { 0, 1, 2 } } }
std.body.cloth(scene, "sheet", { mesh = mesh, density = 1, young = 1, thickness = 1, bending = 1 })
