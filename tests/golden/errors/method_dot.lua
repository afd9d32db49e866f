-- A method called with a dot.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local scene = basin.scene("scene")
scene.add_mesh("cloth")
