-- A normal is a list of numbers.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
std.contact.plane(scene, { bodies = {}, normal = { "x", 1, 0 } })
