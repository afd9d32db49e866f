-- Affine bodies: orthogonality, the map of a material point with its Jacobian, exact inertia.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local function check_orthogonality(case, checker)
  local p = case.params
  local results = probe.states {
    unknowns = { { "A", 3, 3, case.inputs.A } },
    energy = function(u) return p.volume * std.body.orthogonality(u.A, p.kappa) end,
  }
  for s, expected in ipairs(case.expect.results) do
    probe.compare(checker, ("matrix %d"):format(s - 1), expected, results[s])
  end
end

-- The case takes the last of its matrices for the point if the position says so: found by
-- comparing.
local function find_matrix(case)
  local X, t, best, least = case.inputs.point_X, case.inputs.translation, 1, math.huge
  for s, A in ipairs(case.inputs.A) do
    local d = 0
    for i = 1, 3 do
      d = d + (A[i][1] * X[1] + A[i][2] * X[2] + A[i][3] * X[3] + t[i]
        - case.expect.point_position[i]) ^ 2
    end
    if d < least then best, least = s, d end
  end
  return case.inputs.A[best]
end

local function check_point(case, checker)
  local p, inputs = case.params, case.inputs
  local matrix = find_matrix(case)
  local X, target = basin.vector(inputs.point_X), basin.vector(inputs.point_target)
  local results = probe.states {
    unknowns = { { "A", 3, 3, { matrix } }, { "t", 3, 1, { inputs.translation } } },
    energy = function(u) return std.constraint.target(u.A * X + u.t, target, p.k_point) end,
  }
  probe.compare(checker, "point energy", case.expect.point_energy, results[1])
  local scene = basin.scene "point"
  local body = scene:add_mesh("mesh"):add_primitive("body", 1)
  local A = body:add_attribute("A", { rows = 3, cols = 3, value = { matrix } })
  local t = body:add_attribute("t", { rows = 3, value = { inputs.translation } })
  local position = A * X + t
  checker:compare("point position", "energy", case.expect.point_position, position:compute())
  checker:compare("point Jacobian", "hessian", case.expect.point_jacobian,
    basin.jacobian(position, { A, t }):dense())
end

local function check_moments(case, checker)
  local mesh = basin.mesh.new { points = case.inputs.tet, tets = { { 0, 1, 2, 3 } } }:oriented()
  local moments = mesh:affine_moments { density = case.params.rho }
  local first, second = golden.flat(moments.first), golden.flat(moments.second)
  checker:compare("volume", "energy", case.expect.tet_volume, moments.volume)
  checker:compare("inertia", "hessian", case.expect.inertia_4x4, {
    { second[1], second[2], second[3], first[1] }, { second[4], second[5], second[6], first[2] },
    { second[7], second[8], second[9], first[3] }, { first[1], first[2], first[3], moments.mass },
  })
end

return function(case, checker)
  check_orthogonality(case, checker)
  check_point(case, checker)
  check_moments(case, checker)
end
