local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local box = std.body.fixed(scene, "box", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 } })
std.contact.barrier(scene, { bodies = { box }, thicknes = 0.1 })
