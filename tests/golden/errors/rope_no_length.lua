local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.new { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 } },
  edges = { { 0, 1 }, { 1, 2 } } }
std.body.rope(scene, "rope", { mesh = mesh, density = 1, stiffness = 1 })
