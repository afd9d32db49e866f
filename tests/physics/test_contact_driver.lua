-- What drives contact: the loop written by hand and basin.newton, bad starts, moving bodies,
-- thickness, planes, forms of the barrier, stiffness that grows.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local gravity <const> = { 0, -9.8, 0 }

local function cube(width, given)
  local all = { nx = 1, ny = 1, nz = 1, width = width, height = width, depth = width }
  for key, value in pairs(given or {}) do all[key] = value end
  return basin.mesh.box(all)
end

local function soft(scene, name, given)
  local all = { mesh = cube(0.1), density = 1000,
    material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.soft(scene, name, all)
end

local function floor(scene, given)
  local all = { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1, width = 1, height = 0.1, depth = 1,
    surface = true } }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.fixed(scene, "floor", all)
end

-- A soft cube falls on a fixed one: from primitives, with pairs that a detector fills.
local function primitives()
  local scene = basin.scene "loop"
  local mesh = cube(0.1):translated { 0.013, 0.0615, 0.007 }
  local ground = cube(0.4, { height = 0.02, surface = true })
  local body = scene:add_mesh "body"
  local verts = body:add_primitive("vertices", mesh.points.count)
  local x = verts:add_attribute("position", { rows = 3, value = mesh.points })
  local X = verts:add_constant("rest", { rows = 3, value = mesh.points })
  local predicted = verts:add_constant("predicted", { rows = 3 })
  local m = verts:add_constant("mass", { value = mesh:lumped_mass { density = 1000 } })
  local tets = body:add_primitive("tets", mesh.tets.count)
  local corners = tets:add_connectivity("corners", verts, mesh.tets, 4)
  local F, volume = std.elastic.deformation.gradient(corners:gather(x), corners:gather(X))
  scene:add_energy(0.5 * m * (x - predicted):squared_norm(), { name = "inertia",
    projection = "none" })
  scene:add_energy(1e-4 * volume * std.elastic.stable_neo_hookean(F, 3760, 8480),
    { name = "elastic", projection = "clamp" })
  local still = scene:add_mesh("ground"):add_primitive("vertices", ground.points.count)
  still:add_attribute("position", { rows = 3, value = ground.points })
  local contact = scene:add_mesh "contact"
  local all = contact:add_primitive_union("vertices", { verts, still })
  local position, connectivities = all:add_attribute "position", {}
  for kind, arity in basin.sorted { point_point = 2, point_edge = 3, point_triangle = 4,
    edge_edge = 4 } do
    local pair = contact:add_primitive(kind, 0, { dynamic = true })
    local ends = pair:add_connectivity("ends", all, {}, arity)
    local D = std.contact.squared_distance[kind](ends:gather(position))
    scene:add_energy(pair:add_attribute("barrier", std.contact.log_barrier(D, 1e-6, 1e4)),
      { name = kind, projection = "clamp" })
    connectivities[kind] = ends
  end
  local surface = basin.mesh.joined { mesh:surface(), ground }
  local numbers = basin.array.labels { { mesh.points.count, 0 }, { ground.points.count, 1 } }
  local detector = basin.contact.detector { positions = position, triangles = surface.triangles,
    body = numbers, pairs = connectivities }
  scene:add_minimize_target { x }
  local witness = guard.of { position = position, reach = 2e-3, numbers = numbers:table(),
    parts = { { count = numbers.count, triangles = surface.triangles } } }
  return { scene = scene, x = x, predicted = predicted, position = position,
    detector = detector, witness = witness }
end

local H <const> = 0.01

-- Steps of implicit Euler; `minimize` finds each minimum.
local function run(minimize, steps)
  local s = primitives()
  local velocity, most = s.x:value() * 0, 0
  for _ = 1, steps do
    local before = s.x:value()
    s.predicted:update(before + H * velocity + basin.array.filled(before.count, { 0, -9.8 * H * H,
      0 }))
    minimize(s)
    s.witness:check()
    velocity = (s.x:value() - before) * (1 / H)
    most = math.max(most, s.detector:counts().total)
  end
  return s.x:value(), most
end

local function by_newton(s)
  local report = basin.newton(s.scene, { tolerance = 1e-9, sufficient_decrease = 0,
    max_iterations = 200, linear = { solver = "direct" },
    filters = { s.detector:filter { slackness = 0.5 } },
    refresh = function() s.detector:detect { squared_distance = 1e-6 } end })
  assert(report.converged, tostring(report))
end

local function by_hand(s)
  for _ = 1, 200 do
    s.detector:detect { squared_distance = 1e-6 }
    local d = s.scene:minimize_energy { solver = "direct" }
    if d:max_abs() <= 1e-9 then return end
    local start, from, before = s.x:value(), s.position:compute(),
      s.scene:compute_total_energy()
    s.x:update(start - d)
    local motion = from - s.position:compute()
    local step = s.detector:largest_step { from = from, direction = motion, slackness = 0.5 }
    for _ = 1, 40 do
      s.x:update(start - step * d)
      s.detector:detect { squared_distance = 1e-6 }
      if s.scene:compute_total_energy() <= before then break end
      step = step / 2
    end
  end
  error "not converged"
end

harness.test("basin.newton and the loop written by hand give the same trajectory", function()
  local a, pairs_a = run(by_newton, 12)
  local b, pairs_b = run(by_hand, 12)
  assert(pairs_a > 0, "nothing touched")
  harness.equal(pairs_a, pairs_b, "pairs")
  assert((a - b):max_abs() < 1e-8, ("positions differ by %.3g"):format((a - b):max_abs()))
end)

harness.test("a start that intersects names the bodies", function()
  local scene = basin.scene "start"
  local a, b = soft(scene, "left"), soft(scene, "right", { copies = { { 0.03, 0.02, 0.05 } } })
  harness.fails("an edge at vertex %d of '%a+' meets a triangle at vertex %d of '%a+'",
    std.contact.barrier, scene, { bodies = { a, b } })
end)

harness.test("a start closer than the thickness names the bodies", function()
  local scene = basin.scene "start"
  local a, b = soft(scene, "left"), soft(scene, "right", { copies = { { 0, 0.102, 0 } } })
  harness.fails("gap of %-0.00[0-9]+ m %(distance 0.002 m%): .*'left'", std.contact.barrier, scene,
    { bodies = { a, b }, thickness = 5e-3 })
end)

-- Drops a cube and returns the smallest distance at rest, and the contact.
local function rest(given, steps)
  local scene = basin.scene "rest"
  local body = soft(scene, "body", { copies = { { 0, 0.113, 0 } }, damping = { stiffness = 0.02 } })
  local bodies = given.planes and { body } or { body, floor(scene) }
  local all = { bodies = bodies, distance = 2e-3 }
  for key, value in pairs(given) do all[key] = value end
  all.dt, all.integrator = nil, nil
  local contact = std.contact.barrier(scene, all)
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = given.dt or 0.01, steps = steps or 60,
    gravity = gravity, integrator = given.integrator, on_step = witness:on_step(),
    newton = { tolerance = 1e-3, max_iterations = 200, linear = { solver = "direct" } } })
  return contact, report, witness
end

harness.test("other integrators", function()
  for _, integrator in ipairs { "bdf2", "quasistatic" } do
    local contact, report, witness = rest({ stiffness = 1e3, friction = 0.3,
      integrator = integrator })
    harness.equal(report.reasons.converged, 60, tostring(report))
    assert(contact.most_pairs > 0 and witness.closest < 2e-3, integrator .. ": nothing touched")
  end
end)

harness.test("thickness is kept in addition to the distance", function()
  local _, _, witness = rest { thickness = 4e-3, stiffness = 1e3 }
  assert(witness.smallest > 4e-3 and witness.closest < 6e-3,
    ("distances %.3g, %.3g"):format(witness.smallest, witness.closest))
end)

harness.test("the default stiffness holds a body at about half the distance", function()
  for _, form in ipairs { "squared_log", "log" } do
    local _, report, witness = rest { form = form }
    assert(witness.closest > 2e-4 and witness.closest < 1.9e-3,
      ("%s: rests at %.3g m\n%s"):format(form, witness.closest, tostring(report)))
  end
end)

harness.test("the resting gap does not depend on the time step", function()
  local _, _, one = rest({ stiffness = 1e3 }, 60)
  local _, _, two = rest({ stiffness = 1e3, dt = 0.005 }, 120)
  harness.close(one.closest / two.closest, 1, 0.02)
end)

harness.test("planes", function()
  local contact = rest { planes = { { normal = { 0, 2, 0 }, offset = 0.1 } }, stiffness = 1e3,
    friction = 0.3 }
  local lowest = contact.position:compute():component(2):min()
  assert(lowest > 0.05 and lowest < 0.052, ("lowest point at %.4g"):format(lowest))
end)

harness.test("a weak barrier grows stiffer on request", function()
  local contact, report = rest({ stiffness = 1e-5, adaptive = true }, 30)
  assert(contact.stiffness:value()[1] > 1e-5, tostring(report))
  assert(tostring(report):find "stiffness grew to", "the report says so")
end)

harness.test("a barrier that cannot hold a body is named as the reason", function()
  local contact, report = rest({ stiffness = 1e-12 }, 15)
  local found = 0
  for reason, count in pairs(report.reasons) do
    if reason:find "^barrier too weak" then found = found + count end
  end
  assert(found > 0, tostring(report))
  assert(contact:smallest_distance() > 0, "nothing passes all the same")
end)

harness.test("the same bits with 1, 2 and 3 threads", function()
  local function bits(threads)
    local scene = basin.scene("threads", { threads = threads })
    local ball = basin.mesh.sphere { level = 2, radius = 0.08, layers = 1 }
    local body = soft(scene, "body", { mesh = ball, copies = { { 0, 0.14, 0 },
      { 0.03, 0.31, 0.01 } }, velocity = { 0, -1, 0 } })
    local bodies = { body, floor(scene) }
    local witness = guard.new(std.contact.barrier(scene, { bodies = bodies, distance = 5e-3,
      stiffness = 1e3, friction = 0.3 }), bodies)
    basin.simulate(scene, { dt = 0.01, steps = 8, gravity = gravity, on_step = witness:on_step(),
      newton = { tolerance = 1e-2, linear = { solver = "pcg", tolerance = 1e-6 } } })
    return body.position:value():bytes()
  end
  local one = bits(1)
  for threads = 2, 3 do harness.equal(bits(threads) == one, true, threads .. " threads") end
end)

harness.test("a moving body pushes, and jumps over nothing", function()
  local scene = basin.scene "moving"
  local body = soft(scene, "body", { copies = { { 0, 0.108, 0 } } })
  -- A thin plate that would be past the whole body after one step of 16 m/s.
  local plate = floor(scene, { motion = function(time, start)
    local rows = start:table()
    for _, p in ipairs(rows) do p[2] = p[2] + math.min(16 * time, 0.4) end
    return rows
  end })
  local bodies = { body, plate }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e5 })
  local witness = guard.new(contact, bodies)
  basin.simulate(scene, { dt = 0.01, steps = 4, newton = { tolerance = 1e-2,
    max_iterations = 200, linear = { solver = "direct" } }, on_step = witness:on_step() })
  local top = plate.position:value():component(2):max()
  assert(body.position:value():component(2):min() > top, "the plate passed the body")
  harness.close(top, 0.45, 1e-12, "the plate arrived")
end)

harness.test("moving bodies wait for what cannot give way, in time and with room", function()
  for what, pinned in pairs { pinned = true, ["on the floor"] = false } do
    local scene = basin.scene "press"
    local body = soft(scene, "body", { copies = { { 0, 0.102, 0 } } })
    local plate = std.body.fixed(scene, "plate", { mesh = cube(0.3, { height = 0.05,
      surface = true }):translated { 0, 0.2, 0 }, motion = function(time, start)
      return start + basin.array.filled(start.count, { 0, -time, 0 })
    end })
    local bodies = { body, plate, not pinned and floor(scene) or nil }
    if pinned then
      std.constraint.pin(body, { vertices = basin.array.range(0, body.vertices.count) })
    end
    local contact = std.contact.barrier(scene, { bodies = bodies, distance = 1e-3 })
    local witness = guard.new(contact, bodies)
    local report = basin.simulate(scene, { dt = 0.01, steps = 20, gravity = gravity,
      on_step = witness:on_step() })
    harness.equal(report.reasons.converged, 20, what .. "\n" .. tostring(report))
    assert(tostring(report):find "moving bodies were held up %d", what)
    -- A thousandth of the distance is where nothing approaches any more.
    assert(witness.smallest > 2e-7, ("%s: a gap of %.3g m"):format(what, witness.smallest))
  end
end)

harness.test("bodies and options are checked", function()
  local scene = basin.scene "options"
  local body = soft(scene, "body")
  harness.fails("'bodies' is empty", std.contact.barrier, scene, { bodies = {} })
  harness.fails("named twice", std.contact.barrier, scene, { bodies = { body, body } })
  harness.fails("a body is needed", std.contact.barrier, scene, { bodies = { 3 } })
  harness.fails("none of the bodies moves freely", std.contact.barrier, scene,
    { bodies = { floor(scene) } })
  harness.fails("names 'other', which is none", std.contact.barrier, scene,
    { bodies = { body }, pairs = { { body, "other", touch = false } } })
end)
harness.finish()
