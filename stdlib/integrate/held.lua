-- Particles of inverse mass zero: they stay, or follow a path.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local placed = require "basin.std.body.placed"
local M = {}

local spec <const> = { position = "any", vertices = "any", motion = "function" }

local function part_of(where, system, given)
  for _, part in ipairs(system.parts) do
    if part.value == given then return part end
  end
  errors.fail_hint("ARGUMENT", "hold = { { position = body.position, vertices = { 0 } } }",
    "%s: hold: %s", where, attribute.is(given) and ("'%s' does not move"):format(given:full_name())
    or "'position' must be an attribute that moves, got a " .. options.type_name(given))
end

local function check_range(where, part, indices)
  local count = part.value:owner():instances()
  for _, index in ipairs(indices:table()) do
    if index < 0 or index >= count or index ~= math.floor(index) then
      errors.fail("RANGE", "%s: hold: '%s' has instances 0 to %d, not %g", where,
        part.value:full_name(), count - 1, index)
    end
  end
end

local function list_of(where, given)
  if given == nil then return {} end
  if #given == 0 then
    errors.fail_hint("ARGUMENT", "hold = { { position = body.position, vertices = { 0 } } }",
      "%s: 'hold' must be a list of tables", where)
  end
  return given
end

---The list of what is held, and the set of entries of long vectors (from 1).
function M.new(where, system, given)
  local holds, set = {}, {}
  for i, item in ipairs(list_of(where, given)) do
    local checked = options.check(("%s: hold[%d]"):format(where, i), item, spec,
      { "position", "vertices" })
    local part = part_of(where, system, checked.position)
    local indices = basin.array.from(checked.vertices, { rows = 1 })
    check_range(where, part, indices)
    local size = part.value.rows * part.value.cols
    for _, index in ipairs(indices:table()) do
      for k = 1, size do set[math.tointeger(part.first + index * size + k)] = true end
    end
    holds[i] = { part = part, indices = indices, motion = checked.motion,
      start = part.value:value():select(indices) }
  end
  return holds, set
end

---Puts what follows a path where it is at `time`, with the velocity of a straight way there.
function M.move(where, system, time, h)
  for _, hold in ipairs(system.holds) do
    if hold.motion then
      local places = placed(where .. ": hold", hold.start, hold.motion(time, hold.start))
      local x, v = hold.part.value:value():table(), hold.part.velocity:value():table()
      local last = hold.part.last:value():table()
      for i, index in ipairs(hold.indices:table()) do
        local k, place = math.tointeger(index) + 1, places:table()[i]
        x[k], v[k] = place, basin.array.from(place) - basin.array.from(last[k])
        v[k] = (v[k] / h):table()
      end
      hold.part.value:update(x)
      hold.part.velocity:update(v)
    end
  end
end

return M
