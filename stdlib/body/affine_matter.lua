-- What an affine body is made of: a solid, a shell, rods, or a rigid body with known moments.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local affine_inertia = require "basin.std.body.affine_inertia"
local M = {}

local function rigid_moments(where, solid, checked)
  local given = options.check(where .. ": rigid", checked.rigid,
    { mass = "positive", inertia = "table", centre = "vector" }, { "mass", "inertia" })
  for i = 1, 3 do
    local row = given.inertia[i]
    if type(row) ~= "table" or #row ~= 3 or #given.inertia ~= 3 then
      errors.fail_hint("SHAPE", "inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }",
        "%s: rigid: 'inertia' needs 3 rows of 3 numbers", where)
    end
  end
  local moments = affine_inertia.rigid(given.mass, given.inertia, given.centre)
  moments.volume = solid:affine_moments({ thickness = checked.thickness, radius = checked.radius,
    matter = checked.matter, density = 1 }).volume
  return moments
end

---The surface, compacted, and mass, volume, first and second moments of a mesh for the options
---density, thickness, radius and rigid.
function M.of(where, solid, checked)
  if (checked.density == nil) == (checked.rigid == nil) then
    errors.fail("ARGUMENT", "%s: give either 'density' or 'rigid'", where)
  end
  if checked.thickness and checked.radius then
    errors.fail("ARGUMENT", "%s: give 'thickness' for a shell or 'radius' for rods", where)
  end
  checked.matter = checked.thickness and "shell" or checked.radius and "rod" or nil
  local mesh = checked.radius and solid or solid:surface():compacted()
  if mesh.triangles.count == 0 and not (checked.radius and mesh.edges.count > 0) then
    errors.fail("ARGUMENT", "%s: the mesh has neither tetrahedra nor triangles, nor with 'radius' "
      .. "edges", where)
  end
  if checked.rigid then return mesh, rigid_moments(where, solid, checked) end
  return mesh, solid:affine_moments { density = checked.density, thickness = checked.thickness,
    radius = checked.radius, matter = checked.matter }
end

return M
