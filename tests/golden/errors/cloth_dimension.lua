-- Cloth lives in space.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
std.body.cloth(scene, "sheet", { mesh = basin.mesh.grid { nx = 3, ny = 3, dim = 2 }, density = 1,
  young = 1e5, thickness = 1e-3 })
