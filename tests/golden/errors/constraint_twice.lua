-- Two constraints of one name.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
scene:add_constraint(rope.position:norm() - 1, { name = "sphere" })
scene:add_constraint(rope.position:norm() - 2, { name = "sphere" })
