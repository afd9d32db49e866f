-- A weight on a rope: bodies of two kinds, joined through the union of their vertices, swing as a
-- pendulum.
-- Lengths in m, masses in kg, times in s.
local basin = require "basin"
local std = require "basin.std"

local scene = basin.scene("rope_and_weight")
local knots = 25
local rope = std.body.rope(scene, "rope", {
  mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = knots },
  density = 0.2, stiffness = 2e3, -- kg/m, N
})
local ball = std.body.affine(scene, "ball", {
  mesh = basin.mesh.sphere { level = 2, radius = 0.12 }, copies = { { 1.12, 0, 0 } },
  density = 300, stiffness = 1e5,
})

-- The point of the ball that is nearest to the end of the rope.
local nearest, least = 0, math.huge
for i, p in ipairs(ball.mesh.points:table()) do
  if p[1] < least then nearest, least = i - 1, p[1] end
end
std.constraint.attach(rope, ball, { pairs = { { knots - 1, nearest } }, stiffness = 2e4, rest = 0 })
std.constraint.pin(rope, { vertices = { 0 } })

print(basin.simulate(scene, {
  dt = 0.01, steps = basin.setting("steps", 200), gravity = { 0, -9.8, 0 }, integrator = "bdf2",
  output = {
    folder = "out/rope_and_weight", frames = "vtu", pictures = "png", every = 2,
    camera = { eye = { 0, -0.5, 4.4 }, target = { 0, -0.55, 0 }, field_of_view = 35 },
  },
}))
