-- Surfaces that stick: an attraction between close features.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local term = require "basin.std.term"

-- The curvature of the outer parabola, whose slope at the peak is the strength; negative.
local function outer(peak, range, strength) return strength / (2 * (peak - range)) end

return term.define {
  name = "adhesion",
  doc = "a potential with its minimum at contact: the attraction grows to `strength` at `peak` and "
    .. "fades to nothing at `range`",
  stencil = { { "d", "distance, m" } },
  params = {
    { "peak", "distance of the largest attraction, m" },
    { "range", "distance where attraction begins, m" }, { "strength", "largest attraction, N" },
  },
  energy = function(d, peak, range, strength)
    local far = outer(peak, range, strength)
    local near = far * (1 - range / peak)
    local inside = near * d ^ 2 + far * range * (range - peak)
    return basin.where(d:lt(peak), inside, basin.where(d:lt(range), far * (d - range) ^ 2, 0))
  end,
  -- The attraction at distance d.
  force = function(d, peak, range, strength)
    local far = outer(peak, range, strength)
    return basin.where(d:lt(peak), 2 * far * (1 - range / peak) * d,
      basin.where(d:lt(range), 2 * far * (d - range), 0))
  end,
  reference = "Y. Fang, M. Li, Y. Cao, X. Li, J. Wolper, Y. Yang, C. Jiang, Augmented Incremental "
    .. "Potential Contact for Sticky Interactions, IEEE Trans. Vis. Comput. Graph., 2023",
  checks = {
    { d = { { 0.2 } }, peak = 0.5, range = 1.0, strength = 3.0 },
    { d = { { 0.8 } }, peak = 0.5, range = 1.0, strength = 3.0 },
    { d = { { 1.3 } }, peak = 0.5, range = 1.0, strength = 3.0 },
  },
}
