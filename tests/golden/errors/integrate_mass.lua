-- A particle without mass.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local scene = basin.scene("net")
local points = scene:add_mesh("net"):add_primitive("points", 3)
local x = points:add_attribute("x", { rows = 2, value = { { 0, 0 }, { 1, 0 }, { 2, 0 } } })
local mass = points:add_constant("mass", { value = { 1, 0, 2 } })
scene:add_body { name = "net", unknowns = { x }, inertia = function(d) return 0.5 * mass * d:squared_norm() end }
std.integrate.verlet(scene, { dt = 0.01 }):step()
