-- Contact scenes on a CUDA device take the steps that they take on the CPU; a witness of its own
-- watches them.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local gravity <const> = { 0, -9.8, 0 }
local newton <const> = { tolerance = 1e-3, max_iterations = 100,
  linear = { solver = "pcg", tolerance = 1e-10 } }

harness.need_cuda()

local function box(width, height)
  return basin.mesh.box { nx = 1, ny = 1, nz = 1, width = width, height = height or width,
    depth = width, surface = true }
end

local scenes = {}

-- A soft and an affine box fall into a tray.
function scenes.tray(scene)
  local floor = std.body.fixed(scene, "floor", { mesh = box(0.6, 0.1),
    copies = { { 0, -0.05, 0 } } })
  local wall = std.body.fixed(scene, "wall", { mesh = box(0.1), copies = { { 0.16, 0.05, 0 } } })
  local soft = std.body.soft(scene, "soft", { mesh = basin.mesh.box { nx = 2, ny = 2, nz = 2,
    width = 0.1, height = 0.1, depth = 0.1 }, copies = { { 0.04, 0.056, 0 } }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e4, poisson = 0.36 } })
  local stiff = std.body.affine(scene, "stiff", { mesh = box(0.08), density = 1000,
    stiffness = 1e7, copies = { { 0.07, 0.152, 0.01 } } })
  local bodies = { floor, wall, soft, stiff }
  return bodies, std.contact.barrier(scene, { bodies = bodies, distance = 5e-3, stiffness = 100,
    friction = 0.3 })
end

-- A block slides down a slope that holds it back by friction.
function scenes.slope(scene)
  local angle <const> = math.atan(0.5)
  local function turned(mesh) return mesh:rotated { axis = { 0, 0, 1 }, angle = -angle } end
  local height = 0.1 + 0.025 + 1.6e-3
  local slope = std.body.fixed(scene, "slope", { mesh = turned(box(2, 0.2)) })
  local block = std.body.affine(scene, "block", { mesh = turned(box(0.1, 0.05)),
    copies = { { math.sin(angle) * height, math.cos(angle) * height, 0 } }, density = 1000,
    stiffness = 1e7 })
  local bodies = { slope, block }
  return bodies, std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e4,
    static_friction = 0.4, dynamic_friction = 0.3, friction_iterations = 1 })
end

-- Cloth on a sphere, with thickness.
function scenes.cloth(scene)
  local ball = std.body.fixed(scene, "ball", { mesh = basin.mesh.sphere { level = 2,
    radius = 0.25 } })
  local sheet = std.body.cloth(scene, "cloth", { mesh = basin.mesh.grid { nx = 7, ny = 7,
    width = 0.5, height = 0.5, plane = "xz" }, density = 0.2, thickness = 1e-3, young = 1e5,
    bending = 1e-4, copies = { { 0.02, 0.257, 0.01 } } })
  local bodies = { ball, sheet }
  return bodies, std.contact.barrier(scene, { bodies = bodies, distance = 5e-3, thickness = 1e-3,
    stiffness = 10, friction = 0.3 })
end

-- A pusher moves a box over a plane; another box is thrown at it.
function scenes.pusher(scene)
  local thrown = std.body.soft(scene, "thrown", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1,
    width = 0.1, height = 0.1, depth = 0.1 }, copies = { { 0.117, 0.055, 0.02 } },
    density = 1000, material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.3 } })
  local slid = std.body.affine(scene, "slid", { mesh = box(0.1), density = 1000,
    stiffness = 1e7, copies = { { 0, 0.054, 0 } } })
  local pusher = std.body.fixed(scene, "pusher", { mesh = box(0.1),
    copies = { { -0.11, 0.06, 0 } },
    motion = function(time, start)
      local rows = start:table()
      for _, p in ipairs(rows) do p[1] = p[1] + 2 * time end
      return rows
    end })
  local bodies = { thrown, slid, pusher }
  return bodies, std.contact.barrier(scene, { bodies = bodies, distance = 5e-3, stiffness = 1e3,
    planes = { { normal = { 0, 1, 0 }, offset = 0 } }, friction = 0.2 })
end

local function run(name, device, steps)
  local scene = basin.scene(name, { device = device })
  local bodies, contact = scenes[name](scene)
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = 0.005, steps = steps, gravity = gravity,
    newton = newton, on_step = witness:on_step() })
  assert(contact.most_pairs > 0, "nothing ever came near")
  harness.equal(report.reasons.converged, steps, "steps that converged\n" .. tostring(report))
  return contact.position:compute(), report
end

for name, steps in pairs { tray = 4, slope = 4, cloth = 6, pusher = 5 } do
  harness.test(name .. ": the same steps on both devices", function()
    local here, report = run(name, harness.host(), steps)
    local there, other = run(name, "cuda", steps)
    harness.equal(other.iterations, report.iterations, "Newton iterations")
    local apart = (here - there):max_abs()
    assert(apart < 1e-9, ("positions differ by %g m"):format(apart))
  end)
end

-- A soft box on a floor, with every option that has a path of its own.
local options <const> = { adaptive = { stiffness = "adaptive" },
  ["pairs' own stiffness"] = { stiffness = "semi_implicit" },
  ["friction of pairs' own stiffness"] = { stiffness = "semi_implicit", friction = 0.2 },
  ["short sweeps"] = { step_rule = "cfl", friction = 0.2 },
  ["safe distances"] = { step_rule = "safe_distance" },
  ["a body's grain"] = { friction = { along = 0.1, across = 0.4, direction = { 1, 0, 1 },
    body = "soft" } },
  adhesion = { adhesion = { strength = 1e3, range = 8e-3 } },
  ["renewed friction"] = { friction = 0.2, friction_iterations = 2, mollifier = false } }

local function rest(device, more)
  local scene = basin.scene("rest", { device = device })
  local floor = std.body.fixed(scene, "floor", { mesh = box(0.6, 0.1),
    copies = { { 0, -0.05, 0 } } })
  local soft = std.body.soft(scene, "soft", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1,
    width = 0.1, height = 0.1, depth = 0.1 }, copies = { { 0.04, 0.053, 0 } }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.36 } })
  local given = { bodies = { floor, soft }, distance = 5e-3, stiffness = 100 }
  for key, value in pairs(more) do given[key] = value end
  local contact = std.contact.barrier(scene, given)
  local report = basin.simulate(scene, { dt = 0.005, steps = 3, gravity = gravity,
    newton = newton })
  assert(contact.most_pairs > 0, "nothing ever came near")
  return contact.position:compute(), report.iterations
end

for name, more in pairs(options) do
  harness.test(name .. ": the same steps on both devices", function()
    local here, iterations = rest(harness.host(), more)
    local there, others = rest("cuda", more)
    harness.equal(others, iterations, "Newton iterations")
    local apart = (here - there):max_abs()
    assert(apart < 1e-9, ("positions differ by %g m"):format(apart))
  end)
end

harness.finish()
