-- A constraint over data that no body moves.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
local x = scene:add_mesh("net"):add_primitive("points", 2):add_attribute("x", { rows = 2 })
scene:add_constraint(x:norm() - 1, { name = "circle" })
std.integrate.rattle(scene, { dt = 0.01 }):step()
