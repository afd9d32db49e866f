-- The logarithmic contact barrier, in the squared distance.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "log_barrier",
  doc = "-stiffness (D - reach)^2 log(D/reach) for D < reach, else 0; smooth at reach",
  stencil = { { "D", "squared distance, m^2; must stay positive" } },
  params = { { "reach", "squared distance where contact begins, m^2" }, { "stiffness", "J/m^4" } },
  energy = function(D, reach, stiffness)
    return basin.where(D:lt(reach), -(stiffness * (D - reach) ^ 2 * (D / reach):log()), 0)
  end,
  -- The repelling force at distance d: minus the derivative of the barrier of d^2 by d.
  force = function(d, reach, stiffness)
    local gap = d ^ 2 - reach
    local slope = 2 * gap * (d ^ 2 / reach):log() + gap ^ 2 / d ^ 2
    return basin.where(gap:lt(0), 2 * stiffness * d * slope, 0)
  end,
  reference = "M. Li et al., Incremental Potential Contact, ACM Trans. Graph. 39(4), 2020, eq. 6, "
    .. "in squared distances",
  checks = {
    { D = { { 0.001 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.008 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.02 } }, reach = 0.01, stiffness = 5.0 },
  },
}
