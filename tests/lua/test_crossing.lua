-- Surfaces that cross, winding numbers, rays: cubes and triangles whose answers are known.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local function cube(x, y, z)
  return basin.mesh.box({ surface = true }):translated { x, y, z }
end

h.test("winding numbers of a cube", function()
  local points = { { 0, 0, 0 }, { 0.49, -0.49, 0.3 }, { 0.51, 0, 0 }, { 3, 4, 5 },
    { 0.5, 0.1, 0.2 } }
  h.close_arrays(basin.contact.winding(cube(0, 0, 0), points), { 1, 1, 0, 0, 0.5 }, 1e-14)
  local whole = cube(0, 0, 0)
  local rows = whole.triangles:table()
  for _, row in ipairs(rows) do row[1], row[2] = row[2], row[1] end
  h.close_arrays(basin.contact.winding({ points = whole.points, triangles = rows }, points),
    { -1, -1, 0, 0, -0.5 }, 1e-14)
  -- A side is seen from the centre under a sixth of the sphere.
  local side = basin.mesh.grid { nx = 2, ny = 2 }:translated { 0, 0, 0.5 }
  h.close(basin.contact.winding(side, { 0, 0, 0 }):at(1), 1 / 6, 1e-14)
  h.equal(basin.contact.winding({ points = {}, triangles = {} }, { 0, 0, 0 }):at(1), 0)
end)

h.test("rays", function()
  local origins = { { 0, 0, 0 }, { 0, 0, 0 }, { 0.1, 0.2, 3 }, { 0.1, 0.2, 3 }, { 2, 2, 0 } }
  local directions = { { 1, 0.1, 0.2 }, { 0, -2, 0.3 }, { 0, 0, -1 }, { 0, 0, 1 }, { 1, -3, 2 } }
  local lengths = basin.contact.rays(cube(0, 0, 0), origins, directions)
  h.close_arrays(lengths:slice(1, 3), { 0.5, 0.25, 2.5 }, 1e-14)
  h.equal(lengths:at(4), math.huge)
  h.equal(lengths:at(5), math.huge)
end)

-- The overlap is 0.69 x 0.58 x 0.77: its surface is divided by a hexagon along six of its edges.
h.test("two cubes", function()
  local a, b = cube(0, 0, 0), cube(0.31, 0.42, 0.23)
  local crossing = basin.contact.crossings(a, b)
  h.equal(#crossing.loops, 1)
  h.equal(crossing.loops[1].closed, true)
  h.equal(#crossing.loops[1], crossing.points.count)
  h.equal(crossing.pairs.count, crossing.points.count)
  h.equal(crossing.edges_a.count + crossing.edges_b.count, crossing.points.count)
  h.close(crossing.length, 2 * (0.69 + 0.58 + 0.77), 1e-13)
  -- Every point lies on both surfaces.
  for _, p in ipairs(crossing.points:table()) do
    for _, centre in ipairs { { 0, 0, 0 }, { 0.31, 0.42, 0.23 } } do
      local far = 0
      for i = 1, 3 do far = math.max(far, math.abs(p[i] - centre[i])) end
      h.close(far, 0.5, 1e-14)
    end
  end
  local other = basin.contact.crossings(b, a)
  h.equal(other.pairs.count, crossing.pairs.count)
  h.close(other.length, crossing.length, 1e-13)
  h.equal(other.edges_a:table()[1][3], crossing.edges_b:table()[1][3])
end)

-- A triangle with its tip in a cube: the line goes from one of its sides to the other.
h.test("an open line", function()
  local tip = { points = { { 0.1, 0, 0.2 }, { 1, 0.3, 0.1 }, { 1, -0.3, 0.15 } },
    triangles = { { 0, 1, 2 } } }
  local crossing = basin.contact.crossings(tip, cube(0, 0, 0))
  h.equal(#crossing.loops, 1)
  h.equal(crossing.loops[1].closed, nil)
  h.equal(crossing.edges_a.count, 2)
  -- Both sides leave the cube at x = 0.5, 4/9 of their way.
  local t = 4 / 9
  h.close(crossing.length, math.sqrt((0.6 * t) ^ 2 + (0.05 * t) ^ 2), 1e-13)
  local nothing = basin.contact.crossings(tip, cube(5, 0, 0))
  h.equal(nothing.points.count, 0)
  h.equal(nothing.pairs.count, 0)
  h.equal(#nothing.loops, 0)
  h.equal(nothing.length, 0)
  h.equal(basin.contact.crossings(tip, { points = {}, triangles = {} }).pairs.count, 0)
end)

h.test("many points: more than a detector lists at first", function()
  local ball = basin.mesh.sphere { level = 5 }
  local crossing = basin.contact.crossings(ball, ball:translated { 0.51, 0.02, 0.013 })
  assert(crossing.points.count > 300, crossing.points.count)
  h.equal(#crossing.loops, 1)
  h.equal(crossing.loops[1].closed, true)
  -- A circle of radius sqrt(1 - (d/2)²).
  local d2 = 0.51 ^ 2 + 0.02 ^ 2 + 0.013 ^ 2
  h.close(crossing.length, 2 * math.pi * math.sqrt(1 - d2 / 4), 5e-3)
end)

h.test("mistakes", function()
  local box = cube(0, 0, 0)
  h.fails("a mesh, or points and triangles, are needed, got a number", basin.contact.winding, 3, {})
  h.fails("a mesh, or points and triangles, are needed", basin.contact.crossings, box, {})
  local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
  for index, shown in pairs { [7] = "7", [-1] = "%-1", [0.5] = "0.5" } do
    h.fails("triangle 0 names vertex " .. shown .. " of 3", basin.contact.crossings, box,
      { points = corners, triangles = { { 0, 1, index } } })
  end
  h.fails("points are 3 numbers each, triangles 3 vertices", basin.contact.crossings, box,
    { points = corners, triangles = { { 0, 1, 2, 0 } } })
  h.fails("points are 3 numbers each, triangles 3 vertices", basin.contact.crossings, box,
    { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, triangles = { { 0, 1, 2 } } })
  h.fails("triangle 0 names vertex 7 of 1", basin.contact.winding,
    { points = { { 0, 0, 0 } }, triangles = { { 0, 0, 7 } } }, { 0, 0, 0 })
  h.fails("position of vertex 1 is not finite", basin.contact.winding,
    { points = { { 0, 0, 0 }, { 0, 0 / 0, 0 }, { 1, 0, 0 } }, triangles = { { 0, 1, 2 } } },
    { 0, 0, 0 })
  h.fails("1 origins, but 2 directions", basin.contact.rays, box, { 0, 0, 0 },
    { { 1, 0, 0 }, { 0, 1, 0 } })
  h.fails("points of 3 numbers", basin.contact.winding, box, { 1, 2 })
end)

h.finish()
