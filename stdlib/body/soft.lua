-- A soft solid: tetrahedra in space, or triangles in the plane, with a hyperelastic material.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local deformation = require "basin.std.elastic.deformation"
local extent = require "basin.std.body.extent"
local term = require "basin.std.term"

local spec = {
  mesh = "any", copies = "any", density = "positive", material = "any", velocity = "vector",
  damping = "table", projection = "string",
}

---std.body.soft(scene, name, options):
---  mesh        tetrahedra, or in the plane triangles
---  density     kg/m^3; in the plane kg/m^2
---  material    for example std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.4 }
---  copies      list of offsets
---  velocity    m/s
---  damping     Rayleigh damping { mass = 1/s, stiffness = s }
---  projection  of the elastic Hessian, "clamp" unless given
return function(scene, name, given)
  local where = "std.body.soft"
  common.check_start(where, scene, name)
  local checked = options.check(where, given, spec, { "mesh", "density", "material" })
  if not term.is_material(checked.material) then
    errors.fail_hint("ARGUMENT", "std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.4 }",
      "%s: 'material' must be a material, got a %s", where, options.type_name(checked.material))
  end
  common.check_mesh(where, checked.mesh)
  local kind = checked.mesh.dim == 2 and "triangles" or "tets"
  extent.check(where, common.check_mesh(where, checked.mesh, kind), kind)
  local mesh = common.copies(where, checked.mesh, checked.copies)
  local filters = {}
  local shell = mesh:surface()
  local body = common.free(scene, name, {
    mesh = mesh, velocity = checked.velocity, filters = filters,
    mass = mesh:lumped_mass { density = checked.density },
    surface = { triangles = shell.triangles, tets = kind == "tets" and mesh.tets or nil },
  })

  local cells = scene[name]:add_primitive(kind, mesh[kind].count)
  local arity = kind == "tets" and 4 or 3
  local corners = cells:add_connectivity("corners", body.vertices, mesh[kind], arity)
  local rest = corners:gather(body.vertices.rest_position)
  local F, measure = deformation.gradient(corners:gather(body.position), rest)
  cells:add_attribute("deformation_gradient", F)
  local material = checked.material:stored(scene[name])
  local elastic = cells:add_attribute("elastic", measure * material:energy(F))
  scene:add_energy(elastic,
    { name = name .. ".elastic", projection = checked.projection or "clamp" })
  if checked.material.term.positive then
    filters[1] = basin.filter.inversion { positions = body.position, simplices = corners }
  end
  if checked.damping then
    common.add_damping(body, checked.damping, material, measure, function(x)
      return (deformation.gradient(corners:gather(x), rest))
    end)
  end
  return body
end
