-- A soft bunny falls into cloth that hangs by its corners. Settings: steps, cells.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local n <const> = basin.setting("cells", 41)

local scene = basin.scene "trampoline"
local sheet = std.body.cloth(scene, "cloth", { mesh = basin.mesh.grid { nx = n, ny = n, width = 0.8,
  height = 0.8, plane = "xz" }, density = 0.3, thickness = 1e-3, young = 1e6, bending = 1e-4 })
std.constraint.pin(sheet, { vertices = { 0, n - 1, n * (n - 1), n * n - 1 } })
local mesh = run.read "bunny0.msh":scaled_to { height = 0.2 }
local bunny = std.body.soft(scene, "bunny", { mesh = mesh, density = 200,
  copies = { { 0.01, 0.01 - mesh:bounds()[2], 0.02 } },
  material = std.elastic.stable_neo_hookean { young = 5e4, poisson = 0.4 } })

local bodies = { sheet, bunny }
local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 100,
  friction = 0.3 })
run.run("trampoline", scene, contact, bodies, { steps = basin.setting("steps", 100),
  camera = { eye = { 0.8, 0.6, 1.2 }, target = { 0, -0.1, 0 } } })
assert(bunny.position:value():component(2):mean() > -0.5, "the bunny fell through")
