-- For test_host: a scene without simulate.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local scene = basin.scene("static")
local x = scene:add_mesh("m"):add_primitive("points", 1):add_attribute("x", { rows = 3, value = 2 })
scene:add_energy(x:dot(x), { name = "e" })
scene:add_minimize_target { x }
