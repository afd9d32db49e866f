-- Elastic constants: Young's modulus and Poisson's ratio to Lame's parameters and back.
-- SPDX-License-Identifier: Apache-2.0
-- Source: any text on linear elasticity; the shifted pairs are of B. Smith, F. de Goes, T. Kim,
-- "Stable Neo-Hookean Flesh Simulation", ACM Trans. Graph. 37(2), 2018, sections 3.4 and 4.3.
local errors = require "basin.errors"
local options_of = require "basin.options"
local M = {}

local function check(young, poisson)
  if type(young) ~= "number" or not (young > 0 and young < math.huge) then
    errors.fail("RANGE", "young must be a positive number (Pa), got %s", tostring(young))
  end
  if type(poisson) ~= "number" or not (poisson > -1 and poisson < 0.5) then
    errors.fail_hint("RANGE", "0.49 is nearly incompressible, rubber is about 0.47, steel 0.3",
      "poisson must lie between -1 and 0.5, both excluded, got %s", tostring(poisson))
  end
end

---mu, lambda of linear elasticity from young (Pa) and poisson.
function M.from_young(young, poisson)
  check(young, poisson)
  return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
end

---The same for plane stress: thin sheets.
function M.plane_stress(young, poisson)
  check(young, poisson)
  return young / (2 * (1 + poisson)), young * poisson / (1 - poisson * poisson)
end

---young, poisson from mu and lambda.
function M.to_young(mu, lambda)
  if type(mu) ~= "number" or type(lambda) ~= "number"
    or not (mu > 0 and 3 * lambda + 2 * mu > 0) then
    errors.fail("RANGE", "mu and 3 lambda + 2 mu must be positive, got mu = %s, lambda = %s",
      tostring(mu), tostring(lambda))
  end
  return mu * (3 * lambda + 2 * mu) / (lambda + mu), lambda / (2 * (lambda + mu))
end

---The parameters with which stable_neo_hookean behaves like mu and lambda in small strains.
function M.stable(mu, lambda) return mu, lambda + mu end

---The same for stable_neo_hookean_log, in space.
function M.stable_log(mu, lambda) return 4 / 3 * mu, lambda + 5 / 6 * mu end

---mu and lambda of a table { young, poisson }, passed through `shift`; { mu, lambda } stay.
---`convert`: from_young (default) or plane_stress.
function M.options(name, options, shift, convert)
  if options.young == nil and options.poisson == nil then return options end
  local given = options_of.check(name, options, { young = "number", poisson = "number" },
    { "young", "poisson" })
  local mu, lambda = (convert or M.from_young)(given.young, given.poisson)
  if shift then mu, lambda = shift(mu, lambda) end
  return { mu = mu, lambda = lambda }
end

return M
