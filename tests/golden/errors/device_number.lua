local basin = require "basin"
basin.scene("scene", { device = "cuda:first" })
