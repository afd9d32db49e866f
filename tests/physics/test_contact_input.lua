-- Contact and bad or extreme input: a clear error or correct behaviour, never a penetration.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local function cube(width, given)
  local all = { nx = 1, ny = 1, nz = 1, width = width, height = width, depth = width }
  for key, value in pairs(given or {}) do all[key] = value end
  return basin.mesh.box(all)
end

local function soft(scene, name, given)
  local all = { mesh = cube(0.1), copies = { { 0, 0.12, 0 } }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.3 } }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.soft(scene, name, all)
end

local function floor(scene, given)
  local all = { mesh = cube(1, { height = 0.1, surface = true }) }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.fixed(scene, "floor", all)
end

local function cloth(scene, points, triangles)
  return std.body.cloth(scene, "cloth", { mesh = basin.mesh.new { points = points,
    triangles = triangles }, density = 0.2, thickness = 1e-3, young = 1e5, bending = 1e-5 })
end

local function merged(first, second)
  local all = {}
  for key, value in pairs(first) do all[key] = value end
  for key, value in pairs(second or {}) do all[key] = value end
  return all
end

local newton <const> = { tolerance = 1e-2, max_iterations = 200, linear = { solver = "direct" } }

-- Runs bodies into each other under the witness.
local function run(scene, bodies, given, steps)
  local contact = std.contact.barrier(scene, merged({ bodies = bodies, distance = 2e-3 }, given))
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, merged({ dt = 0.01, steps = 30, gravity = { 0, -9.8, 0 },
    newton = newton, on_step = witness:on_step() }, steps))
  report.shown = true
  return report, contact, witness
end

-- The same, to the end: all steps converge and something touches.
local function works(...)
  local report, contact, witness = run(...)
  harness.equal(report.reasons.converged, report.steps, "steps that converged\n"
    .. tostring(report))
  assert(contact.most_pairs > 0, "nothing touched")
  return witness
end

harness.test("bodies that touch at the start, or are at one place, are refused", function()
  for _, offset in ipairs { { 0, 0.1, 0 }, { 0, 0, 0 } } do
    local scene = basin.scene "start"
    local bodies = { soft(scene, "left", { copies = { { 0, 0, 0 } } }),
      soft(scene, "right", { copies = { offset } }) }
    harness.fails("%d+ intersections at the start: an edge at vertex %d of 'left' meets", run,
      scene, bodies)
  end
  local scene = basin.scene "copies"
  harness.fails("at vertex 0 of 'twice' meets a triangle at vertex 8 of 'twice'", run, scene,
    { soft(scene, "twice", { copies = { { 0, 0, 0 }, { 0, 0, 0 } } }) })
end)

harness.test("fixed bodies may intersect; a body may begin inside of another", function()
  local scene = basin.scene "fixed"
  local other = std.body.fixed(scene, "other", { mesh = cube(0.2, { surface = true })
    :translated { 0.3, 0.05, 0 } })
  works(scene, { soft(scene, "body"), floor(scene), other })
  scene = basin.scene "inside"
  local shell = std.body.fixed(scene, "shell", { mesh = cube(0.3, { surface = true })
    :translated { 0, 0.12, 0 } })
  works(scene, { soft(scene, "body"), shell })
end)

harness.test("triangles without area, edges without length, repeated vertices", function()
  local scene = basin.scene "ground"
  local ground = std.body.fixed(scene, "ground", { mesh = basin.mesh.new {
    points = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, -1 }, { 0, 0, 1 }, { 0.3, 0, 0.2 },
      { 0.3, 0, 0.2 } },
    triangles = { { 0, 1, 3 }, { 0, 2, 1 }, { 4, 5, 3 }, { 4, 4, 4 } } } })
  works(scene, { soft(scene, "body", { copies = { { 0, 0.06, 0 } } }), ground })
  scene = basin.scene "line" -- vertex 2 on the edge of vertices 0 and 1
  harness.fails("an edge at vertex 2 of 'cloth' meets a triangle at vertex 0", run, scene,
    { cloth(scene, { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0.05, 0.1, 0 }, { 0, 0.1, 0.1 },
      { 0, 0.1, -0.1 }, { 0.1, 0.1, -0.1 } }, { { 0, 1, 3 }, { 2, 5, 4 } }) })
  scene = basin.scene "edges" -- the same without triangles that could cross
  harness.fails("the start has a gap of 0 m %(distance 0 m%): vertex 0 of 'net'", run, scene,
    { std.body.rope(scene, "net", { density = 0.2, stiffness = 10, mesh = basin.mesh.new {
      points = { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0.05, 0.1, 0 }, { 0, 0.1, 0.1 } },
      edges = { { 0, 1 }, { 2, 3 } } } }) })
  harness.fails("triangle 1 has no area %(its corners are 0, 2, 1%)", cloth, basin.scene "flat",
    { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0.05, 0.1, 0 }, { 0, 0.1, 0.1 } },
    { { 0, 1, 3 }, { 0, 2, 1 } })
  harness.fails("triangle 1 has no area %(its corners are 0, 0, 1%)", cloth,
    basin.scene "repeated", { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0, 0.1, 0.1 } },
    { { 0, 1, 2 }, { 0, 0, 1 } })
end)

harness.test("vertices at one place are refused, welded ones and isolated ones are not", function()
  local points = { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0, 0.1, 0.1 }, { 0.1, 0.1, 0 },
    { 0, 0.1, 0.1 }, { 0.1, 0.1, 0.1 }, { 0, 0, 0 } }
  local triangles = { { 0, 1, 2 }, { 3, 5, 4 } }
  local scene = basin.scene "seam"
  harness.fails("6 intersections at the start: an edge at vertex 0 of 'cloth'", run, scene,
    { cloth(scene, points, triangles) })
  scene = basin.scene "welded" -- the last point is of no triangle and lies inside of the floor
  local mesh = basin.mesh.new { points = points, triangles = triangles }:welded(1e-6)
  works(scene, { cloth(scene, mesh.points, mesh.triangles), floor(scene) })
end)

harness.test("edges of three triangles, vertices of two sheets", function()
  local scene = basin.scene "edge"
  works(scene, { floor(scene), cloth(scene, { { 0, 0.1, 0 }, { 0.1, 0.1, 0 }, { 0, 0.1, 0.1 },
    { 0, 0.15, 0.1 }, { 0, 0.08, -0.1 } }, { { 0, 1, 2 }, { 0, 1, 3 }, { 0, 1, 4 } }) })
  scene = basin.scene "vertex"
  local ground = std.body.fixed(scene, "ground", { mesh = basin.mesh.new {
    points = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 0 }, { -1, 0, 1 }, { 1, 0, 1 }, { 0, -1, 0 } },
    triangles = { { 0, 1, 2 }, { 2, 3, 4 }, { 0, 1, 2 }, { 2, 1, 0 }, { 2, 5, 0 } } } })
  works(scene, { soft(scene, "body", { copies = { { 0, 0.06, 0 } } }), ground })
end)

-- A strip with one side.
local function one_sided(count)
  local points, triangles = {}, {}
  for i = 0, count - 1 do
    local angle = 2 * math.pi * i / count
    for side = -1, 1, 2 do
      local w = 0.04 * side
      local radius = 0.15 + w * math.cos(angle / 2)
      points[#points + 1] = { radius * math.cos(angle), 0.15 + w * math.sin(angle / 2),
        radius * math.sin(angle) }
    end
    local c, d = 2 * i + 2, 2 * i + 3
    if i == count - 1 then c, d = 1, 0 end
    table.move({ { 2 * i, 2 * i + 1, c }, { 2 * i + 1, d, c } }, 1, 2, #triangles + 1, triangles)
  end
  return points, triangles
end

harness.test("a surface with one side", function()
  local scene = basin.scene "strip"
  works(scene, { cloth(scene, one_sided(24)), floor(scene) }, { friction = 0.3 })
end)

harness.test("points without cells hold a body", function()
  local scene = basin.scene "nails"
  local points = {}
  for i = -3, 3 do
    for k = -3, 3 do points[#points + 1] = { 0.02 * i + 0.001 * k, 0, 0.02 * k } end
  end
  local nails = std.body.fixed(scene, "nails", { mesh = basin.mesh.new { points = points } })
  local body = soft(scene, "body", { copies = { { 0, 0.06, 0 } } })
  works(scene, { body, nails })
  assert(body.position:value():component(2):min() > 0, "the body fell through")
end)

-- A net of wires, and one more lying over it along x.
local function wires(count)
  local points, edges = {}, {}
  for i = 1, count do
    local z = 0.03 * (i - 0.5 * count) + 0.001
    table.move({ { -0.2, 0, z }, { 0.2, 0, z } }, 1, 2, #points + 1, points)
    edges[i] = { 2 * i - 2, 2 * i - 1 }
  end
  return points, edges
end

harness.test("edges without triangles hold ropes, rods, cloth and solids", function()
  local points, edges = wires(8)
  local along = { {}, {} }
  for i = 0, 10 do along[1][i + 1] = { 0.001 * (i % 2), 0.02, 0.02 * i - 0.1 } end
  for i = 0, 9 do along[2][i + 1] = { i, i + 1 } end
  local line = basin.mesh.new { points = along[1], edges = along[2] }
  for _, make in ipairs {
    function(scene) return std.body.rope(scene, "body", { mesh = line, density = 0.02,
      stiffness = 100 }) end,
    function(scene) return std.body.affine(scene, "body", { mesh = line, density = 1000,
      radius = 2e-3, stiffness = 1e6 }) end,
    function(scene) return cloth(scene, { { 0.003, 0.02, -0.05 }, { 0.1, 0.02, -0.05 },
      { 0.003, 0.02, 0.06 }, { 0.1, 0.02, 0.06 } }, { { 0, 2, 1 }, { 1, 2, 3 } }) end,
    function(scene) return soft(scene, "body", { copies = { { 0.004, 0.07, 0.003 } } }) end,
  } do
    local scene = basin.scene "wires"
    local body = make(scene)
    works(scene, { body, std.body.fixed(scene, "net", { mesh = basin.mesh.new { points = points,
      edges = edges } }) }, { friction = 0.5 }, { steps = 20 })
    assert(body.position:compute():component(2):max() > 0, "it fell through")
  end
end)

harness.test("edges and points beside triangles take part, on still and on stiff bodies", function()
  local scene = basin.scene "mixed"
  local ground = std.body.fixed(scene, "ground", { mesh = basin.mesh.new { points = {
    { -1, -0.1, -1 }, { 1, -0.1, -1 }, { 0, -0.1, 1 }, { -0.3, 0, 0.003 }, { 0.3, 0, 0.003 },
    { 0.001, 0.01, 0.04 } }, triangles = { { 0, 1, 2 } }, edges = { { 3, 4 } },
    vertices = { 5 } } })
  local sheet = std.body.cloth(scene, "sheet", { mesh = basin.mesh.grid { nx = 5, ny = 5,
    width = 0.2, height = 0.2, plane = "xz" }, copies = { { 0.003, 0.03, 0.002 } }, density = 0.5,
    thickness = 1e-3, young = 1e5, bending = 1e-4 })
  works(scene, { sheet, ground }, { friction = 0.5 })
  assert(sheet.position:value():component(2):max() > 0.01, "it fell through")
  -- A stiff cube stands on a sting, and cannot reach the floor with a loose point beside it.
  scene = basin.scene "sting"
  local box = cube(0.1)
  local points = box.points:table()
  table.move({ { 0, -0.2, 0 }, { 0.3, -0.07, 0.01 } }, 1, 2, #points + 1, points)
  local body = std.body.affine(scene, "body", { density = 1000, stiffness = 1e7,
    copies = { { 0, 0.21, 0 } }, mesh = basin.mesh.new { points = points, tets = box.tets,
      edges = { { 0, 8 } }, vertices = { 9 } } })
  works(scene, { body }, { planes = { { normal = { 0, 1, 0 } } } }, { steps = 60 })
  harness.equal(body.position:compute():component(2):min() > 0, true, "the plane holds all")
end)

harness.test("numbers that are none", function()
  local nan <const> = 0 / 0
  local scene = basin.scene "numbers"
  harness.fails("coordinate 1 of point 2 is %-?nan", basin.mesh.new, { points = { { 0, 0, 0 },
    { 1, 0, 0 }, { 0, nan, 1 } }, triangles = { { 0, 1, 2 } } })
  harness.fails("'velocity' must be a list of numbers", soft, scene, "a",
    { velocity = { 0, nan, 0 } })
  harness.fails("'stiffness' must be a number above 0", std.contact.barrier, scene,
    { bodies = { soft(scene, "b") }, stiffness = nan })
  for _, factor in ipairs { nan, math.huge } do
    scene = basin.scene "motion"
    local body, ground = soft(scene, "body"), floor(scene, { motion = function(time, start)
      return time > 0.025 and start * factor or start
    end })
    harness.fails("fixed 'floor': 'motion' returned a number that is not finite", run, scene,
      { body, ground })
  end
  local detector = basin.contact.detector { positions = { { 0, 0, 0 }, { 1, 0, 0 } } }
  harness.fails("position of vertex 1 is not finite", detector.detect, detector, { distance = 1,
    positions = { { 0, 0, 0 }, { 1, nan, 0 } } })
end)

harness.test("gaps at the start: a plane, and a thickness above a body's own edges", function()
  local scene = basin.scene "behind"
  harness.fails("a gap of %-0.02 m to a plane at the start: vertex %d of 'body'", run, scene,
    { soft(scene, "body", { copies = { { 0, 0.03, 0 } } }) },
    { planes = { { normal = { 0, 1, 0 } } } })
  scene = basin.scene "thick"
  local sheet = basin.mesh.grid { nx = 10, ny = 10, width = 0.05, height = 0.05, plane = "xz" }
  harness.fails("gap of .*'cloth'.*the thickness must be less than the distances within a", run,
    scene, { cloth(scene, sheet.points, sheet.triangles) }, { thickness = 8e-3 })
end)

harness.test("barriers wider than bodies", function()
  local scene = basin.scene "wide"
  works(scene, { soft(scene, "body"), floor(scene) }, { distance = 1, stiffness = 1 })
end)

harness.test("barriers that hold nothing, and that hold everything", function()
  for _, stiffness in ipairs { 1e-300, 1e300 } do
    local scene = basin.scene "extreme"
    local _, _, witness = run(scene, { soft(scene, "body"), floor(scene) },
      { stiffness = stiffness })
    harness.equal(witness.steps, 30)
  end
end)

harness.test("without the energies of contact the filter of steps still holds", function()
  local scene = basin.scene "disabled"
  local bodies = { soft(scene, "body"), floor(scene) }
  local witness = guard.new(std.contact.barrier(scene, { bodies = bodies }), bodies)
  for _, energy in ipairs(scene:energies()) do
    if energy.name:find "^contact" then energy:disable() end
  end
  local report = basin.simulate(scene, { dt = 0.01, steps = 15, gravity = { 0, -9.8, 0 },
    newton = newton, on_step = witness:on_step() })
  assert(tostring(report):find "barrier too weak", "the report names it")
end)

harness.test("a soft body between two that close in", function()
  local scene = basin.scene "press"
  local plate = std.body.fixed(scene, "plate", { mesh = cube(1, { height = 0.1, surface = true })
    :translated { 0, 0.3, 0 }, motion = function(time, start)
      return start - basin.array.filled(start.count, { 0, math.min(2 * time, 0.17), 0 })
    end })
  works(scene, { soft(scene, "body"), floor(scene), plate }, { friction = 0.5, stiffness = 1e3 })
  harness.close(plate.position:value():component(2):min(), 0.08, 1e-12, "the plate arrived")
end)

harness.test("bodies of a million meters and of a millionth, together and far away", function()
  local scene = basin.scene "huge"
  local hard = std.elastic.stable_neo_hookean { young = 1e12, poisson = 0.3 }
  works(scene, { soft(scene, "body", { mesh = cube(1e6), material = hard,
    copies = { { 0, 1.001e6, 0 } }, velocity = { 0, -1e3, 0 } }),
    floor(scene, { mesh = cube(1e7, { height = 1e6, surface = true }) }) }, { distance = 2e3 },
    { dt = 1 })
  scene = basin.scene "tiny"
  works(scene, { soft(scene, "body", { mesh = cube(1e-6), copies = { { 0, 1.002e-6, 0 } } }),
    floor(scene, { mesh = cube(1e-5, { height = 1e-6, surface = true }) }) }, { distance = 1e-9 },
    { dt = 1e-5, newton = merged(newton, { tolerance = 1e-5 }) })
  scene = basin.scene "both"
  works(scene, { soft(scene, "body", { mesh = cube(1e-3), copies = { { 0, 0.5007, 0 } } }),
    floor(scene, { mesh = cube(1e6, { height = 1, surface = true }) }) }, { distance = 1e-4 },
    { dt = 1e-3 })
  scene = basin.scene "far"
  works(scene, { soft(scene, "body", { copies = { { 1e6, 1e6 + 0.12, -1e6 } } }),
    floor(scene, { mesh = cube(1, { height = 0.1, surface = true })
      :translated { 1e6, 1e6, -1e6 } }) })
end)

harness.test("a million meters a second, and steps of a thousand seconds", function()
  local scene = basin.scene "fast"
  works(scene, { soft(scene, "body", { velocity = { 0, -1e6, 0 } }), floor(scene) })
  scene = basin.scene "long"
  works(scene, { soft(scene, "body"), floor(scene) }, nil, { dt = 1e3, steps = 3 })
end)

harness.test("distances and coordinates beyond single precision", function()
  local both = basin.mesh.joined { cube(1, { surface = true }), cube(0.3, { surface = true }) }
  local cubes = basin.contact.detector { positions = both.points, triangles = both.triangles,
    body = basin.array.labels { { 8, 1 }, { 8, 2 } } }
  local all = cubes:detect { distance = 10 }
  harness.equal(cubes:detect { distance = 1e60 }, all, "all pairs there are")
  local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0.1, 0.1, 0.1 } }
  local detector = basin.contact.detector { positions = points, triangles = { { 0, 1, 2 } },
    points = { 3 } }
  local far = { { 0, 0, 0 }, { 1e42, 0, 0 }, { 0, 1e42, 0 }, { 1e41, 1e41, 1e41 } }
  harness.equal(detector:detect { distance = 2e41, positions = far }, 1)
  harness.close((detector:smallest_distance { positions = far }) / 1e41, 1)
  -- Sixth powers of distances must be finite: 1e48 is where that ends.
  local function scaled(factor)
    local part = factor / 10
    return { { 0, 0, 0 }, { factor, 0, 0 }, { 0, factor, 0 }, { part, part, part } }
  end
  harness.equal(detector:detect { distance = 2e46, positions = scaled(9e47) }, 0)
  harness.equal(detector:detect { distance = 2e47, positions = scaled(9e47) }, 1)
  harness.fails("vertex 1 is at 1e%+60, coordinates must stay below 1e%+48", function()
    detector:detect { distance = 1, positions = scaled(1e60) }
  end)
end)

harness.test("a limit on pairs is an error, and the detector goes on", function()
  local sheet = basin.mesh.grid { nx = 30, ny = 30, width = 1, height = 1, plane = "xz" }
  local both = basin.mesh.joined { sheet, sheet:translated { 0, 0.01, 0 } }
  local detector = basin.contact.detector { positions = both.points, triangles = both.triangles,
    pair_limit = 100000 }
  harness.fails("more than 100000 .* pairs or candidates, the pair_limit", detector.detect,
    detector, { distance = 0.2 })
  assert(detector:detect { distance = 0.011 } > 1800, "few pairs")
  local scene = basin.scene "limit"
  harness.fails("pairs or candidates, the pair_limit", run, scene,
    { soft(scene, "body", { mesh = cube(0.1, { nx = 6, ny = 6, nz = 6 }) }), floor(scene) },
    { distance = 0.1, pair_limit = 1000 })
end)

harness.test("two scenes step by step in turns: the bits of each alone", function()
  local simulation = require "basin.simulation"
  local function build(name)
    local scene = basin.scene(name)
    local bodies = { soft(scene, "body"), floor(scene) }
    local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3,
      friction = 0.3 })
    return { body = bodies[1], witness = guard.new(contact, bodies),
      run = simulation.new(scene, { dt = 0.01, gravity = { 0, -9.8, 0 }, newton = newton }) }
  end
  local function step(item)
    item.run:step()
    item.witness:check()
  end
  local alone, first, second = build "scene", build "scene", build "other"
  for _ = 1, 20 do step(alone) end
  for _ = 1, 20 do
    step(first)
    step(second)
  end
  local bits = alone.body.position:value():bytes()
  harness.equal(first.body.position:value():bytes() == bits, true, "the first")
  harness.equal(second.body.position:value():bytes() == bits, true, "the second")
end)
harness.finish()
