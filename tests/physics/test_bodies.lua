-- Bodies and constraints: in the plane, moved by hand, kept from inverting; mistakes that are
-- refused.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

harness.test("a body in the plane falls", function()
  local scene = basin.scene "plane"
  local mesh = basin.mesh.grid { nx = 4, ny = 4, dim = 2 }
  local body = std.body.soft(scene, "sheet", { mesh = mesh, density = 2,
    material = std.elastic.stable_neo_hookean { young = 100, poisson = 0.3 } })
  harness.close(body.mass, 2, 1e-12, "mass")
  basin.simulate(scene, { dt = 0.01, steps = 10, gravity = { 0.5, -9.8 }, newton = scenes.tight })
  local moved = body.position:value() - mesh.points
  -- Implicit Euler: g h^2 n (n + 1) / 2, the same for all points of a body without strain.
  for i = 1, moved.count do
    harness.close(moved:at(i, 1), 0.5 * 0.01 ^ 2 * 55, 1e-10)
    harness.close(moved:at(i, 2), -9.8 * 0.01 ^ 2 * 55, 1e-10)
  end
end)

harness.test("a fixed body that moves takes along what is attached to it", function()
  local scene = basin.scene "kinematic"
  local triangle = basin.mesh.new { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
    triangles = { { 0, 1, 2 } } }
  local mover = std.body.fixed(scene, "mover", { mesh = triangle, motion = function(time, start)
    local rows = start:table()
    for _, p in ipairs(rows) do p[1] = p[1] + 0.5 * time end
    return rows
  end })
  local block = scenes.block(scene, "block", { copies = { { 0, -1, 0 } }, damping = { mass = 20 } })
  std.constraint.attach(mover, block, { pairs = { { 0, 0 }, { 1, 1 } }, stiffness = 1e4 })
  basin.simulate(scene, { dt = 0.02, steps = 200, newton = { tolerance = 1e-5,
    max_iterations = 50 } })
  harness.close(mover.position:value():at(1, 1), 2, 1e-12, "the mover")
  local speed = block.motion.unknowns[1].velocity:value():component(1):mean()
  harness.close(speed, 0.5, 0.02, "the block's speed")
end)

harness.test("pins follow their motion", function()
  local scene = basin.scene "pins"
  local block = scenes.block(scene, "block")
  local pins = std.constraint.pin(block, { vertices = { 0, 1, 2 }, stiffness = 1e6,
    motion = function(time) return { 0, time, 0 } end })
  basin.simulate(scene, { dt = 0.01, steps = 5, newton = scenes.tight })
  local gap = block.position:value():select { 0, 1, 2 } - pins.place:value()
  assert(gap:max_abs() < 1e-3, "the pins lag by " .. gap:max_abs())
  harness.close(pins.place:value():at(1, 2), block.mesh.points:at(1, 2) + 0.05, 1e-12)
end)

harness.test("neo_hookean: the step filter keeps elements from inverting", function()
  local scene = basin.scene "crash"
  local block = scenes.block(scene, "block", { copies = { { 0, 0.15, 0 } }, velocity = { 0, -6, 0 },
    material = std.elastic.neo_hookean { young = 2e4, poisson = 0.3 } })
  std.contact.plane(scene, { bodies = { block }, distance = 2e-3 })
  local smallest = math.huge
  local determinant = scene.block.tets.deformation_gradient:det()
  local report = basin.simulate(scene, { dt = 0.005, steps = 15, gravity = { 0, -9.8, 0 },
    newton = { max_iterations = 200 },
    on_step = function() smallest = math.min(smallest, determinant:compute():min()) end })
  assert(report.reasons.converged == 15, tostring(report))
  assert(smallest > 0, "an element is inverted")
  assert(smallest < 0.7, ("the crash was too soft to mean anything: %.3g"):format(smallest))
end)

harness.test("an affine body has the mass and inertia of the solid", function()
  local scene = basin.scene "moments"
  local ball = std.body.affine(scene, "ball",
    { mesh = basin.mesh.sphere { level = 4, radius = 0.5 },
    density = 3, stiffness = 1 })
  harness.close(ball.mass / (3 * 4 / 3 * math.pi * 0.125), 1, 4e-3) -- the icosphere lies inside
  -- Spin energy 1/2 I w^2 with I = 2/5 m r^2: the inertia energy of the change of A in a unit time.
  local part = ball.motion.unknowns[1]
  part.value:update { 1, -0.1, 0, 0.1, 1, 0, 0, 0, 1 }
  part.predicted:update { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
  local energy = scene:energy "ball.inertia":compute()[1]
  harness.close(energy / (0.5 * 0.4 * ball.mass * 0.25 * 0.01), 1, 1e-2)
end)

-- ---- motions ----

local ends <const> = { { 0, 0, 0 }, { 1, 0, 0 } }

-- Where two points are after five steps of 0.01 s, which a function of time moves: those of a fixed
-- body, or pins.
local function moved(kind, motion, points)
  local scene = basin.scene "moved"
  local mesh = basin.mesh.new { points = points or ends, edges = { { 0, 1 } } }
  local rope = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = ends[1], to = ends[2],
    count = 2 }, density = 1, stiffness = 10 })
  local place
  if kind == "fixed" then
    place = std.body.fixed(scene, "body", { mesh = mesh, motion = motion }).position
  else
    place = std.constraint.pin(rope, { vertices = { 0, 1 }, stiffness = 1e3,
      motion = motion }).place
  end
  basin.simulate(scene, { dt = 0.01, steps = 5 })
  return place:value()
end

for _, kind in ipairs { "fixed", "pin" } do
  harness.test("a motion is one offset, or all places: " .. kind, function()
    local expected = { { 0, 0.1, 0 }, { 1, 0.1, 0 } }
    for _, motion in ipairs {
      function(time) return { 0, 2 * time, 0 } end,
      function(time) return { { 0, 2 * time, 0 }, { 1, 2 * time, 0 } } end,
      function(time, start) return start + basin.array.from { { 0, 2 * time, 0 },
        { 0, 2 * time, 0 } } end,
    } do
      harness.close_arrays(moved(kind, motion), expected, 1e-14)
    end
  end)

  harness.test("a motion that is neither is refused: " .. kind, function()
    for got, value in basin.sorted {
      ["2 numbers"] = { 1, 2 }, ["6 numbers"] = { 0, 0, 0, 1, 0, 0 }, ["a number"] = 1,
      ["an array of 1 x 3 numbers"] = { { 0, 0, 0 } }, ["a string"] = "up",
      ["an array of 2 x 2 numbers"] = { { 0, 0 }, { 1, 0 } },
      ["a list of something else"] = { { 0, 0, 0 }, { 1 } }, ["a boolean"] = false,
    } do
      harness.fails("must return 2 places of 3 numbers, or one offset of 3 numbers; got " .. got,
        moved, kind, function() return value end)
    end
    harness.fails("got nothing", moved, kind, function() end)
    harness.fails("got an array of 3 x 1 numbers", moved, kind,
      function() return basin.array.from { 1, 2, 3 } end)
  end)
end

harness.test("motions in the plane are of two numbers", function()
  local flat <const> = { { 0, 0 }, { 1, 0 } }
  local place = moved("fixed", function(time) return { 0, 2 * time } end, flat)
  harness.close_arrays(place, { { 0, 0.1 }, { 1, 0.1 } }, 1e-14)
  harness.fails("or one offset of 2 numbers; got 3 numbers", moved, "fixed",
    function() return { 0, 1, 0 } end, flat)
end)

-- ---- rigid bodies ----

local function rigid(given)
  local all = { mass = 2, inertia = { { 3, 0, 0 }, { 0, 4, 0 }, { 0, 0, 5 } } }
  for key, value in pairs(given) do all[key] = value end
  return std.body.affine(basin.scene "rigid", "body", { stiffness = 1, rigid = all,
    mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 } })
end

harness.test("a rigid body needs the inertia of some matter", function()
  -- Turned by 45 degrees about z: the moments along and across x, y mix.
  harness.close(rigid { inertia = { { 3.5, 0.5, 0 }, { 0.5, 3.5, 0 }, { 0, 0, 5 } } }.mass, 2)
  -- A flat plate: one moment is the sum of the others.
  rigid { inertia = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } } }
  rigid { inertia = { { 1.5, 0.5, 0 }, { 0.5, 1.5, 0 }, { 0, 0, 3 } } }
  harness.fails("'mass' must be a number above 0", rigid, { mass = 0 })
  harness.fails("'centre' needs 3 numbers", rigid, { centre = { 0, 0 } })
  for text, inertia in basin.sorted {
    ["needs 3 rows of 3 numbers"] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 / 0 } },
    ["is not symmetric: 0.1 and 0"] = { { 1, 0.1, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    ["is not positive definite"] = { { 1, 2, 0 }, { 2, 1, 0 }, { 0, 0, 1 } },
    ["larger than the sum of the two others"] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3.001 } },
  } do
    harness.fails(text, rigid, { inertia = inertia })
  end
  harness.fails("positive definite", rigid, { inertia = { { -1, 0, 0 }, { 0, 1, 0 },
    { 0, 0, 1 } } })
  -- Principal moments 1, 2 and 3.2, turned by 45 degrees about z.
  harness.fails("larger than the sum", rigid, { inertia = { { 2.1, 1.1, 0 }, { 1.1, 2.1, 0 },
    { 0, 0, 2 } } })
end)

-- ---- attachments ----

harness.test("attachments name vertices of each body", function()
  local function tie(pairs, same)
    local scene = basin.scene "tie"
    local a, b = scenes.block(scene, "a"), scenes.block(scene, "b", { copies = { { 1, 0, 0 } } })
    local springs = std.constraint.attach(a, same and a or b, { pairs = pairs, stiffness = 1 })
    return springs.rest_length:value()
  end
  harness.close(tie { { 44, 44 } }:at(1), 1, 1e-12, "the last of 5 x 3 x 3 vertices")
  harness.fails("pair 2 names vertex 45 of body 'a', which has 45", tie, { { 0, 0 }, { 45, 0 } })
  harness.fails("pair 1 names vertex 45 of body 'b', which has 45", tie, { { 0, 45 } })
  harness.fails("pair 1 names vertex %-1 of body 'b'", tie, { { 0, -1 } })
  harness.fails("pair 1 names vertex %-2 of body 'a'", tie, basin.array.from { { -2, 1 } })
  harness.fails("pair 1 must be", tie, { { "0", "1" } })
  harness.fails("pair 1 ties vertex 3 of body 'a' to itself", tie, { { 3, 3 } }, true)
end)

-- Every energy of the library, with all its numbers times `factor`.
local function everything(factor)
  local scene = basin.scene "numbers"
  local block = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
  local soft = std.body.soft(scene, "soft", { mesh = block, density = 10 * factor,
    material = std.elastic.stable_neo_hookean { young = 1e4 * factor, poisson = 0.3 },
    damping = { mass = 0.1 * factor, stiffness = 0.01 * factor } })
  local stiff = std.body.affine(scene, "stiff", { mesh = block, copies = { { 0, 2, 0 } },
    density = 10 * factor, stiffness = 1e5 * factor })
  std.body.cloth(scene, "cloth", { mesh = basin.mesh.grid { nx = 3, ny = 3 },
    copies = { { 0, 4, 0 } }, density = factor, young = 1e4 * factor, thickness = 1e-3 * factor,
    bending = 1e-3 * factor })
  local rope = std.body.rope(scene, "rope", { density = factor, stiffness = 10 * factor,
    mesh = basin.mesh.line { from = { 0, 6, 0 }, to = { 1, 6, 0 }, count = 4 } })
  std.constraint.pin(rope, { vertices = { 0 }, stiffness = 100 * factor })
  std.constraint.attach(rope, soft, { pairs = { { 3, 0 } }, stiffness = 10 * factor,
    rest = factor })
  std.contact.plane(scene, { bodies = { soft, stiff }, normal = { 0.1 * factor, 1, 0 },
    offset = -2 * factor, friction = 0.1 * factor, distance = 1e-3 * factor,
    stiffness = 1e9 * factor, slip = 1e-3 * factor })
  std.contact.barrier(scene, { bodies = { soft, stiff }, friction = 0.1 * factor,
    distance = 1e-3 * factor, stiffness = 1e4 * factor, slip = 1e-3 * factor })
  return scene
end

harness.test("no number of a body, constraint or contact is part of a kernel", function()
  local one, two = everything(1), everything(1.5)
  harness.equal(#one:energies() > 20, true)
  for _, energy in ipairs(one:energies()) do
    harness.equal(two:dump("ir", energy.name), one:dump("ir", energy.name), energy.name)
  end
end)

harness.test("numbers of the script are not restored from a checkpoint", function()
  local function block(young)
    local scene = basin.scene "sweep"
    local body = scenes.block(scene, "block",
      { material = std.elastic.arap { young = young, poisson = 0.3 } })
    return scene, body
  end
  local file = os.getenv "BASIN_TEST_OUTPUT" .. "/sweep.npz"
  local first, body = block(1000)
  body.position:update(2 * body.position:value())
  first:save(file)
  local second, again = block(3000)
  second:restore(file)
  harness.equal(again.position:value():bytes() == body.position:value():bytes(), true)
  harness.close(second:energy("elastic"):compute():sum(),
    3 * first:energy("elastic"):compute():sum(), 1e-9)
end)

local function refused(text, call)
  harness.test("refused: " .. text, function()
    local scene = basin.scene "refused"
    harness.fails(text, call, scene)
  end)
end

local grid = basin.mesh.grid { nx = 3, ny = 3 }
refused("'mesh' must be a mesh", function(scene)
  std.body.cloth(scene, "cloth", { mesh = "cloth.obj", density = 1 })
end)
refused("the mesh has no tets", function(scene)
  std.body.soft(scene, "soft", { mesh = grid, density = 1, material = std.elastic.arap { mu = 1 } })
end)
refused("did you mean 'density'", function(scene)
  std.body.cloth(scene, "cloth", { mesh = grid, densty = 1 })
end)
refused("'material' must be a material", function(scene)
  scenes.block(scene, "soft", { material = { young = 1e5, poisson = 0.3 } })
end)
refused("'young', 'poisson' and 'thickness' are needed", function(scene)
  std.body.cloth(scene, "cloth", { mesh = grid, density = 1 })
end)
refused("needs a material with mu", function(scene)
  std.body.cloth(scene, "cloth", { mesh = grid, density = 1, damping = { stiffness = 1 },
    membrane = std.shell.baraff_witkin { stretch = 1, shear = 1 } })
end)
refused("a body is needed, got a table", function()
  std.constraint.pin({}, { vertices = { 0 } })
end)
refused("there are no vertices to pin", function(scene)
  std.constraint.pin(scenes.block(scene, "soft"), { vertices = {} })
end)
refused("does not move", function(scene)
  std.contact.plane(scene, { bodies = { std.body.fixed(scene, "box", { mesh = grid }) },
    offset = -2 })
end)
refused("did you mean 'stable_neo_hookean'", function() return std.elastic.stable_neohookean end)
harness.finish()
