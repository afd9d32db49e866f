-- A method that does not exist.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
std.integrate.ratle(scene, { dt = 0.01 }):step()
