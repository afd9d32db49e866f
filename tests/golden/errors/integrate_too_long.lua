-- A time step that is too long for the springs.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
local stepper = std.integrate.symplectic_euler(scene, { dt = 1e3, gravity = { 0, -9.8, 0 },
  hold = { { position = rope.position, vertices = { 0 } } } })
for _ = 1, 500 do stepper:step() end
