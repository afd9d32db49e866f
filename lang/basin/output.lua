-- basin.output: frame series (VTU, PLY, OBJ) and pictures of expressions that change.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"
local session = require "basin.session"

local M = {}

local methods = {}
local Output = { __name = "basin.output" }

function Output.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("output", key, methods, { folder = true })
  end
  return nil
end

function Output.__tostring(self)
  return ("output in %s: %d frames"):format(self.folder, self._frames:next())
end

local format_words <const> = { "vtu", "ply", "obj" }

-- "vtu", {"vtu", "ply"} or nil as a set.
local function formats_of(frames)
  local set = {}
  for _, word in ipairs(type(frames) == "table" and frames or { frames }) do
    local known = false
    for _, candidate in ipairs(format_words) do known = known or candidate == word end
    if not known then
      errors.fail_hint("ARGUMENT", errors.suggestion(word, format_words),
        "output: frames must be of %s; got '%s'", table.concat(format_words, ", "), tostring(word))
    end
    set[word] = true
  end
  return set
end

M.spec = { folder = "string", name = "string", frames = "any", pictures = "any", positions = "any",
  triangles = "any", edges = "any", tets = "any", labels = "any", planes = "table",
  camera = "table", width = "integer", height = "integer", fields = "table" }

local function check_planes(planes)
  for i, plane in ipairs(planes or {}) do
    options.check("output: plane " .. i, plane, { normal = "table", offset = "number" },
      { "normal" })
  end
  return planes
end

local function wants_pictures(value)
  if value == nil or value == false then return false end
  if value == true or value == "png" then return true end
  errors.fail("ARGUMENT", "output: pictures must be \"png\", true or false; got '%s'",
    tostring(value))
end

-- The mesh that the frames show: its points are placeholders, replaced in every frame.
local function frame_mesh(checked)
  local positions = checked.positions
  local count, dim = positions:owner():instances(), positions.rows * positions.cols
  if dim ~= 2 and dim ~= 3 then
    errors.fail("SHAPE", "output: positions have 2 or 3 numbers, these have %d", dim)
  end
  return core.mesh_new(dim, core.array_filled(count, 0, dim, 1),
    { triangles = checked.triangles, edges = checked.edges, tets = checked.tets })
end

local cell_kinds <const> = { "edges", "triangles", "tets" }

-- The present values of a field: one a point, or one a cell of the frames.
local function field_data(self, name)
  local where = ("output: field '%s'"):format(name)
  local value = expression.to_expression(self._fields[name], where)
  local owner = value:owner()
  if not owner then
    errors.fail("OWNER", "%s belongs to no primitive, so it has no values to show", where)
  end
  local count, points, cells = owner:instances(), self._mesh.points.count, 0
  if count == points then return { name = name, data = value:compute() } end
  local shown = { ("%d points"):format(points) }
  for _, kind in ipairs(cell_kinds) do
    local number = self._cells[kind] or 0
    cells = cells + number
    if number > 0 then shown[#shown + 1] = ("%d %s"):format(number, kind) end
  end
  if count == cells then return { name = name, data = value:compute(), cells = true } end
  errors.fail_hint("LENGTH", "a field has one value a point, or one a cell",
    "%s has %d values, one for each of '%s', but the frames show %s", where, count,
    owner:full_name(), table.concat(shown, ", "))
end

local function check_camera(given)
  if not given then return nil end
  local camera = options.check("output: camera", given, { eye = "vector", target = "vector",
    up = "vector", field_of_view = "positive" }, { "eye", "target" })
  local apart = false
  for i, number in ipairs(camera.eye) do apart = apart or number ~= camera.target[i] end
  if not apart then
    errors.fail("RANGE", "output: camera: 'eye' and 'target' are the same point")
  end
  return camera
end

--- Options: folder, name, frames ("vtu", "ply", "obj" or a list), pictures ("png"), positions (an
--- expression), triangles, edges, tets (indices into it), labels (one a point, colours of the
--- pictures), planes, camera, width, height, fields {name = expression}.
function M.new(given)
  local checked = options.check("basin.output", given, M.spec, { "folder", "positions" })
  if not expression.is(checked.positions) or not checked.positions:owner() then
    errors.fail_hint("ARGUMENT", "give an attribute such as vertices.position",
      "output: positions must be an expression of a primitive, got a %s",
      options.type_name(checked.positions))
  end
  local formats, cells = formats_of(checked.frames), {}
  for _, kind in ipairs(cell_kinds) do
    cells[kind] = checked[kind] and core.array(checked[kind]).count
  end
  local self = setmetatable({ folder = session.output_folder(checked.folder), _cells = cells,
    _mesh = frame_mesh(checked), _positions = checked.positions,
    _labels = checked.labels and core.array(checked.labels), _fields = checked.fields or {} },
      Output)
  for _, name in ipairs(errors.sorted_keys(self._fields)) do field_data(self, name) end
  self._frames = core.frames { folder = self.folder, name = checked.name or "frame",
    vtu = formats.vtu, ply = formats.ply, obj = formats.obj,
    pictures = wants_pictures(checked.pictures), planes = check_planes(checked.planes),
    camera = check_camera(checked.camera),
    width = checked.width, height = checked.height }
  return self
end

--- Writes the next frame at a time (by default the number of the frame). Returns its number.
function methods.write(self, time)
  if time ~= nil and type(time) ~= "number" then
    errors.fail("ARGUMENT", "output: write needs a time, got a %s", options.type_name(time))
  end
  local arrays = {}
  for _, name in ipairs(errors.sorted_keys(self._fields)) do
    arrays[#arrays + 1] = field_data(self, name)
  end
  return self._frames:write(time or self._frames:next(), self._mesh, self._positions:compute(),
    self._labels, arrays)
end

--- Chooses the camera for the present state, unless there is one: what the first frame does.
function methods.aim(self)
  self._frames:aim(self._mesh, self._positions:compute())
end

--- The number of frames written; continue_at(n) makes the next frame number n (after a restart).
function methods.count(self)
  return self._frames:next()
end

function methods.continue_at(self, number)
  self._frames:resume(number)
end

M.methods = methods

return M
