-- An explicit step of bodies whose inertia couples unknowns.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 }, density = 1, stiffness = 10,
})
std.body.affine(scene, "cube", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }:translated { 1, 0, 0 }, density = 1, stiffness = 1e5 })
std.integrate.verlet(scene, { dt = 0.01 }):step()
