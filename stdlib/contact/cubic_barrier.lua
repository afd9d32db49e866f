-- The cubic contact barrier, in the squared distance.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "cubic_barrier",
  doc = "2/3 stiffness (reach - D)^3 / reach for D < reach, else 0; twice smooth at reach",
  stencil = { { "D", "squared distance, m^2; finite at 0, where only the step filter holds" } },
  params = { { "reach", "squared distance where contact begins, m^2" }, { "stiffness", "J/m^4" } },
  energy = function(D, reach, stiffness)
    return basin.where(D:lt(reach), 2 / 3 * stiffness * (reach - D) ^ 3 / reach, 0)
  end,
  -- The repelling force at distance d: minus the derivative of the barrier of d^2 by d.
  force = function(d, reach, stiffness)
    local gap = reach - d ^ 2
    return basin.where(gap:gt(0), 4 * stiffness * d * gap ^ 2 / reach, 0)
  end,
  reference = "R. Ando, A Cubic Barrier with Elasticity-Inclusive Dynamic Stiffness, ACM Trans. "
    .. "Graph. 43(6), 2024, in squared distances",
  checks = {
    { D = { { 0.001 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.008 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.02 } }, reach = 0.01, stiffness = 5.0 },
  },
}
