-- Adhesion and friction that depends on the direction.
-- SPDX-License-Identifier: Apache-2.0
local std = require "basin.std"
local probe = require "probe"

-- The curvature a2 of the outer parabola as the strength of Basin, the slope at the peak.
local function check_normal(cases, checker)
  local d, constants = {}, { { "peak", 1, 1, {} }, { "range", 1, 1, {} }, { "strength", 1, 1, {} } }
  for i, case in ipairs(cases) do
    local given = case.inputs
    d[i] = given.d
    local values = { given.d_hat_p, given.d_hat_a, 2 * given.a2 * (given.d_hat_p - given.d_hat_a) }
    for k = 1, 3 do constants[k][4][i] = values[k] end
  end
  local results = probe.states { unknowns = { { "d", 1, 1, d } }, constants = constants,
    energy = function(u, c) return std.contact.adhesion(u.d, c.peak, c.range, c.strength) end }
  for i, case in ipairs(cases) do
    checker:within(case.id, "rel", case.tol.rel, case.expected.a, results[i].energy)
    checker:within(case.id .. " force", "rel", case.tol.rel, case.expected.da, results[i].gradient)
  end
end

local function check_tangential(cases, checker)
  local slips, eps = {}, {}
  for i, case in ipairs(cases) do slips[i], eps[i] = { case.inputs.y, 0 }, case.inputs.eps end
  local results = probe.states { unknowns = { { "u", 2, 1, slips } },
    constants = { { "eps", 1, 1, eps } },
    energy = function(u, c) return std.contact.adhesive_friction(u.u, 1, 1, c.eps) end }
  for i, case in ipairs(cases) do
    checker:within(case.id, "rel", case.tol.rel, case.expected.f0, results[i].energy)
    checker:within(case.id .. " force", "rel", case.tol.rel, case.expected.f1,
      results[i].gradient[1])
  end
end

-- The force against a slip along the direction, far beyond where friction is smoothed.
local function check_anisotropic(cases, checker)
  local slips, along, across = {}, {}, {}
  for i, case in ipairs(cases) do
    slips[i], along[i], across[i] = case.inputs.direction, case.inputs.mu[1], case.inputs.mu[2]
  end
  local results = probe.states { unknowns = { { "u", 2, 1, slips } },
    constants = { { "along", 1, 1, along }, { "across", 1, 1, across } },
    energy = function(u, c)
      return std.contact.anisotropic_friction(u.u, 1, c.along, c.across, 1e-3)
    end }
  for i, case in ipairs(cases) do
    local t, g = case.inputs.direction, results[i].gradient
    checker:within(case.id, "rel", case.tol.rel, case.expected.mu_eff, t[1] * g[1] + t[2] * g[2])
  end
end

return { kinds = { ["adhesion.normal"] = check_normal, ["adhesion.tangential"] = check_tangential,
  ["friction.anisotropic"] = check_anisotropic } }
