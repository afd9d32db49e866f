-- A soft beam is twisted, quasi-statically: each step is an equilibrium, an end turns by 6 degrees.
local basin = require "basin"
local std = require "basin.std"

local scene = basin.scene("twisted_beam")
local mesh = basin.mesh.box { nx = 25, ny = 5, nz = 5, width = 1, height = 0.2, depth = 0.2 }
local beam = std.body.soft(scene, "beam", {
  mesh = mesh, density = 1000, material = std.elastic.stable_neo_hookean { young = 1e5,
    poisson = 0.45 },
})
std.constraint.pin(beam, { vertices = mesh:select { "left" }, stiffness = 1e4 })
std.constraint.pin(beam, {
  vertices = mesh:select { "right" }, stiffness = 1e4,
  motion = function(step, start)
    local angle, places = math.rad(6 * step), start:table()
    local c, s = math.cos(angle), math.sin(angle)
    for _, p in ipairs(places) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
    return places
  end,
})

print(basin.simulate(scene, {
  dt = 1, steps = basin.setting("steps", 60), integrator = "quasistatic", -- "time" counts steps
  newton = { tolerance = 1e-3, linear = { solver = "direct" } },
  output = {
    folder = "out/twisted_beam", frames = "vtu", pictures = "png",
    camera = { eye = { 0.5, 0.6, 1.7 }, target = { 0, 0, 0 }, field_of_view = 35 },
  },
}))
