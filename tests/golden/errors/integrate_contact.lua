-- An explicit step does not see contact.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
std.contact.plane(scene, { bodies = { rope }, normal = { 0, 1, 0 }, point = { 0, -1, 0 }, distance = 1e-3 })
std.integrate.verlet(scene, { dt = 0.01 }):step()
