-- Nearly rigid bodies x = A X + t with twelve unknowns each.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local options = require "basin.options"
local affine_inertia = require "basin.std.body.affine_inertia"
local affine_matter = require "basin.std.body.affine_matter"
local common = require "basin.std.body.common"
local parameters = require "basin.std.parameters"
local orthogonality = require "basin.std.body.orthogonality"

local spec = {
  mesh = "any", copies = "any", density = "positive", stiffness = "positive", velocity = "vector",
  spin = "vector", thickness = "positive", radius = "positive", rigid = "table",
}

local IDENTITY <const> = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }

local function repeated(value, count)
  local list = {}
  for i = 1, count do list[i] = value end
  return list
end

-- The rate of A of a body that spins with angular velocity w (rad/s).
local function spin_matrix(w)
  return { 0, -w[3], w[2], w[3], 0, -w[1], -w[2], w[1], 0 }
end

local function add_vertices(scene, name, mesh, bodies, count)
  local n = mesh.points.count
  local vertices = scene[name]:add_primitive("vertices", n * count)
  local list = {}
  for i = 1, count do list[i] = { n, i - 1 } end
  local labels = basin.array.labels(list)
  local of = vertices:add_connectivity("body", bodies, labels, 1)
  local X = vertices:add_constant("rest_position",
    { rows = 3, value = basin.array.joined(repeated(mesh.points, count)) })
  local function place(A, t) return of:gather(A) * X + of:gather(t) end
  return vertices, place, labels
end

-- Mass, volume and moments as constants of the body's mesh.
local function store_moments(mesh, moments)
  return {
    mass = parameters.store(mesh, "mass", moments.mass),
    volume = parameters.store(mesh, "volume", moments.volume),
    first = parameters.store(mesh, "first_moment", moments.first, 3, 1),
    second = parameters.store(mesh, "second_moment", moments.second, 3, 3),
  }
end

---std.body.affine(scene, name, options): one body a copy. Options:
---  mesh       tetrahedra or a closed surface; triangles of a shell; edges of rods
---  density    kg/m^3
---  thickness  of a shell, m
---  radius     of rods, m
---  rigid      { mass =, inertia = 3 x 3 about the centre of mass, centre = } instead of density
---  stiffness  of the penalty on deformation, Pa
---  copies     list of offsets
---  velocity   m/s
---  spin       angular velocity, rad/s
return function(scene, name, given)
  local where = "std.body.affine"
  common.check_start(where, scene, name)
  local checked = options.check(where, given, spec, { "mesh", "stiffness" })
  common.check_space(where, common.check_mesh(where, checked.mesh))
  local mesh, moments = affine_matter.of(where, checked.mesh, checked)
  common.check_vector(where, "velocity", checked.velocity, 3)
  common.check_vector(where, "spin", checked.spin, 3)
  local offsets = common.offsets(where, checked.copies or { { 0, 0, 0 } }, 3)
  local bodies = scene:add_mesh(name):add_primitive("bodies", offsets.count)
  local A = bodies:add_attribute("affine_matrix", { rows = 3, cols = 3, value = IDENTITY })
  local t = bodies:add_attribute("translation", { rows = 3, value = offsets })
  local vertices, place, labels = add_vertices(scene, name, mesh, bodies, offsets.count)
  local position = vertices:add_attribute("position", place(A, t))
  local all = mesh:copies(offsets)
  local surface = { positions = position, labels = labels, triangles = all.triangles,
    edges = checked.radius and all.edges or all:_edge_cells(), points = all.vertices }
  local stored = store_moments(scene[name], moments)
  local motion = scene:add_body {
    name = name, unknowns = { A, t }, surface = surface,
    inertia = function(dA, dt) return affine_inertia.quadratic(dA, dt, stored) end,
    gravity = function(g) return -(stored.mass * t:dot(g) + (A * stored.first):dot(g)) end,
  }
  local stiffness = parameters.store(scene[name], "stiffness", checked.stiffness)
  local penalty = stored.volume * orthogonality(A, stiffness)
  scene:add_energy(bodies:add_attribute("orthogonality", penalty),
    { name = name .. ".orthogonality", projection = "clamp" })
  if checked.velocity then motion.unknowns[2].velocity:update(checked.velocity) end
  if checked.spin then motion.unknowns[1].velocity:update(spin_matrix(checked.spin)) end
  return common.new {
    scene = scene, name = name, mesh = all, vertices = vertices, position = position,
    last_position = place(motion.unknowns[1].last, motion.unknowns[2].last),
    mass = moments.mass * offsets.count, motion = motion, surface = surface, bodies = bodies }
end
