-- Times of contact and intersections.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local SLACKNESS <const> = 0.99

local kinds <const> = { pp = "point_point", pe = "point_edge", pt = "point_triangle",
  ee = "edge_edge" }

local function at(start, stop, t)
  local points = {}
  for i, p in ipairs(start) do
    points[i] = {}
    for k = 1, 3 do points[i][k] = (p[k] or 0) + t * ((stop[i][k] or 0) - (p[k] or 0)) end
  end
  return points
end

-- Never later than the first contact; and where the motion is stopped the gap has fallen to a few
-- hundredths of what it was, up to rounding.
local function check(kind, start, stop, limit, separation, hit, first, name, checker)
  local from, to = at(start, stop, 0), at(start, stop, 1)
  local time, stopped = basin.contact.time { kind = kind, from = from, to = to,
    thickness = separation, limit = limit, slackness = SLACKNESS }
  if hit then
    checker:require(name, stopped, "a missed contact")
    checker:require(name, time <= first * (1 + 1e-12), ("%.17g, after the contact"):format(time))
  end
  local scale = 0
  for _, list in ipairs { from, to } do
    for _, p in ipairs(list) do
      for k = 1, 3 do scale = math.max(scale, math.abs(p[k])) end
    end
  end
  local function gap(t)
    return math.sqrt(basin.contact.distance { kind = kind,
      points = at(from, to, t) }.squared_distance) - separation
  end
  local allowed = 1.3 * (1 - SLACKNESS) * math.max(0, gap(0)) + 1e-13 * scale
  if stopped then
    checker:require(name, gap(time) <= allowed, ("stopped at a gap of %.3g"):format(gap(time)))
  else
    checker:require(name, time == limit, "the limit is not reached")
  end
end

local function check_kind(kind)
  return function(cases, checker)
    for _, case in ipairs(cases) do
      local given = case.inputs
      check(kind, given.x0, given.x1, given.tmax, given.min_separation, case.expected.hit,
        case.expected.toi, case.id, checker)
    end
  end
end

local function check_plane(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local n, o = given.normal, given.origin
    if not case.expected.inside_at_start then
      local detector = basin.contact.detector { positions = { given.p0 }, points = { 0 },
        thickness = given.min_separation,
        planes = { { normal = n, offset = n[1] * o[1] + n[2] * o[2] + n[3] * o[3] } } }
      local direction = {}
      for k = 1, 3 do direction[k] = given.p0[k] - given.p1[k] end
      local step = detector:largest_step { direction = { direction }, limit = given.tmax,
        slackness = SLACKNESS }
      if case.expected.hit then
        checker:require(case.id, step <= case.expected.toi and step >= 0.98 * case.expected.toi,
          ("step %.17g"):format(step))
      else
        checker:require(case.id, step == given.tmax, ("step %.17g"):format(step))
      end
    end
  end
end

local function check_intersection(cases, checker)
  for _, case in ipairs(cases) do
    checker:equal(case.id, case.expected.intersects,
      basin.contact.meets(case.inputs.segment, case.inputs.triangle))
  end
end

-- Times after each step of plain additive advancement; the cases list the first ones.
local function check_additive(cases, checker)
  for _, case in ipairs(cases) do
    local given, want = case.inputs, case.expected
    local time, stopped, times = basin.contact.time { kind = kinds[given.stencil],
      from = given.x0, to = given.x1, thickness = given.min_separation, limit = given.tmax,
      slackness = given.s, method = "additive" }
    checker:equal(case.id .. " hit", want.hit, stopped)
    checker:within(case.id, "rel", case.tol.rel, want.toi, time)
    checker:equal(case.id .. " count", want.iterations, #times)
    checker:within(case.id .. " times", "rel", case.tol.rel, want.iterates,
      table.move(times, 1, #want.iterates, 1, {}))
  end
end

local point_names <const> = { point_point = { "a", "b" }, point_edge = { "p", "e0", "e1" },
  point_triangle = { "p", "t0", "t1", "t2" }, edge_edge = { "a0", "a1", "b0", "b1" } }

-- Stopped with hardly any gap left: at the time of contact.
local function check_rotation(cases, checker)
  for _, case in ipairs(cases) do
    local given, from, turns = case.inputs, {}, {}
    for i, name in ipairs(point_names[given.stencil]) do
      local point = given.points[name]
      local p, c = point.p, point.center or { 0, 0, 0 }
      from[i] = { p[1], p[2], p[3] or 0 }
      turns[i] = point.omega
        and { centre = { c[1], c[2], c[3] or 0 }, axis = { 0, 0, 1 }, angle = point.omega } or false
    end
    local time, stopped = basin.contact.time { kind = given.stencil, from = from, turns = turns,
      limit = given.tmax, slackness = 1 - 1e-11 }
    checker:equal(case.id .. " hit", case.expected.hit, stopped)
    checker:require(case.id, time <= case.expected.toi * (1 + 1e-15), "after the contact")
    checker:within(case.id, "rel", case.tol.toi_rel, case.expected.toi, time)
  end
end

return { check = check, kinds = { ["ccd.point_point"] = check_kind "point_point",
  ["ccd.point_edge"] = check_kind "point_edge",
  ["ccd.point_triangle"] = check_kind "point_triangle",
  ["ccd.edge_edge"] = check_kind "edge_edge", ["ccd.point_fixed_plane"] = check_plane,
  ["ccd.additive_sequence"] = check_additive, ["ccd.rotation"] = check_rotation,
  ["intersect.segment_triangle"] = check_intersection } }
