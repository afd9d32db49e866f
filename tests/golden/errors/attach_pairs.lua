-- A spring has two ends.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("scene")
local body = std.body.fixed(scene, "block", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 } })
std.constraint.attach(body, body, { pairs = { { 0 } }, stiffness = 10 })
