-- Coulomb friction of a pair with the normal force of the last state, smoothed near rest.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"
local smoothed = require "basin.std.contact.smoothed_friction"

-- The integral of mu(z) z (2 - z), where mu falls from `fixed` at z = 0 to `moving` at z = 1 along
-- two parabolas that meet at 1/2; equal to moving z from 1 on. A function of q = z^2: smooth at 0.
local function blended(q, fixed, moving)
  local z, drop = q:sqrt(), moving - fixed
  local first = fixed * (q - q * z / 3) + drop * (q ^ 2 - 2 / 5 * q ^ 2 * z)
    + 9 / 16 * moving - 11 / 48 * fixed
  local second = moving * (q - q * z / 3)
    - 2 * drop * (q - 5 / 3 * q * z + q ^ 2 - q ^ 2 * z / 5) + 3 / 5 * moving - 4 / 15 * fixed
  return basin.where(q:lt(0.25), first, basin.where(q:lt(1), second, moving * z))
end

return term.define {
  name = "friction",
  doc = "force times the integral of the coefficient over the slip |u|, along the contact",
  stencil = { { "u", "slip in two directions along the contact, 2 x 1" } },
  params = {
    { "force", "normal force at the lagged state, N" },
    { "fixed", "static coefficient, at rest" }, { "moving", "dynamic coefficient" },
    { "slip", "length below which friction is smoothed, m" },
  },
  energy = function(u, force, fixed, moving, slip)
    return force * slip * blended(u:squared_norm() / slip ^ 2, fixed, moving)
  end,
  -- With one coefficient.
  plain = function(u, force, coefficient, slip)
    return coefficient * force * smoothed(u:squared_norm(), slip)
  end,
  reference = "M. Li et al., Incremental Potential Contact, ACM Trans. Graph. 39(4), 2020, "
    .. "eqs. 12 to 15; the blend of coefficients is a smooth step",
  checks = {
    { u = { { 0.001 }, { 0.002 } }, force = 3.0, fixed = 0.5, moving = 0.3, slip = 0.01 },
    { u = { { 0.004 }, { 0.006 } }, force = 3.0, fixed = 0.5, moving = 0.3, slip = 0.01 },
    { u = { { 0.1 }, { 0.2 } }, force = 3.0, fixed = 0.5, moving = 0.3, slip = 0.01 },
  },
  singular = {
    { u = { { 0 }, { 0 } }, force = 3.0, fixed = 0.5, moving = 0.3, slip = 0.01 },
  },
}
