-- basin.mesh: reading and generating meshes, and the methods of meshes that take options.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local files = require "basin.files"
local options = require "basin.options"

local M = {}

local methods, getters = core.methods "basin.mesh"
M.methods, M.getters = methods, getters

--- Reads OBJ, PLY, STL, MSH, MEDIT, VTK or VTU. A relative name is looked up in the working
--- directory, then beside the script. Options: keep_quads, keep_orientation, weld, weld_tolerance.
function M.read(path, given)
  if type(path) ~= "string" then
    errors.fail("ARGUMENT", "basin.mesh.read: a file name is needed, got a %s",
      options.type_name(path))
  end
  local checked = options.check("basin.mesh.read", given,
    { keep_quads = "boolean", keep_orientation = "boolean", weld = "boolean",
      weld_tolerance = "number" })
  return core.mesh_read(files.find(path), checked)
end

--- A mesh from data: {points = …, tets = …, triangles = …, quads = …, edges = …, vertices = …, dim
--- = 3}.
function M.new(given)
  local checked = options.check("basin.mesh.new", given,
    { points = "any", tets = "any", triangles = "any", quads = "any",
    edges = "any", vertices = "any", dim = "integer" }, { "points" })
  local points = core.array(checked.points)
  local cells = {}
  for _, kind in ipairs { "vertices", "edges", "triangles", "quads", "tets" } do
    cells[kind] = checked[kind]
  end
  return core.mesh_new(checked.dim or (points.count > 0 and points.size) or 3, points, cells)
end

-- (x, y, z) to (x, z, -y): a sheet in the x-y plane lies down with its front upwards and its top
-- away.
local LIE_DOWN <const> = { 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0 }

--- A rectangle of nx x ny points around the origin, two triangles a cell; groups bottom, top, left,
--- right and the four corners. plane = "xy" (upright) or, in space, "xz" (lying, top at -z).
function M.grid(given)
  local checked = options.check("basin.mesh.grid", given,
    { nx = "integer", ny = "integer", width = "positive", height = "positive", dim = "integer",
      plane = { "xy", "xz" } }, { "nx", "ny" })
  local lying = checked.plane == "xz"
  checked.plane = nil
  if lying and checked.dim == 2 then
    errors.fail("ARGUMENT", "basin.mesh.grid: plane = \"xz\" needs dim = 3")
  end
  local grid = core.mesh_grid(checked)
  return lying and grid:transformed(LIE_DOWN) or grid
end

--- A box of nx x ny x nz cells around the origin: tetrahedra, or with surface = true its triangles.
function M.box(given)
  local checked = options.check("basin.mesh.box", given,
    { nx = "integer", ny = "integer", nz = "integer", width = "positive",
    height = "positive", depth = "positive", surface = "boolean" })
  local solid = not checked.surface
  checked.surface = nil
  return core.mesh_box(checked, solid)
end

-- Whole numbers between bounds.
local function check_between(where, checked, key, least, most)
  local value = checked[key]
  if value and value < least then
    errors.fail("RANGE", "%s: '%s' must be at least %d, got %d", where, key, least, value)
  elseif value and value > most then
    errors.fail("RANGE", "%s: '%s' is too large: %s; at most %d", where, key, tostring(value), most)
  end
end

--- A sphere around the origin: an icosphere of 20 * 4^level triangles, with layers > 0 filled with
--- tetrahedra.
function M.sphere(given)
  local checked = options.check("basin.mesh.sphere", given,
    { level = "whole", radius = "positive", layers = "whole" })
  check_between("basin.mesh.sphere", checked, "level", 0, 8)
  check_between("basin.mesh.sphere", checked, "layers", 0, 256)
  return core.mesh_sphere(checked.level or 2, checked.radius or 1, checked.layers or 0)
end

--- A sphere with poles along y: segments around, rings from pole to pole.
function M.globe(given)
  local checked = options.check("basin.mesh.globe", given,
    { segments = "whole", rings = "whole", radius = "positive" })
  check_between("basin.mesh.globe", checked, "segments", 3, 20000)
  check_between("basin.mesh.globe", checked, "rings", 2, 20000)
  return core.mesh_globe(checked.segments or 16, checked.rings or 8, checked.radius or 1)
end

--- count equally spaced points and the edges between them: {from = {…}, to = {…}, count = n}.
function M.line(given)
  local checked = options.check("basin.mesh.line", given,
    { from = "any", to = "any", count = "integer" }, { "from", "to", "count" })
  return core.mesh_line(checked.from, checked.to, checked.count)
end

--- One mesh of several, in order; indices shift.
function M.joined(list)
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    errors.fail("ARGUMENT", "basin.mesh.joined: a list of meshes is needed, got a %s",
      options.type_name(list))
  end
  return core.mesh_joined(list)
end

--- Whether a value is a mesh.
function M.is(value)
  return options.type_name(value) == "basin.mesh"
end

--- A scaled copy: {height = 0.3} makes its extent along y that high, {factor = 2} multiplies.
function methods.scaled_to(self, given)
  local checked = options.check("scaled_to", given, { height = "positive", factor = "positive" })
  if (checked.height == nil) == (checked.factor == nil) then
    errors.fail("ARGUMENT", "scaled_to: give either height or factor")
  end
  return checked.height and self:_at_height(checked.height) or self:scaled(checked.factor)
end

--- Copies in one mesh, each moved by its offset: copies{{0, 0, 0}, {0, 1, 0}}.
function methods.copies(self, offsets)
  return self:_moved_copies(offsets)
end

--- A turned copy: {axis = {0, 1, 0}, angle = radians} or {degrees = 90}.
function methods.rotated(self, given)
  local checked = options.check("rotated", given,
    { axis = "table", angle = "number", degrees = "number" }, { "axis" })
  if (checked.angle == nil) == (checked.degrees == nil) then
    errors.fail("ARGUMENT", "rotated: give either angle or degrees")
  end
  return self:_turned(checked.axis, checked.angle or math.rad(checked.degrees))
end

local mass_spec = { density = "positive", thickness = "number", radius = "number",
  matter = { "auto", "solid", "shell", "rod" } }

--- The mass of each point: {density=, thickness=, radius=, matter=}.
function methods.lumped_mass(self, given)
  return self:_mass_of_points(options.check("lumped_mass", given, mass_spec))
end

--- Volume, mass, first ({x, y, z}) and second moments (3 rows) of the solid, in its own
--- coordinates: {density=, …}.
function methods.affine_moments(self, given)
  local volume, mass, first, second = self:_moments_of_matter(options.check("affine_moments",
    given, mass_spec))
  local rows = {}
  for i = 1, 3 do rows[i] = { second:at(1, i, 1), second:at(1, i, 2), second:at(1, i, 3) } end
  return { volume = volume, mass = mass, first = first:table()[1], second = rows }
end

return M
