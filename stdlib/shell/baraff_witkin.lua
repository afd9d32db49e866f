-- Baraff-Witkin cloth: stretch along two material directions and shear between them.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

-- Stretch beyond rest length; compression counts `compression` times as much.
local function stretch(column, compression)
  local excess = column:norm() - 1
  if compression == nil then return excess ^ 2 end
  return basin.where(excess:lt(0), compression * excess ^ 2, excess ^ 2)
end

return term.define {
  name = "baraff_witkin",
  doc = "stretch/2 ((|Fu| - 1)^2 + (|Fv| - 1)^2) + shear/2 (Fu.Fv)^2, per rest area",
  stencil = { { "F", "deformation gradient of a triangle, 3 x 2; columns Fu and Fv" } },
  params = { { "stretch", "N/m" }, { "shear", "N/m" } },
  -- compression: optional factor on the stretch energy of a direction shorter than at rest
  energy = function(F, stretching, shearing, compression)
    local u, v = F:col(1), F:col(2)
    return 0.5 * stretching * (stretch(u, compression) + stretch(v, compression))
      + 0.5 * shearing * u:dot(v) ^ 2
  end,
  reference = "D. Baraff, A. Witkin, Large Steps in Cloth Simulation, SIGGRAPH 1998, section 4.2 "
    .. "to 4.3, with energies quadratic in their conditions",
  checks = {
    { F = { { 1, 0 }, { 0, 1 }, { 0, 0 } }, stretch = 5.0, shear = 2.0 },
    { F = { { 1.2, 0.3 }, { -0.2, 0.7 }, { 0.5, 0.1 } }, stretch = 5.0, shear = 2.0 },
    { F = { { 0.4, 0.1 }, { 0.1, -0.3 }, { 0, 0.2 } }, stretch = 5.0, shear = 2.0 },
  },
  singular = { { F = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, stretch = 5.0, shear = 2.0 } },
}
