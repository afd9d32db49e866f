-- Hanging cloth and ropes: finite, converging, and in equilibrium the pins carry the weight.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

local function cloth(scene, given)
  local all = { mesh = basin.mesh.grid { nx = 9, ny = 9 }, density = 0.2, thickness = 1e-3,
    young = 5e4, poisson = 0.3, bending = 1e-4 }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.cloth(scene, "cloth", all)
end

-- The force of pins on their body: stiffness times how far the places are from the points.
local function pull(body, pins, stiffness)
  local force = { 0, 0, 0 }
  local x = body.position:value():table()
  local vertices = pins.vertex:value():table()
  for i, place in ipairs(pins.place:value():table()) do
    local vertex = vertices[i]
    local p = x[(type(vertex) == "table" and vertex[1] or vertex) + 1]
    for k = 1, 3 do force[k] = force[k] + stiffness * (place[k] - p[k]) end
  end
  return force
end

harness.test("a cloth falls and swings, every step converges", function()
  local scene = basin.scene "falls"
  local body = cloth(scene, { mesh = basin.mesh.grid { nx = 9, ny = 9 }:rotated { axis = { 1, 0,
    0 }, degrees = -90 } })
  std.constraint.pin(body, { vertices = body.mesh:corners { "top_left", "top_right" } })
  local lowest = 0
  local report = basin.simulate(scene, { dt = 1 / 60, steps = 60, gravity = { 0, -9.8, 0 },
    newton = { tolerance = 1e-4, max_iterations = 200 },
    on_step = function() lowest = math.min(lowest, body.position:value():component(2):min()) end })
  assert(report.reasons.converged == 60, tostring(report))
  assert(body.position:value():is_finite(), "not finite")
  -- Pinned at one side of length 1, it can fall by 1 and what it stretches.
  assert(lowest < -0.9 and lowest > -1.5, ("the cloth fell to %.3f"):format(lowest))
end)

harness.test("in equilibrium the pins carry the weight, and the two sides are alike", function()
  local scene = basin.scene "hangs"
  local body = cloth(scene)
  local pins = std.constraint.pin(body, { vertices = body.mesh:corners { "top_left", "top_right" },
    stiffness = 1e4 })
  local report = basin.simulate(scene, { dt = 1, steps = 1, integrator = "quasistatic",
    gravity = { 0, -9.8, 0 },
    newton = { rule = "gradient", tolerance = 1e-10, max_iterations = 200,
      linear = { solver = "direct" } } })
  assert(report.reasons.converged == 1, tostring(report))
  local force = pull(body, pins, 1e4)
  harness.close(force[1], 0, 1e-8)
  harness.close(force[2], 0.2 * 9.8, 1e-8) -- 1 m^2 of 0.2 kg/m^2
  harness.close(force[3], 0, 1e-8)
end)

harness.test("a strip under its own weight stretches as a bar does", function()
  local scene = basin.scene "strip"
  local height, young, density = 1, 2e5, 0.1
  local mesh = basin.mesh.grid { nx = 3, ny = 41, width = 0.1, height = height }
  local body = cloth(scene, { mesh = mesh, young = young, poisson = 0, bending = 0,
    density = density })
  std.constraint.pin(body, { vertices = mesh:select { "top" }, stiffness = 1e6 })
  basin.simulate(scene, { dt = 1, steps = 1, integrator = "quasistatic", gravity = { 0, -9.8, 0 },
    newton = { rule = "gradient", tolerance = 1e-9, max_iterations = 100,
      linear = { solver = "direct" } } })
  -- Linear elasticity: density g height^2 / (2 young thickness); strains of half a percent change
  -- it by one percent.
  local drop = -0.5 - body.position:value():component(2):min()
  harness.close(drop / (density * 9.8 * height ^ 2 / (2 * young * 1e-3)), 1, 0.01)
end)

harness.test("bending: a strip held at one end deflects in proportion to load over stiffness",
  function()
  local function tip(stiffness)
    local scene = basin.scene "strip"
    local mesh = basin.mesh.grid { nx = 11, ny = 2, width = 1, height = 0.1 }:rotated { axis = { 1,
      0, 0 }, degrees = -90 }
    local body = cloth(scene, { mesh = mesh, bending = stiffness, young = 1e8, density = 1e-3 })
    std.constraint.pin(body, { vertices = { 0, 1, 11, 12 }, stiffness = 1e5 })
    basin.simulate(scene, { dt = 1, steps = 1, integrator = "quasistatic", gravity = { 0, -9.8e-3,
      0 },
      newton = { rule = "gradient", tolerance = 1e-13, max_iterations = 100,
        linear = { solver = "direct" } } })
    return -body.position:value():component(2):min()
  end
  local soft, stiff = tip(1e-3), tip(2e-3)
  harness.close(soft / stiff, 2, 1e-2) -- linear in the load, so inverse in the stiffness
end)

harness.test("a rope hangs as a catenary", function()
  local scene = basin.scene "catenary"
  local n, density, span = 81, 0.5, 0.8
  local mesh = basin.mesh.line { from = { -0.5, 0, 0 }, to = { 0.5, 0, 0 }, count = n }
  local rope = std.body.rope(scene, "rope", { mesh = mesh, density = density, stiffness = 1e5,
    damping = { mass = 1 } })
  local x = rope.position:value():table()
  for i, p in ipairs(x) do -- a sagging start that is neither straight nor compressed
    local s = (i - 1) / (n - 1)
    p[1], p[2] = (s - 0.5) * span, -0.9 * math.sin(math.pi * s) * 0.3
  end
  rope.position:update(x)
  std.constraint.pin(rope, { vertices = { 0, n - 1 }, stiffness = 1e6 })
  basin.simulate(scene, { dt = 1, steps = 1, integrator = "quasistatic", gravity = { 0, -9.8, 0 },
    newton = { rule = "gradient", tolerance = 1e-8, max_iterations = 500,
      linear = { solver = "direct" } } })
  -- Length 1 over 0.8: sinh(u) / u = 1 / 0.8 gives u = span / (2 a); the sag is a (cosh u - 1).
  local u = 1
  for _ = 1, 50 do
    u = u - (math.exp(u) / 2 - math.exp(-u) / 2 - u / 0.8) / ((math.exp(u) + math.exp(-u)) / 2 - 1
      / 0.8)
  end
  local a = span / (2 * u)
  harness.close(-rope.position:value():component(2):min(),
    a * ((math.exp(u) + math.exp(-u)) / 2 - 1), 2e-3)
end)
harness.finish()
