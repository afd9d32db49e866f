-- Coulomb friction against a plane, smoothed near rest, with the normal force of the last state.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local smoothed = require "basin.std.contact.smoothed_friction"

return term.define {
  name = "plane_friction",
  doc = "coefficient * force * f(|u|), u the slip of a point along the plane since the last step",
  stencil = { { "x", "position, 3 x 1" }, { "x_last", "at the last step" } },
  params = {
    { "normal", "unit normal" }, { "force", "normal force at the lagged state, N" },
    { "coefficient", "of friction" }, { "slip", "length below which friction is smoothed, m" },
  },
  energy = function(x, x_last, normal, force, coefficient, slip)
    local moved = x - x_last
    local along = moved - normal * normal:dot(moved)
    return coefficient * force * smoothed(along:squared_norm(), slip)
  end,
  reference = "M. Li et al., Incremental Potential Contact, ACM Trans. Graph. 39(4), 2020, "
    .. "eqs. 12 to 15",
  constants = { x_last = true },
  checks = {
    { x = { { 0.001 }, { 1 }, { 0.002 } }, x_last = { { 0 }, { 1.1 }, { 0 } },
      normal = { { 0 }, { 1 }, { 0 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
    { x = { { 0.1 }, { 1 }, { 0.2 } }, x_last = { { 0 }, { 1.1 }, { 0 } },
      normal = { { 0 }, { 1 }, { 0 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
  },
  singular = {
    { x = { { 0 }, { 1 }, { 0 } }, x_last = { { 0 }, { 1 }, { 0 } },
      normal = { { 0 }, { 1 }, { 0 } }, force = 3.0, coefficient = 0.5, slip = 0.01 },
  },
}
