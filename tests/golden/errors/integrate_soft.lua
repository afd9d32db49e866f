-- A compliance for a method that holds exactly.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
scene:add_constraint(rope.position:norm() - 1, { name = "sphere", compliance = 1e-3 })
std.integrate.rattle(scene, { dt = 0.01 }):step()
