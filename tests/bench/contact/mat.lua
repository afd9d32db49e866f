-- A mat of tetrahedra, twisted at both ends until it lies in folds: 1,000 steps of self-contact.
-- Settings: steps, turns (of each end in 1,000 steps).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local steps <const> = basin.setting("steps", 1000)
local speed <const> = basin.setting("turns", 2.0) * 2 * math.pi / 10 -- rad/s

local scene = basin.scene "mat"
local mat = std.body.soft(scene, "mat", { mesh = run.read "mat20x20.msh", density = 1000,
  material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.4 } })

-- The ends, and how they turn about the x axis.
local left, right = {}, {}
for i, p in ipairs(mat.mesh.points:table()) do
  if p[1] < -0.499 then left[#left + 1] = i - 1 end
  if p[1] > 0.499 then right[#right + 1] = i - 1 end
end
local function turn(rate)
  return function(time, start)
    local rows, c, s = start:table(), math.cos(rate * time), math.sin(rate * time)
    for _, p in ipairs(rows) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
    return rows
  end
end
std.constraint.pin(mat, { vertices = left, stiffness = 1e4, motion = turn(speed) })
std.constraint.pin(mat, { vertices = right, stiffness = 1e4, motion = turn(-speed) })

local bodies = { mat }
local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 100 })
run.run("mat", scene, contact, bodies, { steps = steps, gravity = { 0, 0, 0 },
  camera = { eye = { 0.9, 0.7, 1.5 }, target = { 0, 0, 0 } } })
