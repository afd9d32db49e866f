-- Keeps points on the positive side of a plane.
-- SPDX-License-Identifier: Apache-2.0
local term = require "basin.std.term"
local log_barrier = require "basin.std.contact.log_barrier"

return term.define {
  name = "plane_barrier",
  doc = "the logarithmic barrier in the squared distance (n.x - offset)^2 from a plane",
  stencil = { { "x", "position, 3 x 1" } },
  params = {
    { "normal", "unit normal n, pointing to the allowed side" },
    { "offset", "n.x on the plane, m" },
    { "reach", "squared distance where contact begins, m^2" }, { "stiffness", "J/m^4" },
  },
  energy = function(x, normal, offset, reach, stiffness)
    return log_barrier.energy((x:dot(normal) - offset) ^ 2, reach, stiffness)
  end,
  reference = log_barrier.reference,
  checks = {
    { x = { { 0.3 }, { 0.002 }, { -1 } }, normal = { { 0 }, { 1 }, { 0 } }, offset = 0.0,
      reach = 1e-4, stiffness = 5e4 },
    { x = { { 0.3 }, { 0.5 }, { -1 } }, normal = { { 0 }, { 1 }, { 0 } }, offset = 0.0,
      reach = 1e-4, stiffness = 5e4 },
  },
}
