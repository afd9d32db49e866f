-- What std.contact.barrier offers: forms of the barrier, stiffness that adapts, step rules,
-- adhesion, friction with a direction, regions; and what it says when it cannot help.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local G <const> = 9.8

local function cube(width, given)
  local all = { nx = 1, ny = 1, nz = 1, width = width, height = width, depth = width }
  for key, value in pairs(given or {}) do all[key] = value end
  return basin.mesh.box(all)
end

local function plate(scene, name, size, offset)
  return std.body.fixed(scene, name, { mesh = basin.mesh.box({ nx = 1, ny = 1, nz = 1,
    width = size[1], height = size[2], depth = size[3], surface = true }):translated(offset) })
end

local function run(scene, contact, bodies, given)
  local witness = guard.new(contact, bodies)
  local all = { dt = 0.01, steps = 60, gravity = { 0, -G, 0 }, on_step = witness:on_step(),
    newton = { tolerance = 1e-3, max_iterations = 200, linear = { solver = "direct" } } }
  for key, value in pairs(given or {}) do all[key] = value end
  return basin.simulate(scene, all), witness
end

-- A soft cube falls on a plate.
local function drop(given, more)
  local scene = basin.scene "drop"
  local body = std.body.soft(scene, "body", { mesh = cube(0.1), density = 1000,
    copies = { { 0, 0.063 + (given.thickness or 0), 0 } }, damping = { stiffness = 0.02 },
    velocity = more and more.velocity,
    material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } })
  local bodies = { body, not given.planes and plate(scene, "floor", { 1, 0.1, 1 }, { 0, -0.05, 0 })
    or nil }
  local all = { bodies = bodies, distance = 2e-3 }
  for key, value in pairs(given) do all[key] = value end
  local contact, options = std.contact.barrier(scene, all), {}
  for key, value in pairs(more or {}) do options[key] = value end
  options.velocity = nil
  local report, witness = run(scene, contact, bodies, options)
  return contact, report, witness
end

for _, form in ipairs { "squared_log", "log", "cubic", "two_stage" } do
  harness.test(form .. ": holds a body between contact and its reach", function()
    local _, report, witness = drop { form = form }
    assert(witness.closest > 2e-4 and witness.closest < 1.95e-3,
      ("rests at %.3g m\n%s"):format(witness.closest, tostring(report)))
    assert(report.reasons.converged == 60, tostring(report))
  end)
end

-- At rest contact carries the weight: the force on all vertices, or on the translation.
local function weight_carried(contact)
  local scene, own, force = contact.scene, {}, 0
  for _, energy in ipairs(scene:energies()) do
    if energy.name:find "^contact%." then own[#own + 1] = energy end
  end
  local parts = { scene:minimizer({ targets = scene:targets(), energies = own }):gradient() }
  for _, row in ipairs(parts[#parts]:table()) do force = force - row[2] end
  return force
end

for _, form in ipairs { "squared_log", "log" } do
  harness.test(form .. ": adaptive stiffness balances the weight", function()
    local contact, report, witness = drop({ form = form, stiffness = "adaptive" }, { steps = 90 })
    assert(witness.closest > 1e-4 and witness.closest < 1.95e-3, tostring(report))
    assert(report.reasons.converged == 90, tostring(report))
    harness.close(weight_carried(contact), G, 0.02 * G)
  end)
end

harness.test("adaptive stiffness stays within its bounds and only grows", function()
  local last, most = 0, 0
  local scene = basin.scene "bounds"
  local body = std.body.affine(scene, "body", { mesh = cube(0.1), density = 1000, stiffness = 1e6,
    copies = { { 0, 0.08, 0 } }, velocity = { 0, -3, 0 } })
  local bodies = { body, plate(scene, "floor", { 1, 0.1, 1 }, { 0, -0.05, 0 }) }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3,
    stiffness = "adaptive" })
  local mass, size = 1 / 8, 0.1 * math.sqrt(3)
  local least, bound = std.contact.stiffness.bounds { form = std.contact.squared_log_barrier,
    distance = 2e-3, diagonal = size, mass = mass }
  local unit = 1e4 * 2e-3 ^ 2
  run(scene, contact, bodies, { on_step = function()
    local stiffness = contact.stiffness:value()[1]
    if contact.memory.balanced:value()[1] == 1 then
      assert(stiffness >= last, "it fell")
      assert(stiffness >= 0.999 * unit * least and stiffness <= 1.001 * unit * bound,
        ("%g is not in %g .. %g"):format(stiffness, unit * least, unit * bound))
      last, most = stiffness, most + 1
    end
  end })
  assert(most > 10, "nothing touched")
end)

harness.test("adaptive stiffness after a restart goes on in the same bits", function()
  local file = assert(os.getenv "BASIN_TEST_OUTPUT", "a folder") .. "/adaptive.npz"
  local given = { stiffness = "adaptive", distance = 5e-4 }
  local whole = drop(given, { steps = 30, checkpoint = { file = file, every = 17 } })
  local rest = drop(given, { steps = 30, restart = file })
  for _, name in ipairs { "stiffness", "position" } do
    assert(whole[name]:compute():bytes() == rest[name]:compute():bytes(), name)
  end
end)

harness.test("a stiffness of each pair's own: semi-implicit", function()
  for _, form in ipairs { "cubic", "log" } do
    local contact, report, witness = drop { form = form, stiffness = "semi_implicit" }
    assert(witness.closest > 2e-4 and witness.closest < 1.95e-3, tostring(report))
    -- Vertices of the soft body know the stiffness of their tetrahedra, the plate has none.
    local elastic = contact.lagged.elastic:value()
    assert(elastic:slice(1, 8):min() > 1 and elastic:slice(9):max_abs() == 0, "elastic stiffness")
  end
end)

harness.test("the stiffness of pairs follows an impact that a cubic barrier cannot hold", function()
  local _, report = drop({ form = "cubic", stiffness = "semi_implicit" },
    { velocity = { 0, -3, 0 } })
  assert(report.reasons.converged == 60, tostring(report))
end)

harness.test("a cubic barrier is finite, so nothing bounds its stiffness", function()
  harness.fails("finite at contact", drop, { form = "cubic", stiffness = "adaptive" })
  harness.fails("\"adaptive\" or \"semi_implicit\", got 'adaptve'", drop, { stiffness = "adaptve" })
end)

harness.test("every step rule takes the same steps", function()
  for _, thickness in ipairs { 0, 5e-3 } do
    local given = { thickness = thickness > 0 and thickness or nil, friction = 0.3 }
    local fast = { velocity = { 1, -10, 0 }, steps = 12 }
    local sweep, report = drop(given, fast)
    assert(sweep.most_pairs > 0, "nothing touched")
    for _, rule in ipairs { "cfl", "safe_distance" } do
      given.step_rule = rule
      local contact, other = drop(given, fast)
      harness.equal(other.iterations, report.iterations, rule)
      assert(contact.position:compute():bytes() == sweep.position:compute():bytes(), rule)
    end
  end
end)

harness.test("thickness counts against planes as well", function()
  local contact = drop { thickness = 4e-3, stiffness = 1e3, planes = { { normal = { 0, 1, 0 } } } }
  local lowest = contact.position:compute():component(2):min()
  assert(lowest > 4e-3 and lowest < 6e-3, ("lowest point at %.4g"):format(lowest))
end)

-- ---- adhesion ----

local function stuck(adhesion, at, size, offset)
  local scene = basin.scene "stuck"
  local body = std.body.affine(scene, "body", { mesh = cube(0.1), density = 1000, stiffness = 1e6,
    copies = { at } })
  local bodies = { body, plate(scene, "plate", size, offset) }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3, stiffness = 1e3,
    adhesion = adhesion })
  local report = run(scene, contact, bodies, { steps = 40, newton = { tolerance = 1e-4,
    max_iterations = 200, linear = { solver = "direct" } } })
  return body.bodies.translation:value():table()[1], contact, report
end

harness.test("adhesion holds a block under a ceiling, or does not", function()
  local ceiling = { { 1, 0.1, 1 }, { 0, 0.05, 0 } }
  local held, contact = stuck({ strength = 5 }, { 0.01, -0.0512, 0.02 }, table.unpack(ceiling))
  assert(held[2] > -0.0515, ("fell to %.3g"):format(held[2]))
  harness.close(weight_carried(contact), G, 1e-3 * G)
  -- A pair of features holds 0.2 N at most, and there are fewer than the 49 that this needs.
  local fallen = stuck({ strength = 0.2 }, { 0.01, -0.0512, 0.02 }, table.unpack(ceiling))
  harness.close(fallen[2], -0.0512 - 0.5 * G * 0.4 * 0.41, 0.05, "free fall")
end)

harness.test("with friction, adhesion holds a block on a wall", function()
  local wall = { { 0.1, 2, 1 }, { -0.05, 0, 0 } }
  local at = { 0.0512, 0.01, 0.02 }
  local held = stuck({ strength = 20, friction = 1 }, at, table.unpack(wall))
  local slipped = stuck({ strength = 20 }, at, table.unpack(wall))
  assert(held[2] > 0.009, ("held, at %.4g"):format(held[2]))
  assert(slipped[2] < -0.5, ("without friction at %.4g"):format(slipped[2]))
end)

-- ---- friction ----

-- A block on a slope of 20 degrees along x; where it is after half a second.
local function slide(given)
  local scene = basin.scene "slope"
  local body = std.body.affine(scene, "block", { density = 1000, stiffness = 1e7,
    mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1, width = 0.2, height = 0.05, depth = 0.2 },
    copies = { { 0, 0.0258, 0 } } })
  local floor = plate(scene, "floor", { 3, 0.1, 3 }, { 0, -0.05, 0 })
  local all = { bodies = { body, floor }, distance = 1e-3, friction_iterations = 2 }
  for key, value in pairs(given) do all[key] = value end
  if all.regions then all.regions = all.regions(body, floor) end
  local contact = std.contact.barrier(scene, all)
  local angle = math.rad(20)
  run(scene, contact, all.bodies, { steps = 50, newton = { tolerance = 1e-4, max_iterations = 200,
    linear = { solver = "direct" } },
    gravity = { G * math.sin(angle), -G * math.cos(angle), 0 } })
  local t = body.bodies.translation:value():table()[1]
  return t, 0.5 * G * 0.5 * 0.51 * (math.sin(angle) - 0.1 * math.cos(angle))
end

harness.test("friction with a direction: slides along it, sticks across it", function()
  local function friction(direction) return { along = 0.1, across = 0.8, direction = direction } end
  local along, expected = slide { friction = friction { 1, 0, 0 } }
  harness.close(along[1], expected, 0.06 * expected)
  local across = slide { friction = friction { 0, 0, 1 } }
  harness.close(across[1], 0, 2e-3, "slid")
  -- Between both it is led along the direction.
  local led = slide { friction = friction { 1, 0, 1 } }
  harness.close(led[3] / led[1], 1, 0.15)
end)

harness.test("a direction of a body turns with it", function()
  -- The grain of the floor lies along z; turned by 90 degrees about y it lies along x.
  local function turned(friction, angle)
    local scene = basin.scene "turned"
    local body = std.body.affine(scene, "block", { density = 1000, stiffness = 1e7,
      mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1, width = 0.2, height = 0.05, depth = 0.2 },
      copies = { { 0.03, 0.0258, 0.02 } } })
    local floor = std.body.fixed(scene, "floor", { motion = function(_, start)
      local rows, c, s = start:table(), math.cos(angle), math.sin(angle)
      for _, p in ipairs(rows) do p[1], p[3] = c * p[1] + s * p[3], c * p[3] - s * p[1] end
      return rows
    end, mesh = basin.mesh.box({ nx = 1, ny = 1, nz = 1, width = 3, height = 0.1, depth = 3,
      surface = true }):translated { 0, -0.05, 0 } })
    local bodies, tilt = { body, floor }, math.rad(20)
    local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3,
      friction_iterations = 2, friction = friction })
    run(scene, contact, bodies, { steps = 50, newton = { tolerance = 1e-4, max_iterations = 200,
      linear = { solver = "direct" } },
      gravity = { G * math.sin(tilt), -G * math.cos(tilt), 0 } })
    return body.bodies.translation:value():at(1, 1) - 0.03,
      0.5 * G * 0.5 * 0.51 * (math.sin(tilt) - 0.1 * math.cos(tilt))
  end
  local function friction(body)
    return { along = 0.1, across = 0.8, direction = { 0, 0, 1 }, body = body }
  end
  local slid, expected = turned(friction "floor", math.pi / 2)
  harness.close(slid, expected, 0.06 * expected, "along the grain")
  harness.close(turned(friction "floor", 0), 0, 2e-3, "across the grain")
  harness.close(turned(friction(nil), math.pi / 2), 0, 2e-3, "a direction in space")
  -- That of the block, which lies still, is the one in space.
  harness.close(turned(friction "block", math.pi / 2), 0, 2e-3, "across the block's grain")
  harness.fails("friction: 'body' is 'flor', which is none of the bodies", turned,
    friction "flor", 0)
end)

harness.test("the direction of a body is that of its surface", function()
  -- A stiff cube that turns, a sheet stretched and sheared in its plane, a rod and points: all move
  -- by x -> A x, so the direction becomes A d, or its part in the sheet or along the rod.
  local A = { { 0.8, -0.6, 0.3 }, { 0.6, 0.8, 0 }, { 0, 0, 1.5 } }
  local function mapped(p)
    local q = {}
    for i = 1, 3 do q[i] = A[i][1] * p[1] + A[i][2] * p[2] + A[i][3] * p[3] end
    return q
  end
  local sheet = basin.mesh.grid { nx = 4, ny = 3, width = 0.3, height = 0.2, plane = "xz" }
  local rod = { points = { { 0, 0, 0 }, { 0.1, 0, 0.1 }, { 0.2, 0, 0.2 } },
    edges = { { 0, 1 }, { 1, 2 } } }
  for _, case in ipairs { { cube(0.1, { surface = true }), { 1, 0, 0 } }, { sheet, { 1, 0, 2 } },
    { sheet, { 1, 3, 2 }, { 1, 0, 2 } }, { basin.mesh.new(rod), { 1, 0, 0 }, { 0.5, 0, 0.5 } },
    { basin.mesh.new { points = rod.points }, { 1, 2, 3 }, { 1, 2, 3 }, still = true } } do
    local mesh, direction, part = table.unpack(case)
    local scene = basin.scene "grain"
    local moved = std.body.fixed(scene, "moved", { mesh = mesh, motion = function(_, start)
      local rows = start:table()
      for i, p in ipairs(rows) do rows[i] = mapped(p) end
      return rows
    end })
    local other = std.body.affine(scene, "other", { mesh = cube(0.1), density = 1000,
      stiffness = 1e6, copies = { { 0, 5, 0 } } })
    local contact = std.contact.barrier(scene, { bodies = { other, moved }, friction = { along = 1,
      across = 2, direction = direction, body = moved } })
    basin.simulate(scene, { dt = 0.01, steps = 2 })
    local found, first = contact.vertices.friction_grain:value():table(), other.vertices.count
    local wanted = case.still and direction or mapped(part or direction)
    for i, row in ipairs(found) do
      harness.close_arrays(row, i <= first and { 0, 0, 0 } or wanted, 1e-12, "vertex " .. i)
    end
  end
end)

harness.test("regions of a body have rules of their own", function()
  local rough = slide { friction = 0.1, regions = function(body)
    return { { name = "sole", body = body, vertices = basin.array.range(0, body.vertices.count) } }
  end, pairs = { { "sole", "floor", friction = 0.8 } } }
  harness.close(rough[1], 0, 2e-3, "slid")
end)

harness.test("regions are checked", function()
  local function with(region)
    return { regions = function() return { region } end }
  end
  harness.fails("which is none of the bodies", slide, with { name = "a", body = "blok",
    vertices = { 0 } })
  harness.fails("names vertex 99 of 8", slide, with { name = "a", body = "block",
    vertices = { 99 } })
  harness.fails("two bodies or regions 'floor'", slide, with { name = "floor", body = "block",
    vertices = { 0 } })
end)

-- ---- bodies that turn ----

-- A wheel with one paddle turns by 120 degrees a step below a ball that rests on the rim of a tray:
-- only along its arc does it meet the ball.
local function paddle(pieces)
  local scene = basin.scene "paddle"
  local ball = std.body.affine(scene, "ball", { mesh = basin.mesh.sphere { level = 1,
    radius = 0.05 }, copies = { { 0, 0.4, 0 } }, density = 1000, stiffness = 1e6 })
  local blade = std.body.fixed(scene, "blade", { pieces = pieces,
    mesh = basin.mesh.box({ nx = 1, ny = 1, nz = 1, width = 0.3, height = 0.02, depth = 0.1,
      surface = true }):translated { 0.27, 0.2, 0 },
    motion = function(time, start)
      local angle, rows = math.min(time / 0.01 * 2 * math.pi / 3, 2 * math.pi / 3), start:table()
      local c, s = math.cos(angle), math.sin(angle)
      for _, p in ipairs(rows) do p[1], p[2] = c * p[1] - s * p[2], s * p[1] + c * p[2] end
      return rows
    end })
  local bodies = { ball, blade }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e3 })
  run(scene, contact, bodies, { steps = 2, gravity = { 0, 0, 0 } })
  return ball.bodies.translation:value():table()[1]
end

harness.test("a body that turns far is met along its arc", function()
  local chord, arc = paddle(1), paddle(24)
  harness.close(chord[2], 0.4, 1e-12, "the chord passes below the ball")
  assert(arc[1] < -0.01, ("the ball is at %.3g, %.3g"):format(arc[1], arc[2]))
end)

-- ---- trouble ----

harness.test("a weak barrier, a stuck line search and a lost step have reasons of their own",
  function()
    local _, weak = drop({ stiffness = 1e-12 }, { steps = 15 })
    assert((weak.reasons["barrier too weak"] or 0) > 0, tostring(weak))
    assert(weak.last.cause, "what ended the solve")
    assert(tostring(weak):find "solves ended: .*barrier too weak %d", tostring(weak))
    local _, lost = drop({}, { steps = 2, newton = { filters = { function() return 0 end } } })
    harness.equal(lost.reasons["the step filters left no step"], 2, tostring(lost))
    -- An energy whose derivative points uphill.
    local scene = basin.scene "uphill"
    local x = scene:add_mesh("mesh"):add_primitive("point", 1):add_attribute("x", { value = 1 })
    scene:add_energy(basin.custom(x ^ 2, { x }, { -2 * x }), { name = "wrong" })
    scene:add_minimize_target { x }
    local stuck_report = basin.newton(scene)
    harness.equal(stuck_report.reason, "line search found no decrease")
  end)
harness.finish()
