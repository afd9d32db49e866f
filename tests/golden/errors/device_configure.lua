local basin = require "basin"
basin.configure { device = "cuda0" }
