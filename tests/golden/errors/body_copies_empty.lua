-- No copies, no body.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.4 }
local mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
std.body.soft(scene, "block", { mesh = mesh, density = 1000, material = material, copies = {} })
