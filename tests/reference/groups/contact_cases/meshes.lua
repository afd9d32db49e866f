-- Whole meshes: surfaces, smallest distances, motion of one against another.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local SLACKNESS <const> = 0.99
local folder = debug.getinfo(1, "S").source:match("^@(.*)/reference/") .. "/data/"

local function read(name)
  local place = name:find("^cloth_ball") and "contact/" or "meshes/"
  local mesh = basin.mesh.read(folder .. place .. name)
  return mesh, mesh.tets.count > 0 and mesh:surface() or mesh
end

local function check_surface(cases, checker)
  for _, case in ipairs(cases) do
    local mesh, surface = read(case.inputs.mesh)
    local expected, id = case.expected, case.id
    checker:equal(id .. " vertices", expected.vertices, mesh.points.count)
    checker:equal(id .. " tets", expected.tets, mesh.tets.count)
    checker:equal(id .. " triangles", expected.surface_triangles, surface.triangles.count)
    local detector = basin.contact.detector { positions = mesh.points,
      triangles = surface.triangles }
    checker:equal(id .. " pairs", 0, detector:detect { distance = 1e-300 })
  end
end

local function check_self(cases, checker)
  for _, case in ipairs(cases) do
    local mesh, surface = read(case.inputs.mesh)
    local detector = basin.contact.detector { positions = mesh.points,
      triangles = surface.triangles }
    local _, count = detector:intersections()
    checker:equal(case.id .. " intersections", case.expected.intersections, count)
    checker:within(case.id, "rel", case.tol.distance_rel, case.expected.min_distance,
      (detector:smallest_distance()))
  end
end

-- Positions of a placed mesh: scaled, turned about x, moved.
local function placed(given)
  local mesh, surface = read(given.mesh)
  local rows = mesh.points:table()
  for _, p in ipairs(rows) do
    for k = 1, 3 do p[k] = given.scale * p[k] end
    if given.flip then p[2], p[3] = -p[2], -p[3] end
    for k = 1, 3 do p[k] = p[k] + given.offset[k] end
  end
  return rows, basin.array.from(surface.triangles)
end

local function check_motion(cases, checker)
  for _, case in ipairs(cases) do
    local given, expected = case.inputs, case.expected
    local moving, a = placed(given.moving)
    local fixed, b = placed(given.fixed)
    local positions = table.move(fixed, 1, #fixed, #moving + 1, table.move(moving, 1, #moving, 1,
      {}))
    local direction = {}
    for i = 1, #positions do
      local d = i <= #moving and given.displacement or { 0, 0, 0 }
      direction[i] = { -d[1], -d[2], -d[3] }
    end
    local detector = basin.contact.detector { positions = positions,
      triangles = basin.array.joined { a, b + #moving }, thickness = given.min_separation,
      body = basin.array.labels { { #moving, 1 }, { #fixed, 2 } } }
    local distance, closest = detector:smallest_distance()
    checker:within(case.id, "rel", case.tol.distance_rel, expected.start_distance, distance)
    local step = detector:largest_step { direction = direction, slackness = SLACKNESS }
    if expected.hit then
      checker:require(case.id, step <= expected.toi, ("%.17g, after the contact"):format(step))
      local moved = basin.array.from(positions) - step * basin.array.from(direction)
      local _, left = detector:smallest_distance { positions = moved }
      checker:require(case.id, left.gap > 0, "no gap is left")
      checker:require(case.id, left.gap <= 1.3 * closest.gap, "the gap grew")
      checker:require(case.id, step >= 0.5 * expected.toi, ("%.17g is early"):format(step))
    else
      checker:require(case.id, step == 1, ("step %.17g"):format(step))
    end
  end
end

-- Two frames of a cloth over a ball, which intersects itself from the start.
local function check_step(cases, checker)
  for _, case in ipairs(cases) do
    local expected, id = case.expected, case.id
    local start, stop = read(case.inputs.start), read(case.inputs["end"])
    local detector = basin.contact.detector { positions = start.points,
      triangles = start.triangles }
    for name, mesh in pairs { start = start, ["end"] = stop } do
      local _, count = detector:intersections { positions = mesh.points }
      checker:equal(id .. " intersections", expected[name .. "_intersections"], count)
      local distance = detector:smallest_distance { positions = mesh.points }
      checker:within(id .. " distance", "rel", case.tol.distance_rel,
        expected[name .. "_min_distance"], distance)
    end
    local step = detector:largest_step { direction = basin.array.from(start.points)
      - basin.array.from(stop.points), slackness = SLACKNESS }
    checker:require(id, step <= expected.toi and step > 0, ("step %.17g"):format(step))
  end
end

return { kinds = { ["mesh.step"] = check_step, ["mesh.surface"] = check_surface,
  ["mesh.self"] = check_self, ["mesh.ccd"] = check_motion } }
