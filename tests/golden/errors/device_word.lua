local basin = require "basin"
basin.scene("scene", { device = "gpu" })
