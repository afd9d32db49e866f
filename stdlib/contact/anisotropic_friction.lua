-- Coulomb friction with two coefficients: along and across a direction of the surface.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"
local smoothed = require "basin.std.contact.smoothed_friction"

-- Where the direction stands on the surface, it says nothing: the first tangent takes its place.
local UPRIGHT <const> = 1e-12

return term.define {
  name = "anisotropic_friction",
  doc = "force |M u| with M = diag(along, across), rounded off below `slip`: slip in direction t "
    .. "costs force |M t| a length",
  stencil = { { "u", "slip along the direction and across it, 2 x 1" } },
  params = {
    { "force", "normal force at the lagged state, N" },
    { "along", "coefficient along the direction" }, { "across", "coefficient across it" },
    { "slip", "length below which friction is smoothed, m" },
  },
  energy = function(u, force, along, across, slip)
    local most = basin.max(along, across)
    local scaled = basin.vector { u:at(1) * along, u:at(2) * across } / most
    return most * force * smoothed(scaled:squared_norm(), slip)
  end,
  -- Slip u along two tangents (2 x 3, orthonormal) as slip along and across a direction in space.
  turned = function(u, tangents, direction)
    local w = tangents * direction
    local flat = w:squared_norm():gt(UPRIGHT)
    local size = basin.where(flat, w:squared_norm(), 1):sqrt()
    local x, y = basin.where(flat, w:at(1) / size, 1), basin.where(flat, w:at(2) / size, 0)
    return basin.vector { x * u:at(1) + y * u:at(2), x * u:at(2) - y * u:at(1) }
  end,
  reference = "J. Moreau, On Unilateral Constraints, Friction and Plasticity, in New Variational "
    .. "Techniques in Mathematical Physics, 1974: the support function of an elliptic friction set",
  checks = {
    { u = { { 0.001 }, { 0.002 } }, force = 3.0, along = 0.5, across = 0.2, slip = 0.01 },
    { u = { { 0.1 }, { 0.2 } }, force = 3.0, along = 0.5, across = 0.2, slip = 0.01 },
    { u = { { -0.1 }, { 0.03 } }, force = 3.0, along = 0.1, across = 0.7, slip = 0.01 },
  },
  singular = {
    { u = { { 0 }, { 0 } }, force = 3.0, along = 0.5, across = 0.2, slip = 0.01 },
  },
}
