-- An orientation that is no unit quaternion.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("door")
std.body.rigid(scene, "door", { position = { { 0, 0, 0 } }, mass = 1, inertia = { { 1, 1, 1 } }, orientation = { { 1, 1, 0, 0 } } })
