local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
local body = std.body.soft(scene, "block", { mesh = mesh, density = 1,
  material = std.elastic.arap { young = 1, poisson = 0.3 } })
std.constraint.fix(body, { vertices = { 0 }, motion = function(time) return { 0, 0 / 0, 0 } end })
basin.simulate(scene, { dt = 1, steps = 1 })
