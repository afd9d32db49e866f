-- A field of a primitive that is not shown.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local mesh = basin.scene("scene"):add_mesh("cloth")
local points = mesh:add_primitive("points", 3)
local x = points:add_attribute("position", { rows = 3 })
local y = mesh:add_primitive("others", 5):add_attribute("y")
basin.output { folder = "frames", positions = x, fields = { y = y }, triangles = { { 0, 1, 2 } } }
