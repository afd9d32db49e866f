-- A rigid body without mass.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("door")
std.body.rigid(scene, "door", { position = { { 0, 0, 0 } }, mass = 0, inertia = { { 1, 1, 1 } } })
