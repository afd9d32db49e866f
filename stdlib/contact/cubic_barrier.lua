-- The cubic contact barrier, in the distance.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

return term.define {
  name = "cubic_barrier",
  doc = "2/3 stiffness (reach - d)^3 / reach for d < reach, else 0; twice smooth at reach",
  stencil = { { "d", "distance, m; finite at 0, where only the step filter holds" } },
  params = { { "reach", "distance where contact begins, m" }, { "stiffness", "N/m" } },
  energy = function(d, reach, stiffness)
    return basin.where(d:lt(reach), 2 / 3 * stiffness * (reach - d) ^ 3 / reach, 0)
  end,
  -- The repelling force at distance d.
  force = function(d, reach, stiffness)
    return basin.where(d:lt(reach), 2 * stiffness * (reach - d) ^ 2 / reach, 0)
  end,
  -- The other barriers take squared distances, which would leave this one no force at contact.
  of_distance = true,
  reference = "R. Ando, A Cubic Barrier with Elasticity-Inclusive Dynamic Stiffness, ACM Trans. "
    .. "Graph. 43(6), 2024",
  checks = {
    { d = { { 0.001 } }, reach = 0.01, stiffness = 5.0 },
    { d = { { 0.008 } }, reach = 0.01, stiffness = 5.0 },
    { d = { { 0.02 } }, reach = 0.01, stiffness = 5.0 },
  },
}
