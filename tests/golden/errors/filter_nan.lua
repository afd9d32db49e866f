-- A step filter that returns no number.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local scene = basin.scene("scene")
local x = scene:add_mesh("m"):add_primitive("points", 1):add_attribute("x", { value = 2 })
scene:add_energy(x ^ 2, { name = "energy" })
scene:add_minimize_target { x }
basin.newton(scene, { filters = { function() return 0 / 0 end } })
