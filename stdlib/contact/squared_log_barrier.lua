-- The squared logarithmic contact barrier, in the squared distance.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "squared_log_barrier",
  doc = "stiffness (D - reach)^2 log(D/reach)^2 for D < reach, else 0; three times smooth at reach",
  stencil = { { "D", "squared distance, m^2; must stay positive" } },
  params = { { "reach", "squared distance where contact begins, m^2" }, { "stiffness", "J/m^4" } },
  energy = function(D, reach, stiffness)
    return basin.where(D:lt(reach), stiffness * ((D - reach) * (D / reach):log()) ^ 2, 0)
  end,
  -- The repelling force at distance d: minus the derivative of the barrier of d^2 by d.
  force = function(d, reach, stiffness)
    local gap, log = d ^ 2 - reach, (d ^ 2 / reach):log()
    local slope = 2 * gap * log * (log + gap / d ^ 2)
    return basin.where(gap:lt(0), -2 * stiffness * d * slope, 0)
  end,
  reference = "K. Huang, F. Chitalu, H. Lin, T. Komura, GIPC, ACM Trans. Graph. 43(2), 2024",
  checks = {
    { D = { { 0.001 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.008 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.02 } }, reach = 0.01, stiffness = 5.0 },
  },
}
