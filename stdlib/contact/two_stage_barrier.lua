-- A contact barrier of two stages: a spring first, a logarithm from half the reach on.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "two_stage_barrier",
  doc = "stiffness (reach - D)^2/2 from reach/2 on, -stiffness reach^2/4 (log(2 D/reach) - 1/2) "
    .. "below; the curvature jumps at reach",
  stencil = { { "D", "squared distance, m^2; must stay positive" } },
  params = { { "reach", "squared distance where contact begins, m^2" }, { "stiffness", "J/m^4" } },
  energy = function(D, reach, stiffness)
    local spring = (reach - D) ^ 2 / 2
    local log = reach ^ 2 / 4 * (0.5 - (2 * D / reach):log())
    return basin.where(D:lt(reach), stiffness * basin.where(D:lt(reach / 2), log, spring), 0)
  end,
  -- The repelling force at distance d: minus the derivative of the barrier of d^2 by d.
  force = function(d, reach, stiffness)
    local D = d ^ 2
    local slope = basin.where(D:lt(reach / 2), reach ^ 2 / (4 * D), reach - D)
    return basin.where(D:lt(reach), 2 * stiffness * d * slope, 0)
  end,
  reference = "A. Chen et al., Offset Geometric Contact, ACM Trans. Graph. 44(4), 2025, with the "
    .. "switch at half the reach, in squared distances",
  checks = {
    { D = { { 0.001 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.007 } }, reach = 0.01, stiffness = 5.0 },
    { D = { { 0.02 } }, reach = 0.01, stiffness = 5.0 },
  },
}
