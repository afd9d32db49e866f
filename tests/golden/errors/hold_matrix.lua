local basin = require "basin"
local scene = basin.scene("scene")
local bodies = scene:add_mesh("m"):add_primitive("bodies", 1)
local A = bodies:add_attribute("A", { rows = 3, cols = 3 })
A:release(0, { entries = { { 4, 1 } } })
