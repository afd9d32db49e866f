-- Gauss-Seidel over positions of a union.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
local all = scene:add_mesh("all"):add_primitive_union("vertices", { rope.vertices })
local x = all:add_attribute("position")
scene:add_constraint(x:norm() - 1, { name = "sphere" })
std.integrate.pbd(scene, { dt = 0.01 }):step()
