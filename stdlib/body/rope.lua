-- A rope, or any net of edges: springs between neighbours.
-- SPDX-License-Identifier: Apache-2.0
local options = require "basin.options"
local common = require "basin.std.body.common"
local extent = require "basin.std.body.extent"
local parameters = require "basin.std.parameters"
local spring = require "basin.std.elastic.spring"

local spec = {
  mesh = "any", copies = "any", density = "positive", stiffness = "positive", velocity = "vector",
  damping = "table",
}

---std.body.rope(scene, name, options):
---  mesh       with edges
---  density    kg/m
---  stiffness  of the cross-section: force per relative stretch, N
---  copies     list of offsets
---  velocity   m/s
---  damping    Rayleigh damping { mass = 1/s }
return function(scene, name, given)
  local where = "std.body.rope"
  common.check_start(where, scene, name)
  local checked = options.check(where, given, spec, { "mesh", "density", "stiffness" })
  local mesh = common.copies(where, common.check_mesh(where, checked.mesh, "edges"), checked.copies)
  local mass = mesh:lumped_mass { density = checked.density, matter = "rod" }
  extent.check(where, checked.mesh, "edges")
  local body = common.free(scene, name, { mesh = mesh, velocity = checked.velocity,
    mass = mass, surface = { edges = mesh.edges } })
  local edges = scene[name]:add_primitive("edges", mesh.edges.count)
  local ends = edges:add_connectivity("ends", body.vertices, mesh.edges, 2)
  local X = ends:gather(body.vertices.rest_position)
  local lengths = edges:evaluate((X:row(1) - X:row(2)):norm())
  local length = edges:add_constant("rest_length", { value = lengths })
  local stiffness = parameters.store(scene[name], "stiffness", checked.stiffness)
  local energy = spring(ends:gather(body.position), length, stiffness / length)
  scene:add_energy(edges:add_attribute("stretch", energy),
    { name = name .. ".stretch", projection = "clamp" })
  if checked.damping then common.add_damping(body, checked.damping) end
  return body
end
