-- The cloth of examples/hanging_cloth.lua, one step, no output: what start.py times.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local scene = basin.scene("hanging_cloth")
local cloth = std.body.cloth(scene, "cloth", {
  mesh = basin.mesh.grid { nx = 40, ny = 40, width = 1, height = 1 },
  density = 0.2, thickness = 1e-3, young = 5e4, poisson = 0.3, bending = 1e-4,
})
std.constraint.pin(cloth, { vertices = cloth.mesh:corners { "top_left", "top_right" } })
basin.simulate(scene, { dt = 1 / 60, steps = 1, gravity = { 0, -9.8, 0 }, log = false })
