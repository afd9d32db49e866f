-- Random numbers of a seed: the same on every machine and with every version of Lua.
-- SPDX-License-Identifier: Apache-2.0
local Random = {}
Random.__index = Random

--- A whole number from low to high.
function Random:integer(low, high)
  local state = self.state
  state = state ~ (state << 13)
  state = state ~ (state >> 7)
  state = state ~ (state << 17)
  self.state = state
  return low + (state >> 11) % (high - low + 1)
end

--- True once in `n` times.
function Random:one_in(n)
  return self:integer(1, n) == 1
end

--- A number from low to high.
function Random:real(low, high)
  return low + (high - low) * self:integer(0, 1 << 30) / (1 << 30)
end

--- An entry of a list.
function Random:pick(list)
  return list[self:integer(1, #list)]
end

--- The order of a list, mixed.
function Random:shuffle(list)
  for i = #list, 2, -1 do
    local k = self:integer(1, i)
    list[i], list[k] = list[k], list[i]
  end
  return list
end

return function(seed)
  local self = setmetatable({ state = (seed + 1) * 0x9E3779B97F4A7C15 | 1 }, Random)
  for _ = 1, 8 do self:integer(0, 1) end
  return self
end
