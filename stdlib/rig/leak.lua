-- How much of the momentum inside a body its rig takes: nothing at the boundary, all deep inside.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

---std.rig.leak(stiffness, mass, boundary, time): the field d = 1 - w of each vertex, where w has
---flowed from 1 at the boundary into 0 inside for `time`, one implicit step of heat, scaled to
---0 … 1; and w before it was scaled. boundary: vertices from 0.
---Source: Zhang, Bang, Levin and Jacobson, Complementary Dynamics, ACM TOG 39(6), 2020.
return function(stiffness, mass, boundary, time)
  local held = basin.array.from(boundary, { rows = 1 })
  local n, count = stiffness.rows, held.count
  local rows = basin.sparse.new { rows = count, columns = n, i = basin.array.range(0, count),
    j = held, values = basin.array.filled(count, 1) }
  local heat = time * stiffness + mass
  local w = basin.sparse.kkt(heat, rows):solve(nil, basin.array.filled(count, 1))
  local low, high = w:min(), w:max()
  local span = high > low and high - low or 1
  return 1 - (w - low) / span, w
end
