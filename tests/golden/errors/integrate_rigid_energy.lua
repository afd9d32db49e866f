-- Rigid bodies are moved by joints and gravity alone.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("bodies")
local bodies = std.body.rigid(scene, "parts", { position = { { 1, 0, 0 } }, mass = 2, inertia = { { 1, 1, 1 } } })
scene:add_energy(bodies.position:squared_norm(), { name = "spring" })
std.integrate.rigid(scene, { dt = 0.01, bodies = bodies }):step()
