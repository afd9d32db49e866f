-- Numbers of energies as stored constants: kernels then do not depend on them, are compiled once
-- for all bodies of a law, and stay in the cache when a number changes.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

---Stores a number, an array or a table as the constant `name` of a mesh; expressions stay what they
---are. It is a setting of the script: checkpoints do not hold it.
function M.store(mesh, name, value, rows, cols)
  if type(value) == "table" and getmetatable(value) ~= nil then return value end
  return mesh:add_constant(name, { rows = rows, cols = cols, value = value, parameter = true })
end

return M
