-- Affine bodies: the penalty on deformation and the moments of solids.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local probe = require "probe"

local function check_orthogonality(cases, checker)
  local states, kappa = {}, {}
  for i, case in ipairs(cases) do states[i], kappa[i] = case.inputs.A_rows, case.inputs.kappa end
  local results = probe.states { unknowns = { { "A", 3, 3, states } },
    constants = { { "kappa", 1, 1, kappa } },
    energy = function(u, c) return std.body.orthogonality(u.A, c.kappa) end }
  for i, case in ipairs(cases) do
    local bound, want, got = case.tol.rel, case.expected, results[i]
    local size = case.inputs.kappa
    checker:within(case.id, "rel", bound, want.energy, got.energy, size)
    checker:within(case.id .. " gradient", "rel", bound, want.grad, got.gradient, size)
    checker:within(case.id .. " hessian", "rel", bound, want.hess, got.none, size)
  end
end

-- Those of solids given by tetrahedra.
local function check_mass(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    if given.T and given.rho then
      local mesh = basin.mesh.new { points = given.V, tets = given.T }
      local moments = mesh:affine_moments { density = given.rho }
      local bound = case.tol.rel
      checker:within(case.id .. " mass", "rel", bound, case.expected.mass, moments.mass)
      checker:within(case.id .. " first", "rel", bound, case.expected.first, moments.first,
        moments.mass)
      checker:within(case.id .. " second", "rel", bound, case.expected.second, moments.second,
        moments.mass)
    end
  end
end

return { ["abd.orthogonality"] = check_orthogonality, ["abd.mass"] = check_mass }
