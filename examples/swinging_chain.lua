-- A chain of rigid links swings from one end, stepped by four methods that keep its links: what is
-- left of its energy, and how far the links are off.
-- Lengths in m, masses in kg, times in s.
local basin = require "basin"
local std = require "basin.std"

local links <const>, gravity <const> = 30, { 0, -9.8, 0 }

local function chain(name)
  local scene = basin.scene(name)
  local mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 0.8, -0.6, 0 }, count = links + 1 }
  local points = scene:add_mesh("chain"):add_primitive("points", mesh.points.count)
  local x = points:add_attribute("position", { rows = 3, value = mesh.points })
  local mass = points:add_constant("mass", { value = 0.02 })
  scene:add_body {
    name = "chain", unknowns = { x }, surface = { positions = x, edges = mesh.edges },
    inertia = function(d) return 0.5 * mass * d:squared_norm() end,
    gravity = function(g) return -(mass * x:dot(g)) end,
  }
  local rods = scene.chain:add_primitive("rods", links)
  local ends = rods:add_connectivity("ends", points, mesh.edges, 2):gather(x)
  scene:add_constraint((ends:row(2) - ends:row(1)):norm() - 1 / links, { name = "rods" })
  return scene, { { position = x, vertices = { 0 } } }
end

local own = { xpbd = { sweeps = 60 }, ivts = { iterations = 3 } }
print("method  energy change, J  length error, m")
for _, method in ipairs { "rattle", "proj2", "ivts", "xpbd" } do
  local scene, hold = chain(method)
  local given = { dt = 1 / 500, gravity = gravity, hold = hold }
  for key, value in pairs(own[method] or {}) do given[key] = value end
  local stepper = std.integrate[method](scene, given)
  local start, off = stepper:potential_energy(), 0
  basin.simulate(scene, {
    integrator = stepper, steps = basin.setting("steps", 1000),
    on_step = function() off = math.max(off, stepper:constraint_error()) end,
    output = method == "rattle" and {
      folder = "out/swinging_chain", pictures = "png", every = 10,
      camera = { eye = { 0, -0.4, 3.4 }, target = { 0, -0.4, 0 }, field_of_view = 40 },
    } or nil,
  })
  local change = stepper:kinetic_energy() + stepper:potential_energy() - start
  print(("%-7s %16.6f  %.1e"):format(method, change, off))
end
