local basin = require "basin"
local scene = basin.scene("scene"
