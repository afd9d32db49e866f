-- basin.contact: detectors of close pairs among points, edges and triangles; the largest step
-- without contact; intersections.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local crossing = require "basin.crossing"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"
local primitive = require "basin.primitive"
local stencil = require "basin.contact_stencil"
local steps = require "basin.contact_steps"

local M = {}

-- Vertices of a pair of each kind.
local arities <const> = { point_point = 2, point_edge = 3, point_triangle = 4, edge_edge = 4,
  mollified_edge_edge = 4, mollified_point_edge = 4, mollified_point_point = 4, point_plane = 1 }

local methods = {}
local Detector = { __name = "basin.contact.detector" }

function Detector.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("contact detector", key, methods)
  end
  return nil
end

function Detector.__tostring(self)
  local counts = self:counts()
  return ("contact detector: %d vertices, %d pairs"):format(self._vertex_count, counts.total)
end

-- ---- creation ----

local spec = { positions = "any", triangles = "any", edges = "any", points = "any", body = "any",
  table = "any", thickness = "any", planes = "table", plane_bodies = "any", rest_positions = "any",
  pairs = "table", weights = "any", pair_limit = "integer" }

-- Rows of planes as {nx, ny, nz, offset} with unit normals.
local function plane_rows(planes)
  local rows = {}
  for i, plane in ipairs(planes) do
    local given = options.check("basin.contact.detector: plane " .. i, plane,
      { normal = "table", offset = "number" }, { "normal" })
    local n = given.normal
    local length = #n == 3 and math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2) or 0
    if not (length > 0 and length < math.huge) then
      errors.fail("ARGUMENT", "basin.contact.detector: plane %d needs a normal of 3 numbers", i)
    end
    local offset = (given.offset or 0) / length
    rows[i] = { n[1] / length, n[2] / length, n[3] / length, offset }
  end
  return rows
end

local function flat(value)
  local list = {}
  local function append(item)
    if type(item) ~= "table" then
      list[#list + 1] = item == true and 1 or item == false and 0 or item
      return
    end
    for _, part in ipairs(item) do append(part) end
  end
  append(value)
  return list
end

-- Lists that have a number, or a row of them, a body.
local function check_counts(checked, fields)
  local n, where = fields.body_count or 1, "basin.contact.detector"
  if fields.offsets and fields.offsets.count ~= n then
    errors.fail("LENGTH", "%s: 'thickness' needs a number, or one a body, that is %d, got %d",
      where, n, fields.offsets.count)
  end
  if checked.weights == nil then return end
  local count = #flat(checked.weights)
  if count ~= n * (n + 1) then
    errors.fail("LENGTH", "%s: 'weights' needs a row of %d numbers a body (a column a body and one "
      .. "for planes), that is %d numbers, got %d", where, n + 1, n * (n + 1), count)
  end
end

-- What `body`, `table` and `thickness` say about bodies, for the core.
local function body_fields(checked, count)
  local fields = {}
  if checked.body ~= nil then
    fields.bodies = core.array(checked.body)
    fields.body_count = count > 0 and fields.bodies:max() + 1 or 0
  end
  local thickness = checked.thickness
  if type(thickness) == "number" then
    fields.separation = thickness
  elseif thickness ~= nil then
    fields.offsets = core.array(thickness)
    fields.body_count = fields.body_count or fields.offsets.count
  end
  if checked.table ~= nil then
    if type(checked.table) ~= "table" then
      errors.fail("ARGUMENT", "basin.contact.detector: 'table' must be a table, got a %s",
        options.type_name(checked.table))
    end
    local numbers = flat(checked.table)
    local n = math.floor(math.sqrt(#numbers) + 0.5)
    if n * n ~= #numbers then
      errors.fail("SHAPE", "basin.contact.detector: 'table' has %d entries, which is no square",
        #numbers)
    end
    fields.body_count = n
    fields.body_pairs = core.array(numbers)
  end
  if checked.plane_bodies ~= nil then
    fields.plane_bodies = core.array(flat(checked.plane_bodies))
  end
  check_counts(checked, fields)
  return fields
end

-- Names of constants of a pair primitive that a detector fills.
local filled <const> = { "multiplicity", "weight", "separation", "threshold", "plane" }

-- What to fill for one kind: ids of the primitive, its connectivity and constants.
local function pair_target(scene, kind, connectivity)
  local arity = arities[kind]
  if not arity then
    errors.fail_hint("NAME", errors.suggestion(kind, errors.sorted_keys(arities)),
      "basin.contact.detector: pairs: unknown kind '%s'; there are %s", tostring(kind),
      table.concat(errors.sorted_keys(arities), ", "))
  end
  if not primitive.is_connectivity(connectivity) then
    errors.fail("ARGUMENT", "basin.contact.detector: pairs.%s must be a connectivity, got a %s",
      kind, options.type_name(connectivity))
  end
  if connectivity:arity() ~= arity then
    errors.fail("SHAPE", "basin.contact.detector: pairs.%s: %s has arity %d, this kind has %d",
      kind, connectivity:full_name(), connectivity:arity(), arity)
  end
  local owner = connectivity:from()
  if owner._scene ~= scene or not rawget(owner, "_dynamic") then
    errors.fail_hint("STATE", "mesh:add_primitive(name, 0, { dynamic = true })",
      "basin.contact.detector: pairs.%s: %s must be a dynamic primitive of the same scene", kind,
      owner:full_name())
  end
  local constants = {}
  for _, name in ipairs(filled) do
    local constant = owner:find(name)
    if attribute.is(constant) and constant:kind() == "constant" then
      constants[name] = rawget(constant, "_array")
    end
  end
  return { kind = kind, space = owner._space, connectivity = connectivity._id, arrays = constants,
    system = scene._system }
end

local function positions_of(value)
  if expression.is(value) then
    local own = value:owner()
    if not own then
      errors.fail("ARGUMENT", "basin.contact.detector: a literal has no positions")
    end
    return value, own:instances(), rawget(value, "_scene")
  end
  local array = core.array(value)
  return array, array.count, nil
end

--- basin.contact.detector{positions=, triangles=, edges=, points=, body=, table=, thickness=,
--- planes=, plane_bodies=, rest_positions=, pairs=, weights=, pair_limit=}. Edges and triangles may
--- be degenerate (name a vertex twice): they are what their vertices span.
function M.detector(given)
  local where = "basin.contact.detector"
  local checked = options.check(where, given, spec, { "positions" })
  local positions, count, scene = positions_of(checked.positions)
  local description = body_fields(checked, count)
  description.vertex_count = count
  for _, name in ipairs { "points", "edges", "triangles" } do
    if checked[name] ~= nil then description[name] = core.array(checked[name]) end
  end
  if checked.planes and #checked.planes > 0 then
    description.plane_count = #checked.planes
    description.planes = core.array(plane_rows(checked.planes))
  end
  if checked.rest_positions ~= nil then
    description.rest_positions = core.array(checked.rest_positions)
  end
  description.pair_limit = checked.pair_limit
  local context = scene and scene._context or core.context()
  local self = setmetatable({ _scene = scene, _positions = positions, _vertex_count = count,
    _targets = {}, _tables = {}, seconds_detect = 0, seconds_step = 0, seconds_fill = 0,
    _description = description, _context = context, _core = core.contact(context, description) },
    Detector)
  if checked.weights ~= nil then self._tables.weight = core.array(flat(checked.weights)) end
  for kind, connectivity in pairs(checked.pairs or {}) do
    if not scene then
      errors.fail("ARGUMENT", "%s: 'pairs' need 'positions' that are an attribute", where)
    end
    self._targets[#self._targets + 1] = pair_target(scene, kind, connectivity)
  end
  table.sort(self._targets, function(a, b) return a.kind < b.kind end)
  if scene then self._on_device = self._core:attach(scene._system) end
  return self
end

-- ---- detection ----

-- The positions given, else the present ones: those of a scene on a device as an array's id, so
-- that they stay there.
local present, placed = steps._present, steps._placed

local function update_pairs(self)
  local start = core.seconds()
  for _, target in ipairs(self._targets) do
    self._core:fill(target.kind, target.system, target.space, target.connectivity, target.arrays,
      self._tables)
  end
  self.seconds_fill = self.seconds_fill + core.seconds() - start
end

--- Finds the pairs closer than a distance (beyond the thickness) and puts them into the pair
--- primitives: {positions=, distance= or squared_distance=}. Returns the number of pairs.
function methods.detect(self, given)
  local checked = options.check("detect", given,
    { positions = "any", distance = "positive", squared_distance = "positive" })
  local distance = checked.distance
  if (distance == nil) == (checked.squared_distance == nil) then
    errors.fail("ARGUMENT", "detect: give 'distance' or 'squared_distance'")
  end
  distance = distance or math.sqrt(checked.squared_distance)
  local positions, start = placed(self, checked.positions), core.seconds()
  local version = self._core:detect(positions, distance)
  self.seconds_detect = self.seconds_detect + core.seconds() - start
  if version ~= self._version then
    self._version = nil
    update_pairs(self)
    self._version = version
  end
  return self:counts().total
end

--- Finds the pairs of the present positions and puts them into a list of friction {space=,
--- connectivity=, arrays=, tables=}: frames at these positions, slip counted from those of the last
--- call with `first`.
function methods._lag(self, list, distance, first)
  local positions = placed(self)
  if first and self._on_device then
    self._core:remember(positions)
  elseif first then
    self._start = positions
  end
  self:detect { positions = type(positions) ~= "number" and positions or nil, distance = distance }
  self._core:fill_friction(self._scene._system, list.space, list.connectivity, list.arrays,
    positions, self._start, list.tables)
end

--- Pairs of the last detect: a number for each kind, and `total`.
function methods.counts(self)
  local counts, total, least = self._core:counts()
  counts.total = total
  counts.smallest_distance = math.sqrt(least)
  return counts
end

--- The pairs of one kind: {vertices=, multiplicity=, squared_distance=, separation=, threshold=,
--- planes=}, arrays.
function methods.pairs(self, kind)
  return self._core:pairs(kind)
end

--- Changes when a detect finds other pairs than the one before it.
function methods.version(self)
  return self._core:version()
end

-- ---- questions ----

local function positions_option(self, where, given, more, find)
  local known = { positions = "any" }
  for key, kind in pairs(more or {}) do known[key] = kind end
  local checked = options.check(where, given, known)
  return (find or present)(self, checked.positions), checked
end

--- Edges that meet triangles: rows of two and three vertices, at most `limit` (100) of them, and
--- their number. {positions=, limit=}
function methods.intersections(self, given)
  local positions, checked = positions_option(self, "intersections", given, { limit = "integer" })
  return self._core:intersections(positions, checked.limit or 100)
end

--- The smallest distance of all pairs that may touch (infinite without one), and {gap=, kind=,
--- vertices=}; the gap is the distance less the thickness. {positions=}
function methods.smallest_distance(self, given)
  local distance, gap, kind, vertices = self._core:smallest_distance((positions_option(self,
    "smallest_distance", given, nil, placed)))
  return distance, { gap = gap, kind = kind, vertices = vertices }
end

--- Raises an error that lists the pairs that intersect, are closer than their thickness, or lie
--- behind a plane. {positions=}
function methods.check(self, given)
  self._core:check(positions_option(self, "check", given))
  return self
end

--- What it has cost: calls (detections, steps), how often candidates were collected anew
--- (collections), and seconds: seconds_broad, seconds_narrow, seconds_step.
function methods.statistics(self)
  return self._core:statistics()
end

--- Bytes that the detector holds.
function methods.memory(self)
  return self._core:memory()
end

for name, call in pairs(stencil) do M[name] = call end
for name, call in pairs(crossing) do M[name] = call end
for name, method in pairs(steps) do methods[name] = method end

M.methods = methods

return M
