-- A spin has three numbers.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
std.body.affine(scene, "block", { mesh = mesh, density = 1, stiffness = 1, spin = { 1 } })
