-- A rope is made of edges.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
std.body.rope(scene, "rope", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }, density = 1,
  stiffness = 10 })
