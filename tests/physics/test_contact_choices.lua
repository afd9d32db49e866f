-- Whatever is chosen for barriers, stiffness and steps: nothing passes through, steps converge.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

-- A soft ball and a stiff one, one above the other, hit a sheet on a plate and a plane below.
local STEPS <const> = basin.setting("steps", 14)

local function crash(choice)
  local scene = basin.scene "choices"
  local ball = basin.mesh.sphere { level = 1, radius = 0.05, layers = 1 }
  local soft = std.body.soft(scene, "soft", { mesh = ball, copies = { { 0.01, 0.1, 0.02 } },
    velocity = { 0, -5, 0 }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.3 } })
  local stiff = std.body.affine(scene, "stiff", { mesh = ball, copies = { { 0.02, 0.25, 0 } },
    velocity = { 0, -5, 0 }, density = 1000, stiffness = 1e7 })
  local sheet = std.body.cloth(scene, "sheet", { mesh = basin.mesh.grid { nx = 5, ny = 5,
    width = 0.3, height = 0.3, plane = "xz" }, copies = { { 0, 0.02, 0 } }, density = 0.5,
    thickness = 1e-3, young = 1e5, bending = 1e-4 })
  local plate = std.body.fixed(scene, "plate", { mesh = basin.mesh.box { width = 0.2,
    height = 0.1, depth = 0.2, surface = true }:translated { 0, -0.05, 0 } })
  local bodies = { soft, stiff, sheet, plate }
  local all = { bodies = bodies, distance = 5e-3, stiffness = 1e4, friction = 0.3,
    planes = { { normal = { 0, 1, 0 }, offset = -0.08 } } }
  for key, value in pairs(choice) do all[key] = value end
  local contact = std.contact.barrier(scene, all)
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = 0.01, steps = STEPS, gravity = { 0, -9.8, 0 },
    on_step = witness:on_step(),
    newton = { tolerance = 1e-2, max_iterations = 400, linear = { solver = "direct" } } })
  assert(report.reasons.converged == STEPS, tostring(report))
  assert(contact.most_pairs > 5, "few pairs")
end

for _, form in ipairs { "squared_log", "log", "two_stage", "cubic" } do
  harness.test("form " .. form, function() crash { form = form } end)
end
for _, rule in ipairs { "cfl", "safe_distance" } do
  harness.test("step rule " .. rule, function() crash { step_rule = rule } end)
end
harness.test("stiffness adaptive", function() crash { stiffness = "adaptive" } end)
for _, form in ipairs { "squared_log", "log", "two_stage", "cubic" } do
  harness.test("stiffness semi_implicit, form " .. form, function()
    crash { stiffness = "semi_implicit", form = form }
  end)
end
for name, choice in basin.sorted {
  ["little slackness"] = { slackness = 0.1 }, ["much slackness"] = { slackness = 0.99 },
  ["no mollifier"] = { mollifier = false },
  ["growing stiffness"] = { stiffness = 1, adaptive = true },
  ["friction along and across"] = { friction = { along = 0.1, across = 0.5,
    direction = { 1, 0, 0 } } },
  ["renewed friction"] = { friction_iterations = 3 },
  adhesion = { adhesion = { strength = 0.1 } },
} do
  harness.test(name, function() crash(choice) end)
end
harness.finish()
