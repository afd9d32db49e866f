-- Contact is in space.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local body = std.body.soft(scene, "sheet", { mesh = basin.mesh.grid { nx = 3, ny = 3, dim = 2 },
  density = 1, material = std.elastic.arap { mu = 1 } })
std.contact.plane(scene, { bodies = { body } })
