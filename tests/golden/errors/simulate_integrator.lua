-- A misspelt integrator.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
basin.simulate(scene, { dt = 0.01, steps = 1, integrator = "newmrk" })
