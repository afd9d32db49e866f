-- Soft and affine bunnies fall into an open container and come to rest. The same scene as
-- dropping_in_container.lua, by bodies.
local basin = require "basin"
local std = require "basin.std"

local scene = basin.scene("dropping")
local bunny = basin.mesh.read("data/bunny_tet.msh"):scaled_to { height = 0.3 }

local soft = std.body.soft(scene, "soft", {
  mesh = bunny, copies = { { 0.0, 0.5, 0.0 }, { 0.1, 1.0, 0.05 } }, -- one entry an instance: its offset
  density = 1000, material = std.elastic.stable_neo_hookean { young = 1e4, poisson = 0.36 },
})
local stiff = std.body.affine(scene, "stiff", { mesh = bunny, copies = { { 0.05, 1.5, 0.0 } }, density = 1000, stiffness = 1e7 })
local box = std.body.fixed(scene, "container", { mesh = basin.mesh.read("data/container.obj") })

std.contact.barrier(scene, { bodies = { soft, stiff, box }, distance = 1e-3, stiffness = 1e4, friction = 0.2 })

local report = basin.simulate(scene, {
  dt = 0.01, steps = basin.setting("steps", 200), gravity = { 0, -9.8, 0 },
  newton = { tolerance = 1e-2, linear = { solver = "pcg", tolerance = 1e-4 } },
  output = {
    folder = "out/dropping", frames = "vtu", pictures = "png", every = 2,
    camera = { eye = { 0.35, 2.3, 0.9 }, target = { 0, 0.2, 0.02 }, field_of_view = 38 },
  },
})
print(report) -- steps, Newton iterations, contacts, smallest distance, time by phase, why each solve stopped
