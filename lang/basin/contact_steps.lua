-- How far contact lets a step go: methods of detectors, and the step filters made of them.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local errors = require "basin.errors"
local filter = require "basin.filter"
local options = require "basin.options"

local methods = {}

-- The positions given, else the present ones.
function methods._present(self, value)
  if value ~= nil then return core.array(value) end
  if self._scene then return self._scene:_compute(self._positions) end
  return self._positions
end

-- The same for what understands ids: the present positions stay on the scene's device.
function methods._placed(self, value)
  if value == nil and self._on_device and attribute.is(self._positions) then
    return self._scene:_array_of(self._positions)
  end
  return self:_present(value)
end

local function check_slackness(slackness)
  if slackness and slackness >= 1 then
    errors.fail("ARGUMENT", "'slackness' must lie between 0 and 1, got %g", slackness)
  end
  return slackness or 0.8
end

--- The largest step of at most `limit` (1) on which every pair keeps a part of its distance:
--- {from=, direction=, slackness=, limit=}. As in minimize_energy the motion is minus the
--- direction: x - step * direction. With slackness 0.8 a fifth of the distance stays. Also returns
--- the pair that limits the step, {kind=, vertices=}, or nil.
function methods.largest_step(self, given)
  local checked = options.check("largest_step", given, { from = "any", direction = "any",
    slackness = "positive", limit = "positive" }, { "direction" })
  return self:_step(self:_present(checked.from), core.array(checked.direction) * -1,
    checked.limit or 1, checked.slackness)
end

function methods._step(self, from, motion, limit, slackness)
  local start = core.seconds()
  local step, kind, vertices = self._core:largest_step(from, motion, limit,
    check_slackness(slackness))
  self.seconds_step = self.seconds_step + core.seconds() - start
  return step, kind and { kind = kind, vertices = vertices } or nil
end

local arities <const> = { points = 1, edges = 2, triangles = 3 }

-- Points, edges and triangles, as lists of vertices.
local function cells_of(self)
  if not self._cells then
    self._cells = {}
    for name, arity in pairs(arities) do
      local given = self._description[name]
      local flat = given and core.array(given, 1, 1):table() or {}
      for i = 1, #flat, arity do
        self._cells[#self._cells + 1] = table.move(flat, i, i + arity - 1, 1, {})
      end
    end
  end
  return self._cells
end

-- A number a vertex: 1 on the surfaces, 0 elsewhere.
local function surface_mask(self)
  if not self._mask then
    local flags = {}
    for i = 1, self._vertex_count do flags[i] = 0 end
    for _, cell in ipairs(cells_of(self)) do
      for _, vertex in ipairs(cell) do flags[vertex + 1] = 1 end
    end
    self._mask = core.array(flags)
  end
  return self._mask
end

-- How far each vertex moves; 0 for those that are not on the surfaces.
local function motions(self, motion)
  if motion.count ~= self._vertex_count then
    errors.fail("LENGTH", "a detector of %d vertices needs the motion of each, got %d",
      self._vertex_count, motion.count)
  end
  if motion.count == 0 then return {} end
  local sizes = (motion:lengths() * surface_mask(self)):table()
  for i, size in ipairs(sizes) do
    if size - size ~= 0 then
      errors.fail("NOT_FINITE", "the motion of vertex %d is not finite", i - 1)
    end
  end
  return sizes
end

--- The step on which pairs farther apart than `distance` cannot touch, whatever their directions:
--- distance over twice the largest motion of a point of the surfaces, at most 1. {direction=,
--- distance=}
function methods.cfl_step(self, given)
  local checked = options.check("cfl_step", given, { direction = "any", distance = "positive" },
    { "direction", "distance" })
  local most = 0
  for _, size in ipairs(motions(self, core.array(checked.direction))) do
    most = math.max(most, size)
  end
  return most > 0 and math.min(1, checked.distance / (2 * most)) or 1
end

-- Distances less thickness of the vertices that pairs name, at most `room`.
local function gaps_of(self, positions, room)
  -- A detector of its own: this one keeps the pairs of its last detect.
  self._second = self._second or core.contact(self._context, self._description)
  self._second:detect(positions, room)
  local gaps = {}
  for i = 1, self._vertex_count do gaps[i] = room end
  for kind, count in pairs(self._second:counts()) do
    local found = count > 0 and self._second:pairs(kind)
    for i, row in ipairs(found and found.vertices:table() or {}) do
      local gap = math.sqrt(found.squared_distance:at(i)) - found.separation:at(i)
      for _, vertex in ipairs(type(row) == "table" and row or { row }) do
        gaps[vertex + 1] = math.min(gaps[vertex + 1], gap)
      end
    end
  end
  return gaps
end

-- For each vertex the gap to all that its points, edges and triangles may touch, at most `room`.
local function safe_gaps(self, positions, room)
  local gaps = gaps_of(self, positions, room)
  local safe = table.move(gaps, 1, #gaps, 1, {})
  -- A pair names its closest features only: the other corners move them as well.
  for _, cell in ipairs(cells_of(self)) do
    local least = math.huge
    for _, vertex in ipairs(cell) do least = math.min(least, gaps[vertex + 1]) end
    for _, vertex in ipairs(cell) do safe[vertex + 1] = math.min(safe[vertex + 1], least) end
  end
  return safe
end

--- For each vertex the distance, less the thickness, of everything that its points, edges and
--- triangles may touch from all else; that of `reach`, which is longer than the thickness, if
--- nothing is closer. An array. {positions=, reach=}
function methods.safe_distances(self, given)
  local checked = options.check("safe_distances", given, { positions = "any", reach = "positive" },
    { "reach" })
  local thickness = self._description.separation or 0
  if checked.reach <= thickness then
    errors.fail("RANGE", "safe_distances: 'reach' %g m must lie beyond the thickness %g m",
      checked.reach, thickness)
  end
  return core.array(safe_gaps(self, self:_present(checked.positions), checked.reach - thickness))
end

-- ---- the filter ----

local rules = {}

function rules.sweep(self, from, motion, alpha, given)
  return (self:_step(from, motion, alpha, given.slackness))
end

-- The sweep on the scene's device: neither positions nor motion leave it.
local function device_sweep(self, minimizer, array, direction, alpha, slackness)
  local start = core.seconds()
  local step = self._core:filter_step(minimizer, array, direction, alpha,
    check_slackness(slackness))
  self.seconds_step = self.seconds_step + core.seconds() - start
  return step
end

-- A short sweep has few candidates. Only where nothing ends it is the whole one needed.
function rules.cfl(self, from, motion, alpha, given)
  local limit = self:cfl_step { direction = motion, distance = given.distance }
  if limit < alpha then
    local step = rules.sweep(self, from, motion, limit, given)
    if step < limit then return step end
  end
  return rules.sweep(self, from, motion, alpha, given)
end

-- Where every vertex keeps within half of its safe distance no sweep is needed.
function rules.safe_distance(self, from, motion, alpha, given)
  local part, room = check_slackness(given.slackness) / 2, given.distance
  local sizes, most = motions(self, motion), 0
  for _, size in ipairs(sizes) do most = math.max(most, size) end
  local short = most * alpha <= part * room
  for i, safe in ipairs(short and safe_gaps(self, from, room) or {}) do
    short = short and sizes[i] * alpha <= part * safe
  end
  return short and alpha or rules.sweep(self, from, motion, alpha, given)
end

--- A step filter for basin.newton: {slackness=, rule=, distance=}. It lets steps go as far as
--- largest_step; rules are how that is found: "sweep" (default), from the whole motion; "cfl", from
--- a sweep of at most cfl_step with `distance`, where a contact ends that; "safe_distance", without
--- a sweep where every vertex moves by less than half of its safe distance, at most `distance`.
function methods.filter(self, given)
  local checked = options.check("filter", given, { slackness = "positive", distance = "positive",
    rule = { "sweep", "cfl", "safe_distance" } })
  local rule = checked.rule or "sweep"
  if rule ~= "sweep" and not checked.distance then
    errors.fail("ARGUMENT", "filter: rule \"%s\" needs a 'distance'", rule)
  end
  if not self._scene or not attribute.is(self._positions) then
    errors.fail("STATE", "filter: the detector's positions are no attribute")
  end
  local array = self._scene:_array_of(self._positions)
  return filter._make("contact", self._positions, function(minimizer, direction, alpha)
    if alpha <= 0 then return alpha end
    if rule == "sweep" and self._on_device then
      return device_sweep(self, minimizer, array, direction, alpha, checked.slackness)
    end
    return rules[rule](self, self:_present(), minimizer:motion(array, direction), alpha, checked)
  end)
end

return methods
