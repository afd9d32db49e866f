-- A soft bunny falls on a tilted floor, is squashed, slides a little and comes to rest.
-- Lengths in m, masses in kg, times in s.
local basin = require "basin"
local std = require "basin.std"

local slope = math.rad(basin.setting("slope", 12)) -- degrees
local rest = basin.mesh.read("data/bunny_tet.msh"):scaled_to { height = 0.3 }

local scene = basin.scene("falling_bunny")
local bunny = std.body.soft(scene, "bunny", {
  mesh = rest:rotated { axis = { 0, 1, 0 }, degrees = -100 }, copies = { { 0, 0.4, 0 } },
  density = 1000, material = std.elastic.stable_neo_hookean { young = 5e4, poisson = 0.4 },
  damping = { stiffness = 0.02 }, -- s
  velocity = { 0.4, 0, 0 }, -- m/s
})
std.contact.plane(scene, {
  bodies = { bunny }, normal = { math.sin(slope), math.cos(slope), 0 }, point = { 0, 0, 0 },
  friction = 0.3, distance = 2e-3,
})

local report = basin.simulate(scene, {
  dt = 0.01, steps = basin.setting("steps", 150), gravity = { 0, -9.8, 0 },
  newton = { linear = { solver = "pcg", tolerance = 1e-4 } },
  output = {
    folder = "out/falling_bunny", frames = "vtu", pictures = "png", every = 2,
    camera = { eye = { 0.3, 0.4, 1.3 }, target = { 0.1, 0.17, 0 }, field_of_view = 35 },
  },
})
print(report)
