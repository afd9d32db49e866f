local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local box = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
local material = std.elastic.stable_neo_hookean { young = 1e4, poisson = 0.3 }
local left = std.body.soft(scene, "left", { mesh = box, density = 1000, material = material })
local right = std.body.fixed(scene, "right", { mesh = box, copies = { { 0.4, 0.3, 0.2 } } })
std.contact.barrier(scene, { bodies = { left, right } })
