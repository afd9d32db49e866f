-- For test_host: a mistake in a scene.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local scene = basin.scene("broken")
local x = scene:add_mesh("m"):add_primitive("points", 1):add_attribute("x", { rows = 3 })
scene:add_energy(x:dot(basin.vector { 1, 2 }))
