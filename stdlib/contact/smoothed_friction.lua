-- The friction potential of a slip length: |u|, rounded off below `slip`.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

---f(y) = y for y >= slip, else y^2/slip - y^3/(3 slip^2) + slip/3 (Incremental Potential Contact,
---2020, eq. 14, integrated), as a function of y^2: smooth at y = 0, where its Hessian is 2/slip.
return function(squared, slip)
  local y = squared:sqrt()
  local rounded = squared / slip - squared * y / (3 * slip ^ 2) + slip / 3
  return basin.where(squared:lt(slip ^ 2), rounded, y)
end
