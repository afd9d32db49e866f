-- Cloth: a sheet of triangles in space that resists stretching and bending.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local deformation = require "basin.std.elastic.deformation"
local extent = require "basin.std.body.extent"
local hinge = require "basin.std.shell.hinge"
local hinge_bending = require "basin.std.shell.hinge_bending"
local stvk_membrane = require "basin.std.shell.stvk_membrane"
local parameters = require "basin.std.parameters"
local term = require "basin.std.term"

local spec = {
  mesh = "any", copies = "any", density = "positive", thickness = "positive", young = "number",
  poisson = "number", bending = "nonnegative", membrane = "any", velocity = "vector",
  damping = "table",
}

-- The membrane per rest area: a material given (in N/m), or a St. Venant-Kirchhoff sheet.
local function membrane_of(where, checked)
  if checked.membrane then
    if not term.is_material(checked.membrane) or checked.young or checked.poisson then
      errors.fail("ARGUMENT", "%s: give a material 'membrane', or young, poisson, thickness", where)
    end
    return checked.membrane, 1
  end
  if not checked.young or not checked.thickness then
    errors.fail("ARGUMENT", "%s: 'young', 'poisson' and 'thickness' are needed", where)
  end
  local sheet = stvk_membrane { young = checked.young, poisson = checked.poisson or 0.3 }
  return sheet, checked.thickness
end

local function add_bending(scene, name, body, mesh, stiffness)
  local rows = mesh:hinges()
  if rows.count == 0 then return end
  local hinges = scene[name]:add_primitive("hinges", rows.count)
  local corners = hinges:add_connectivity("corners", body.vertices, rows, 4)
  local X = corners:gather(body.vertices.rest_position)
  local angle = hinges:add_constant("rest_angle", { value = hinges:evaluate(hinge.angle(X)) })
  local weight = hinges:add_constant("weight", { value = hinges:evaluate(hinge.weight(X)) })
  local energy = hinge_bending(corners:gather(body.position), angle, weight,
    parameters.store(scene[name], "bending", stiffness))
  scene:add_energy(hinges:add_attribute("bending", energy),
    { name = name .. ".bending", projection = "clamp" })
end

---std.body.cloth(scene, name, options):
---  mesh       triangles in space
---  density    kg/m^2
---  thickness  m
---  young      Pa, with poisson: of the sheet; or
---  membrane   a material per rest area, for example std.shell.baraff_witkin { stretch =, shear = }
---  bending    stiffness of the hinges, J
---  copies     list of offsets
---  velocity   m/s
---  damping    Rayleigh damping { mass = 1/s, stiffness = s }
return function(scene, name, given)
  local where = "std.body.cloth"
  common.check_start(where, scene, name)
  local checked = options.check(where, given, spec, { "mesh", "density" })
  common.check_space(where, common.check_mesh(where, checked.mesh, "triangles"))
  extent.check(where, checked.mesh, "triangles")
  local mesh = common.copies(where, checked.mesh, checked.copies)
  local membrane, thickness = membrane_of(where, checked)
  local body = common.free(scene, name, { mesh = mesh, velocity = checked.velocity,
    mass = mesh:lumped_mass { density = checked.density, matter = "shell" },
    surface = { triangles = mesh.triangles } })

  local triangles = scene[name]:add_primitive("triangles", mesh.triangles.count)
  local corners = triangles:add_connectivity("corners", body.vertices, mesh.triangles, 3)
  local rest = corners:gather(body.vertices.rest_position)
  local F, area = deformation.membrane(corners:gather(body.position), rest)
  membrane = membrane:stored(scene[name])
  thickness = parameters.store(scene[name], "thickness", thickness)
  local energy = triangles:add_attribute("membrane", area * thickness * membrane:energy(F))
  scene:add_energy(energy, { name = name .. ".membrane", projection = "clamp" })
  if (checked.bending or 0) > 0 then add_bending(scene, name, body, mesh, checked.bending) end
  if checked.damping then
    common.add_damping(body, checked.damping, membrane, area * thickness, function(x)
      return (deformation.membrane(corners:gather(x), rest))
    end)
  end
  return body
end
