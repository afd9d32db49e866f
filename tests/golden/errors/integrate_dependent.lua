-- Two rows that say the same.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
scene:add_constraint(rope.position:at(1) - 1, { name = "once" })
scene:add_constraint(rope.position:at(1) - 1, { name = "again" })
std.integrate.vts(scene, { dt = 0.01 }):step()
