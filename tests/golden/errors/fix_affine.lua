local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
local body = std.body.affine(scene, "block", { mesh = mesh, density = 1, stiffness = 1 })
std.constraint.fix(body, { vertices = { 0 } })
