-- Detectors: pairs, multiplicities, primitives that they fill, steps, intersections, odd input.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

-- A point over a square of two triangles whose diagonal it is closest to.
local square <const> = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } }
local triangles <const> = { { 0, 1, 2 }, { 0, 2, 3 } }

local function over(x, y, z)
  return { square[1], square[2], square[3], square[4], { x, y, z } }
end

h.test("a point over the diagonal is one point-edge pair that counts twice", function()
  local detector = basin.contact.detector { positions = over(0.5, 0.5, 0.1),
    triangles = triangles, points = { 4 } }
  h.equal(detector:detect { distance = 0.2 }, 1)
  local pairs_of = detector:pairs "point_edge"
  h.close_arrays(pairs_of.vertices, { { 4, 0, 2 } })
  h.close(pairs_of.multiplicity[1], 2)
  h.close(pairs_of.squared_distance[1], 0.01)
  h.close(detector:counts().smallest_distance, 0.1)
end)

h.test("over a triangle it is point-triangle and point-edge; beyond the reach nothing", function()
  local detector = basin.contact.detector { positions = over(0.7, 0.3, 0.1),
    triangles = triangles, points = { 4 } }
  detector:detect { squared_distance = 0.2 }
  local counts = detector:counts()
  h.equal(counts.point_triangle, 1)
  h.equal(counts.point_edge, 1)
  local version = detector:version()
  detector:detect { squared_distance = 0.2, positions = over(0.71, 0.3, 0.11) }
  h.equal(detector:version(), version, "the same pairs")
  h.equal(detector:detect { distance = 0.1, positions = over(0.7, 0.3, 0.1) }, 0)
  h.equal(detector:version() > version, true, "other pairs")
end)

h.test("a detector fills pair primitives", function()
  local scene = basin.scene "fill"
  local verts = scene:add_mesh("mesh"):add_primitive("vertices", 5)
  local x = verts:add_attribute("position", { rows = 3, value = over(0.5, 0.5, 0.1) })
  local function pair(name, arity, constants)
    local primitive = scene.mesh:add_primitive(name, 0, { dynamic = true })
    for _, constant in ipairs(constants) do primitive:add_constant(constant) end
    return primitive:add_connectivity("ends", verts, {}, arity)
  end
  local plain, counted = pair("plain", 3, {}), pair("counted", 3, { "multiplicity",
    "separation" })
  local function fill(connectivity)
    basin.contact.detector { positions = x, triangles = triangles, points = { 4 },
      thickness = 0.01, pairs = { point_edge = connectivity } }:detect { distance = 0.2 }
  end
  fill(plain)
  h.close_arrays(plain:value(), { { 4, 0, 2 }, { 4, 0, 2 } })
  fill(counted)
  h.close_arrays(counted:value(), { { 4, 0, 2 } })
  h.close(scene.mesh.counted.multiplicity:value()[1], 2)
  h.close(scene.mesh.counted.separation:value()[1], 0.01)
end)

h.test("the largest step keeps a part of the distance", function()
  local detector = basin.contact.detector { positions = over(0.5, 0.5, 0.1),
    triangles = triangles, points = { 4 } }
  local direction = over(0, 0, 0.2) -- the motion is minus the direction
  for i = 1, 4 do direction[i] = { 0, 0, 0 } end
  local step, pair = detector:largest_step { direction = direction, slackness = 0.9 }
  assert(step <= 0.45 + 1e-12 and step > 0.43, ("step %.17g"):format(step))
  h.equal(pair.kind, "point_triangle")
  h.equal(detector:largest_step { direction = direction, limit = 0.25 }, 0.25)
  for i = 1, 5 do direction[i] = { 0, 0, -1 } end
  h.equal(detector:largest_step { direction = direction }, 1)
end)

h.test("bodies, tables, thickness, planes", function()
  local positions = { { 0, 0, 0 }, { 0.1, 0, 0 }, { 0.2, 0, 0 } }
  local function pairs_with(given)
    given.positions, given.points = positions, { 0, 1, 2 }
    return basin.contact.detector(given):detect { distance = 0.15 }
  end
  h.equal(pairs_with {}, 2)
  h.equal(pairs_with { body = { 0, 0, 0 } }, 2)
  h.equal(pairs_with { body = { 1, 1, 2 } }, 1)
  h.equal(pairs_with { body = { 0, 1, 2 }, table = { { true, false, true }, { false, true, true },
    { true, true, true } } }, 1)
  h.equal(pairs_with { thickness = 0.06 }, 3)
  h.equal(pairs_with { body = { 0, 1, 2 }, thickness = { 0, 0, 0.06 } }, 3)
  h.equal(pairs_with { planes = { { normal = { 2, 0, 0 }, offset = -0.2 } } }, 3)
end)

h.test("intersections and legal starts", function()
  local points = over(0.5, 0.3, 1)
  points[6] = { 0.5, 0.3, -1 }
  local detector = basin.contact.detector { positions = points, triangles = triangles,
    edges = { { 4, 5 } } }
  local rows, count = detector:intersections()
  h.equal(count, 1)
  h.close_arrays(rows, { { 4, 5, 0, 1, 2 } })
  h.fails("meets", detector.check, detector)
  points[6][3] = 0.5
  h.equal(select(2, detector:intersections { positions = points }), 0)
  detector:check { positions = points }
  local distance, closest = detector:smallest_distance { positions = points }
  h.close(distance, 0.5)
  h.equal(closest.kind, "point_triangle")
end)

h.test("odd meshes: degenerate, duplicate and isolated parts, nothing at all", function()
  local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 0, 0, 0 }, { 1, 1, 1 }, { 0.5, 0.01,
    0 } }
  -- No area, a repeated vertex, an edge without length, three triangles on one edge.
  local detector = basin.contact.detector { positions = points, triangles = { { 0, 1, 2 },
    { 0, 0, 1 }, { 0, 1, 4 }, { 1, 0, 5 } }, edges = { { 0, 3 } } }
  assert(detector:detect { distance = 10 } > 0)
  h.equal(tostring(detector:counts().smallest_distance), "0.0", "duplicate vertices touch")
  local empty = basin.contact.detector { positions = points }
  h.equal(empty:detect { distance = 1 }, 0)
  h.equal((empty:smallest_distance()), math.huge)
  h.equal((empty:largest_step { direction = points }), 1)
  local none = basin.contact.detector { positions = {} }
  h.equal(none:detect { distance = 1 }, 0)
end)

h.test("single stencils", function()
  local d = basin.contact.distance { kind = "point_edge",
    points = { { 0, 1, 0 }, { -1, 0, 0 }, { 3, 0, 0 } } }
  h.close(d.squared_distance, 1)
  h.close_arrays(d.coefficients, { 1, -0.75, -0.25 })
  h.equal(table.concat(d.vertices, " "), "0 1 2")
  local time, hit = basin.contact.time { kind = "point_point", from = { { 0, 0, 0 }, { 1, 0, 0 } },
    to = { { 0, 0, 0 }, { -1, 0, 0 } }, slackness = 0.9 }
  assert(hit and time <= 0.45 + 1e-12 and time > 0.43, ("time %.17g"):format(time))
  h.equal(basin.contact.meets({ { 0.2, 0.2, 1 }, { 0.2, 0.2, -1 } },
    { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }), true)
end)

h.test("one pair along arcs", function()
  local from = { { 0.2, 1, 0 }, { 0, 0, 0 }, { 2, 0, 0 } }
  local quarter = { angle = math.pi / 2 } -- about the z axis through the origin
  local turns = { false, quarter, quarter }
  -- The edge meets the point when its direction is that of (0.2, 1).
  local time, met = basin.contact.time { kind = "point_edge", from = from, turns = turns,
    slackness = 1 - 1e-9 }
  h.equal(met, true)
  h.close(time, math.atan(5) / (math.pi / 2), 1e-8)
  local _, apart = basin.contact.time { kind = "point_edge", from = from, turns = turns,
    thickness = 0.1, limit = 0.8 }
  h.equal(apart, true, "with thickness it is met earlier")
  time, met = basin.contact.time { kind = "point_edge", from = from, turns = turns, limit = 0.7 }
  h.equal(met, false)
  h.close(time, 0.7)
  h.equal((basin.contact.time { kind = "point_edge", from = { { 1, 0, 0 }, { 0, 0, 0 },
    { 2, 0, 0 } }, turns = turns }), 0, "touches at the start")
end)

h.test("plain additive advancement tells where it stopped", function()
  local from = { { 0, 0, 0 }, { 1, 0, 0 } }
  local time, met, times = basin.contact.time { kind = "point_point", from = from,
    to = { { 0, 0, 0 }, { -1, 0, 0 } }, slackness = 0.9, method = "additive" }
  h.equal(met, true)
  h.close(time, 0.45)
  h.close_arrays(times, { 0.45 })
  time, met = basin.contact.time { kind = "point_point", from = from, to = { { 5, 0, 0 },
    { 6, 0, 0 } }, method = "additive" }
  h.equal(met, false, "a common motion")
  h.equal(time, 1)
end)

h.test("rules for steps", function()
  local detector = basin.contact.detector { positions = over(0.7, 0.3, 0.1),
    triangles = triangles, points = { 4 } }
  local down = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0.5 } }
  h.close(detector:cfl_step { direction = down, distance = 0.2 }, 0.2)
  h.equal(detector:cfl_step { direction = down, distance = 2 }, 1)
  -- Both triangles have corners in the pair: the fourth one moves the second.
  h.close_arrays(detector:safe_distances { reach = 0.5 }, { 0.1, 0.1, 0.1, 0.1, 0.1 }, 1e-12)
  h.close_arrays(detector:safe_distances { reach = 0.05 }, { 0.05, 0.05, 0.05, 0.05, 0.05 })
  h.fails("motion of vertex 4 is not finite", detector.cfl_step, detector, { distance = 1,
    direction = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 / 0 } } })
  h.fails("5 vertices needs the motion of each, got 1", detector.cfl_step, detector,
    { distance = 1, direction = { { 0, 0, 0 } } })
  local thick = basin.contact.detector { positions = over(0.7, 0.3, 0.1), triangles = triangles,
    points = { 4 }, thickness = 0.04 }
  h.close_arrays(thick:safe_distances { reach = 0.5 }, { 0.06, 0.06, 0.06, 0.06, 0.06 }, 1e-12)
  h.fails("'reach' 0.03 m must lie beyond the thickness 0.04 m", thick.safe_distances, thick,
    { reach = 0.03 })
  -- Points of no surface move as they like.
  local alone = basin.contact.detector { positions = over(0.7, 0.3, 0.1), triangles = triangles }
  h.equal(alone:cfl_step { direction = down, distance = 0.2 }, 1)
  local none = basin.contact.detector { positions = {} }
  h.equal(none:cfl_step { direction = {}, distance = 1 }, 1)
  h.equal(none:safe_distances({ reach = 1 }).count, 0)
end)

h.test("weights of pairs of bodies", function()
  local scene = basin.scene "weights"
  local verts = scene:add_mesh("mesh"):add_primitive("vertices", 5)
  local x = verts:add_attribute("position", { rows = 3, value = over(0.7, 0.3, 0.1) })
  local pair = scene.mesh:add_primitive("pair", 0, { dynamic = true })
  pair:add_constant "weight"
  local ends = pair:add_connectivity("ends", verts, {}, 4)
  local detector = basin.contact.detector { positions = x, triangles = triangles, points = { 4 },
    body = { 0, 0, 1, 0, 2 }, table = { { 0, 0, 1 }, { 0, 0, 1 }, { 1, 1, 0 } },
    weights = { { 0, 0, 4, 1 }, { 0, 0, 7, 1 }, { 4, 7, 0, 1 } },
    pairs = { point_triangle = ends } }
  detector:detect { distance = 0.2 }
  h.close(pair.weight:value()[1], 5, 1e-15, "two vertices of body 0, one of body 1")
end)

h.test("mistakes", function()
  local detector = basin.contact.detector { positions = square, triangles = triangles }
  h.fails("give 'distance' or 'squared_distance'", detector.detect, detector, {})
  h.fails("did you mean 'detect'", function() return detector.detct end)
  h.fails("between 0 and 1", detector.largest_step, detector, { direction = square,
    slackness = 1 })
  h.fails("no attribute", detector.filter, detector)
  h.fails("needs a 'distance'", detector.filter, detector, { rule = "cfl" })
  local pair = { kind = "point_point", from = { square[1], square[2] } }
  h.fails("either 'to' or 'turns'", basin.contact.time, pair)
  pair.turns = { { angle = 1, axis = { 0, 0, 0 } } }
  h.fails("turn 1: 'axis' needs 3 numbers", basin.contact.time, pair)
  pair.turns = { { angel = 1 } }
  h.fails("did you mean 'angle'", basin.contact.time, pair)
  h.fails("unknown kind 'point_pont'", basin.contact.time, { kind = "point_pont",
    from = { square[1], square[2] }, turns = {} })
end)
h.finish()
