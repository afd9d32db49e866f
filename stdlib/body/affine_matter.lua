-- What an affine body is made of: a solid, a shell, rods, or a rigid body with known moments.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local affine_inertia = require "basin.std.body.affine_inertia"
local M = {}

local ROUNDING <const> = 1e-9 -- of inertia, relative to its trace

local function check_rows(where, inertia)
  local good = #inertia == 3
  for i = 1, 3 do
    local row = inertia[i]
    good = good and type(row) == "table" and #row == 3
    for k = 1, good and 3 or 0 do
      local value = row[k]
      good = good and type(value) == "number" and value - value == 0
    end
  end
  if not good then
    errors.fail_hint("SHAPE", "inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }",
      "%s: rigid: 'inertia' needs 3 rows of 3 numbers", where)
  end
end

-- Whether m + shift is positive definite, from the pivots of its factorization.
local function definite(m, shift)
  local a = m[1][1] + shift
  local b = m[2][2] + shift - m[1][2] ^ 2 / a
  local c = m[2][3] - m[1][2] * m[1][3] / a
  return a > 0 and b > 0 and m[3][3] + shift - m[1][3] ^ 2 / a - c ^ 2 / b > 0
end

-- Raises unless some matter has this inertia.
local function check_inertia(where, inertia)
  check_rows(where, inertia)
  local trace, second = inertia[1][1] + inertia[2][2] + inertia[3][3], {}
  for i = 1, 3 do
    second[i] = {}
    for k = 1, 3 do
      if math.abs(inertia[i][k] - inertia[k][i]) > ROUNDING * math.abs(trace) then
        errors.fail("ARGUMENT", "%s: rigid: 'inertia' is not symmetric: %g and %g", where,
          inertia[i][k], inertia[k][i])
      end
      second[i][k] = (i == k and 0.5 * trace or 0) - inertia[i][k]
    end
  end
  if not definite(inertia, 0) then
    errors.fail("ARGUMENT", "%s: rigid: 'inertia' is not positive definite", where)
  end
  if not definite(second, ROUNDING * trace) then
    errors.fail("ARGUMENT", "%s: rigid: no matter has this 'inertia': a principal moment is larger "
      .. "than the sum of the two others", where)
  end
end

local function rigid_moments(where, solid, checked)
  local given = options.check(where .. ": rigid", checked.rigid,
    { mass = "positive", inertia = "table", centre = "vector" }, { "mass", "inertia" })
  check_inertia(where, given.inertia)
  if given.centre and #given.centre ~= 3 then
    errors.fail("LENGTH", "%s: rigid: 'centre' needs 3 numbers, got %d", where, #given.centre)
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
