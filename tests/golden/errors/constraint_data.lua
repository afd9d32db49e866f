-- A constraint of constants alone.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local scene = basin.scene("net")
local points = scene:add_mesh("net"):add_primitive("points", 2)
local place = points:add_constant("place", { rows = 2, value = { { 0, 0 }, { 1, 0 } } })
scene:add_constraint(place:norm() - 1, { name = "circle" })
