-- Three nearly rigid bunnies, twelve unknowns each, fall and tumble down a tilted floor.
-- Lengths in m, masses in kg, times in s.
local basin = require "basin"
local std = require "basin.std"

local slope = math.rad(20)
local scene = basin.scene("affine_tumble")
local bunnies = std.body.affine(scene, "bunnies", {
  mesh = basin.mesh.read("data/bunny_tet.msh"):scaled_to { height = 0.3 },
  copies = { { -0.5, 0.5, -0.55 }, { -0.5, 0.65, 0 }, { -0.5, 0.8, 0.55 } },
  density = 1000, stiffness = 1e6, spin = { 2, 1, -4 }, -- Pa, rad/s
})
std.contact.plane(scene, {
  bodies = { bunnies }, normal = { math.sin(slope), math.cos(slope), 0 },
  friction = 0.3, distance = 2e-3,
})

print(basin.simulate(scene, {
  dt = 0.01, steps = basin.setting("steps", 150), gravity = { 0, -9.8, 0 },
  output = {
    folder = "out/affine_tumble", frames = "vtu", pictures = "png", every = 2,
    camera = { eye = { 0.6, 1.1, 3.2 }, target = { 0, 0.15, 0 }, field_of_view = 35 },
  },
}))
