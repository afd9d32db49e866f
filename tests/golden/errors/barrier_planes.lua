-- One plane is no list of planes.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local body = std.body.fixed(scene, "block", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 } })
std.contact.barrier(scene, { bodies = { body }, planes = { normal = { 0, 1, 0 }, offset = 0 } })
