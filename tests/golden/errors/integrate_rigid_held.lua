-- A rigid body that is held: what moves it by quaternions cannot leave it where it is.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("bodies")
local bodies = std.body.rigid(scene, "parts", { position = { { 1, 0, 0 } }, mass = 2, inertia = { { 1, 1, 1 } } })
bodies.orientation:hold(0)
std.integrate.rigid(scene, { dt = 0.01, bodies = bodies }):step()
