-- What bodies have in common: the object scripts hold, positions with mass, weight.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local parameters = require "basin.std.parameters"
local M = {}

-- Fields: scene, name, mesh (all copies at rest, a basin.mesh), vertices (primitive), position
-- (attribute), last_position (expression: at the start of the step; nil for fixed bodies), mass
-- (kg, number), motion (what scene:add_body returned; nil for fixed bodies), surface.
local Body = { __name = "basin.std.body" }

function Body.__index(self, key)
  local own = rawget(self, "_fields")
  if own[key] then return nil end
  errors.unknown_field("body", key, self, own)
end

function Body.__tostring(self)
  return ("body '%s': %d vertices, %.4g kg"):format(self.name, self.vertices.count, self.mass)
end

local optional_fields <const> = { motion = true, last_position = true, bodies = true, path = true,
  pieces = true }

function M.new(fields)
  fields._fields = optional_fields
  return setmetatable(fields, Body)
end

function M.is(value) return getmetatable(value) == Body end

---Raises unless value is a body.
function M.check(where, value)
  if not M.is(value) then
    errors.fail_hint("ARGUMENT", "std.body.soft, std.body.cloth and others make bodies",
      "%s: a body is needed, got a %s", where, options.type_name(value))
  end
  return value
end

---Raises unless a body can be made with these arguments: std.body.soft(scene, name, { ... }).
function M.check_start(where, scene, name)
  if not require("basin.scene").is(scene) then
    errors.fail_hint("ARGUMENT", where .. "(scene, \"name\", { … })",
      "%s: the first argument must be a scene, got a %s", where, options.type_name(scene))
  end
  if type(name) ~= "string" then
    errors.fail_hint("ARGUMENT", where .. "(scene, \"name\", { … })",
      "%s: the second argument must be a name, got a %s", where, options.type_name(name))
  end
end

---Raises unless a mesh lives in space.
function M.check_space(where, mesh)
  if mesh.dim == 3 then return end
  errors.fail_hint("SHAPE", "in the plane there are std.body.soft, std.body.rope, std.body.fixed",
    "%s needs a mesh in space, this one has points of %d numbers", where, mesh.dim)
end

---Raises unless value is a mesh with cells of a kind.
function M.check_mesh(where, value, ...)
  if not basin.mesh.is(value) then
    errors.fail_hint("ARGUMENT", "basin.mesh.read(\"file.msh\") or basin.mesh.grid { … }",
      "%s: 'mesh' must be a mesh, got a %s", where, options.type_name(value))
  end
  for _, kind in ipairs { ... } do
    if value[kind].count == 0 then
      errors.fail("ARGUMENT", "%s: the mesh has no %s, it is %s", where, kind, tostring(value))
    end
  end
  return value
end

---The offsets of copies as an array of `dim` numbers each.
function M.offsets(where, given, dim)
  if type(given) ~= "table" and options.type_name(given) ~= "basin.array" then
    errors.fail_hint("ARGUMENT", "copies = { { 0, 0, 0 }, { 0, 1, 0 } }",
      "%s: 'copies' must be a list of offsets, got a %s", where, options.type_name(given))
  end
  if type(given) == "table" then
    for i, offset in ipairs(given) do
      local key = ("copies[%d]"):format(i)
      options.check(where, { [key] = offset }, { [key] = "vector" })
      M.check_vector(where, key, offset, dim)
    end
  end
  local offsets = basin.array.from(given, { rows = dim })
  if offsets.count == 0 then errors.fail("LENGTH", "%s: 'copies' is empty", where) end
  return offsets
end

---The mesh of all copies.
function M.copies(where, mesh, offsets)
  if offsets == nil then return mesh end
  return mesh:copies(M.offsets(where, offsets, mesh.dim))
end

---Gravity as a vector of `dim` entries.
local function in_dimension(g, dim)
  if dim == 3 then return g end
  return basin.vector { g:at(1), g:at(2) }
end

---Raises unless a list, which may be missing, has `dim` numbers.
function M.check_vector(where, key, value, dim)
  if value and #value ~= dim then
    errors.fail("LENGTH", "%s: '%s' needs %d numbers, got %d", where, key, dim, #value)
  end
  return value
end

---Vertices that move freely with lumped masses: { mesh, mass (array), surface, velocity, filters }.
---Returns the body; its scene mesh is scene[name].
function M.free(scene, name, given)
  local points, dim = given.mesh.points, given.mesh.dim
  local vertices = scene:add_mesh(name):add_primitive("vertices", points.count)
  local x = vertices:add_attribute("position", { rows = dim, value = points })
  vertices:add_constant("rest_position", { rows = dim, value = points })
  local mass = vertices:add_constant("mass", { value = given.mass })
  local surface = given.surface or {}
  surface.positions = x
  local motion = scene:add_body {
    name = name, unknowns = { x }, surface = surface, filters = given.filters,
    inertia = function(d) return 0.5 * mass * d:squared_norm() end,
    gravity = function(g) return -(mass * x:dot(in_dimension(g, dim))) end,
  }
  local where = ("body '%s'"):format(name)
  local velocity = M.check_vector(where, "velocity", given.velocity, dim)
  if velocity then motion.unknowns[1].velocity:update(velocity) end
  return M.new {
    scene = scene, name = name, mesh = given.mesh, vertices = vertices, position = x,
    last_position = motion.unknowns[1].last, mass = given.mass:sum(), motion = motion,
    surface = surface,
  }
end

-- The Lame parameters of a material, which damping of stiffness needs.
local function lame_of(material)
  local values = {}
  for i, parameter in ipairs(material.term.params) do values[parameter[1]] = material.values[i] end
  if not values.mu then
    errors.fail("UNSUPPORTED", "damping of stiffness needs a material with mu, %s has none",
      material.term.name)
  end
  return values.mu, values.lambda or 0
end

---Adds Rayleigh damping { mass = 1/s, stiffness = s } of a body made by `free`. For the stiffness
---part: strain(positions) -> deformation gradient; measure: of the elements at rest.
function M.add_damping(body, given, material, measure, strain)
  local std = require "basin.std"
  local damping = options.check("damping", given,
    { mass = "nonnegative", stiffness = "nonnegative" })
  local dt = body.scene:motion().time_step
  local last, mesh = body.last_position, body.scene[body.name]
  if damping.mass then
    local rate = parameters.store(mesh, "damping_rate", damping.mass)
    local drag = std.damping.drag(body.position, last, body.vertices.mass, rate, dt)
    body.scene:add_energy(drag, { name = body.name .. ".drag", projection = "none" })
  end
  if damping.stiffness then
    if not material then
      errors.fail("UNSUPPORTED", "body '%s' has damping of mass only", body.name)
    end
    local mu, lambda = lame_of(material)
    local F, F_last = strain(body.position), strain(last)
    local ratio = parameters.store(mesh, "damping_ratio", damping.stiffness)
    local viscous = std.damping.rayleigh(F, F_last, mu, lambda, ratio, dt)
    body.scene:add_energy(measure * viscous,
      { name = body.name .. ".damping", projection = "clamp" })
  end
end

return M
