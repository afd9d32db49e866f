-- basin.contact for one pair: its distance, how long it may move along lines or arcs, whether a
-- segment meets a triangle.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

-- Points of each kind, and how many of them are on the first side.
local counts <const> = { point_point = { 2, 1 }, point_edge = { 3, 1 }, point_triangle = { 4, 1 },
  edge_edge = { 4, 2 } }

--- Distance of one pair {kind=, points=}: {squared_distance=, coefficients=, vertices=}. The
--- closest vector is the sum of coefficients times points; vertices names the closest features.
function M.distance(given)
  local checked = options.check("basin.contact.distance", given,
    { kind = "string", points = "any" }, { "kind", "points" })
  local squared, coefficients, vertices = core.contact_distance(checked.kind, checked.points)
  return { squared_distance = squared, coefficients = coefficients, vertices = vertices }
end

local function rows_of(where, kind, value)
  local rows = core.array(value):table()
  local known = counts[kind]
  if not known then
    errors.fail_hint("NAME", errors.suggestion(tostring(kind), errors.sorted_keys(counts)),
      "%s: unknown kind '%s'", where, tostring(kind))
  end
  if #rows ~= known[1] or type(rows[1]) ~= "table" or #rows[1] ~= 3 then
    errors.fail("SHAPE", "%s: '%s' needs %d points of 3 numbers", where, kind, known[1])
  end
  return rows, known[2]
end

local function length(a) return math.sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2) end

local function along(points, motion, t)
  local moved = {}
  for i, p in ipairs(points) do
    local q = motion[i]
    moved[i] = { p[1] + t * q[1], p[2] + t * q[2], p[3] + t * q[3] }
  end
  return moved
end

-- The largest of the values of each side, added.
local function of_sides(values, split)
  local first, second = 0, 0
  for i, value in ipairs(values) do
    if i <= split then first = math.max(first, value) else second = math.max(second, value) end
  end
  return first + second
end

-- ---- additive advancement ----

-- Motion without what all points have in common.
local function relative(from, to)
  local mean, motion = { 0, 0, 0 }, {}
  for i, p in ipairs(from) do
    for k = 1, 3 do mean[k] = mean[k] + (to[i][k] - p[k]) / #from end
  end
  for i, p in ipairs(from) do
    motion[i] = {}
    for k = 1, 3 do motion[i][k] = to[i][k] - p[k] - mean[k] end
  end
  return motion
end

-- Li, Kaufman, Jiang, Codimensional Incremental Potential Contact, ACM Trans. Graph. 40(4), 2021,
-- algorithm 1: steps of s (d - thickness) / (sum of the largest speeds of both sides).
local function additive(kind, from, to, split, checked)
  local motion, speeds, s, xi = relative(from, to), {}, checked.slackness, checked.thickness
  for i, q in ipairs(motion) do speeds[i] = length(q) end
  local speed, times, t = of_sides(speeds, split), {}, 0
  local function gap(at)
    local squared = core.contact_distance(kind, along(from, motion, at))
    return (squared - xi ^ 2) / (math.sqrt(squared) + xi)
  end
  local d = gap(0)
  local least = (1 - s) * d
  if d <= 0 then return 0, true, times end
  while speed > 0 do
    local after = t + s * d / speed
    d = gap(after)
    if #times > 0 and d < least then return t, true, times end
    if after > checked.limit then break end
    t = after
    times[#times + 1] = t
  end
  return checked.limit, false, times
end

-- ---- arcs ----

-- x turned by an angle about a unit axis through a point (Rodrigues' formula).
local function turned(x, turn, angle)
  local c, n = turn.centre, turn.axis
  local r = { x[1] - c[1], x[2] - c[2], x[3] - c[3] }
  local dot = n[1] * r[1] + n[2] * r[2] + n[3] * r[3]
  local cross = { n[2] * r[3] - n[3] * r[2], n[3] * r[1] - n[1] * r[3], n[1] * r[2] - n[2] * r[1] }
  local cosine, sine, y = math.cos(angle), math.sin(angle), {}
  for k = 1, 3 do
    y[k] = c[k] + cosine * r[k] + sine * cross[k] + (1 - cosine) * dot * n[k]
  end
  return y, length(cross)
end

local function check_turns(where, given, count)
  local turns = {}
  for i = 1, count do
    if given[i] then
      local turn = options.check(where .. ": turn " .. i, given[i],
        { centre = "vector", axis = "vector", angle = "number" }, { "angle" })
      local n = turn.axis or { 0, 0, 1 }
      local size = length(n)
      if #n ~= 3 or size == 0 then
        errors.fail("ARGUMENT", "%s: turn %d: 'axis' needs 3 numbers, not all 0", where, i)
      end
      turns[i] = { centre = turn.centre or { 0, 0, 0 }, angle = turn.angle,
        axis = { n[1] / size, n[2] / size, n[3] / size } }
    end
  end
  return turns
end

-- Chords instead of arcs: over a time h a point at distance r from its axis that turns by a h is
-- within r (a h)^2 / 8 of its chord. The thickness of the chords' motion is enlarged by that; where
-- it comes near, h is halved. (Ferguson et al., Intersection-free Rigid Body Dynamics, ACM Trans.
-- Graph. 40(4), 2021, section 4.3.)
local function arcs(kind, from, turns, split, checked)
  local bends, xi = {}, checked.thickness
  local function at(t)
    local points = {}
    for i, p in ipairs(from) do
      local turn, radius = turns[i], 0
      points[i] = p
      if turn then points[i], radius = turned(p, turn, t * turn.angle) end
      bends[i] = turn and radius * turn.angle ^ 2 / 8 or 0
    end
    return points
  end
  local function gap(points) return math.sqrt((core.contact_distance(kind, points))) - xi end
  local here, t = at(0), 0
  local bend, room = of_sides(bends, split), gap(here)
  if room <= 0 then return 0, true end
  local keep = (1 - checked.slackness) * room
  while t < checked.limit do
    room = gap(here) - keep
    if room <= 0.0625 * keep then return t, true end
    local h = math.min(checked.limit - t, math.sqrt(room / (4 * math.max(bend, 1e-300))))
    local part = core.contact_time(kind, here, at(t + h), xi + keep + bend * h ^ 2, 1, 0.9)
    if t + part * h <= t then return t, true end
    t = part == 1 and t + h or t + part * h
    here = at(t)
  end
  return checked.limit, false
end

--- Time of one pair that moves along straight lines: {kind=, from=, to=, thickness=, limit=,
--- slackness=, method=}. Returns the largest safe time, and whether contact ended it. With method =
--- "additive" that of plain additive advancement, and as a third result the times it stopped at.
--- With turns = {{centre=, axis=, angle=} or false, one a point} instead of `to` the points move
--- along arcs: by `angle` (rad) over the time 1.
function M.time(given)
  local where = "basin.contact.time"
  local checked = options.check(where, given, { kind = "string", from = "any", to = "any",
    turns = "table", thickness = "number", limit = "positive", slackness = "positive",
    method = { "directions", "additive" } }, { "kind", "from" })
  if (checked.to == nil) == (checked.turns == nil) then
    errors.fail("ARGUMENT", "%s: give either 'to' or 'turns'", where)
  end
  local slackness, limit = checked.slackness or 0.8, checked.limit or 1
  checked.slackness, checked.limit, checked.thickness = slackness, limit, checked.thickness or 0
  if slackness >= 1 then
    errors.fail("RANGE", "%s: 'slackness' must lie between 0 and 1, got %g", where, slackness)
  end
  if checked.to and checked.method ~= "additive" then
    return core.contact_time(checked.kind, checked.from, checked.to, checked.thickness, limit,
      slackness)
  end
  local from, split = rows_of(where, checked.kind, checked.from)
  if checked.to then
    return additive(checked.kind, from, rows_of(where, checked.kind, checked.to), split, checked)
  end
  return arcs(checked.kind, from, check_turns(where, checked.turns, #from), split, checked)
end

--- Whether a segment of two points and a triangle have a point in common; exact.
function M.meets(segment, triangle)
  local where <const> = "basin.contact.meets"
  return core.contact_meets(options.check_finite(where, "segment", core.array(segment)),
    options.check_finite(where, "triangle", core.array(triangle)))
end

return M
