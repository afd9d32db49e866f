local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.new { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
  { 1, 1, 0 } }, tets = { { 0, 1, 2, 3 }, { 0, 1, 2, 4 } } }
local material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.4 }
std.body.soft(scene, "block", { mesh = mesh, density = 1, material = material })
