-- Held unknowns: instances of an attribute, or entries of them, that minimizing leaves as they are.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

-- Of an attribute: held[number] = true, where entry e (from 0, row by row) of instance i (from 0)
-- has the number i * size + e; `version` grows with every change.
local function state_of(attribute)
  local state = rawget(attribute, "_hold")
  if not state then
    state = { held = {}, version = 0 }
    rawset(attribute, "_hold", state)
  end
  return state
end

local function instances(attribute)
  return rawget(attribute, "_owner"):instances()
end

local function check_kind(where, attribute)
  local kind = attribute:kind()
  if kind == "data" then return end
  if kind == "constant" then
    errors.fail("ARGUMENT", "%s: a constant is no unknown", where)
  end
  errors.fail_hint("ARGUMENT", kind == "union" and "hold instances of its members"
    or "hold the data that it is computed from",
    "%s: it is computed (%s) and no unknown", where, kind)
end

-- Instances as a list of whole numbers; nil is all of them.
local function check_instances(where, attribute, given)
  local count, list = instances(attribute), {}
  if given == nil then
    for i = 0, count - 1 do list[i + 1] = i end
    return list
  end
  if type(given) == "number" then given = { given } end
  if options.type_name(given) ~= "basin.array"
    and (type(given) ~= "table" or getmetatable(given)) then
    errors.fail_hint("ARGUMENT", "position:hold { 0, 3 }, or what mesh:select gives",
      "%s: instances are a list of numbers, got a %s", where, options.type_name(given))
  end
  local array = core.array(given)
  for i, number in ipairs(core.array(array, 1):table()) do
    local index = math.tointeger(number)
    if not index or index < 0 or index >= count then
      errors.fail("RANGE", "%s: there is no instance %s of %d (they count from 0)", where,
        tostring(index or number), count)
    end
    list[i] = index
  end
  return list
end

-- One entry: its number from 1, row by row, or {row, column}.
local function check_entry(where, attribute, given)
  local rows, cols = attribute.rows, attribute.cols
  local number = math.tointeger(given)
  if type(given) == "table" and not getmetatable(given) then
    local i, j = math.tointeger(given[1]), math.tointeger(given[2])
    number = #given == 2 and i and j and i >= 1 and i <= rows and j >= 1 and j <= cols
      and (i - 1) * cols + j or nil
  end
  if number and number >= 1 and number <= rows * cols then return number - 1 end
  local shown = type(given) == "table" and ("{ %s, %s }"):format(given[1], given[2])
    or tostring(given)
  errors.fail_hint("RANGE", cols == 1 and ("entries are numbers from 1 to %d"):format(rows)
    or ("entries are { row, column }, or numbers from 1 to %d, row by row"):format(rows * cols),
    "%s: there is no entry %s of %d x %d", where, shown, rows, cols)
end

local function check_entries(where, attribute, given)
  local checked = options.check(where, given, { entries = "table" })
  local list = {}
  if checked.entries then
    for i, entry in ipairs(checked.entries) do list[i] = check_entry(where, attribute, entry) end
    if #list == 0 then errors.fail("LENGTH", "%s: 'entries' is empty", where) end
  else
    for e = 0, attribute.rows * attribute.cols - 1 do list[e + 1] = e end
  end
  return list
end

local function change(verb, attribute, given, entries, value)
  local where = ("%s: %s"):format(attribute:full_name(), verb)
  check_kind(where, attribute)
  local list = check_instances(where, attribute, given)
  local places = check_entries(where, attribute, entries)
  local state, size = state_of(attribute), attribute.rows * attribute.cols
  for _, instance in ipairs(list) do
    for _, entry in ipairs(places) do state.held[instance * size + entry] = value end
  end
  state.version = state.version + 1
  return attribute
end

--- Holds entries (a list, nil: all) of instances (a number, list or array from 0, nil: all).
function M.hold(attribute, given, entries)
  return change("hold", attribute, given, entries, true)
end

--- Lets them go.
function M.release(attribute, given, entries)
  return change("release", attribute, given, entries, nil)
end

--- The numbers of the held entries, ascending, and their version; nothing where none was ever held.
function M.numbers(attribute)
  local state = rawget(attribute, "_hold")
  if not state then return nil end
  local list = {}
  for number in pairs(state.held) do list[#list + 1] = number end
  table.sort(list)
  return list, state.version
end

--- The version alone; 0 where none was ever held.
function M.version(attribute)
  local state = rawget(attribute, "_hold")
  return state and state.version or 0
end

--- Whether the entry of this number is held.
function M.is_held(attribute, number)
  local state = rawget(attribute, "_hold")
  return state ~= nil and state.held[number] == true
end

--- Replaces what is held by entries of these numbers.
function M.set_numbers(attribute, numbers)
  local state = state_of(attribute)
  state.held, state.version = {}, state.version + 1
  for _, number in ipairs(numbers) do state.held[math.tointeger(number)] = true end
end

--- The instances of which something is held, ascending, as an array; and a mask in the shape of the
--- attribute, 1 where an entry is held.
function M.held(attribute)
  check_kind(attribute:full_name() .. ": held", attribute)
  local size, count = attribute.rows * attribute.cols, instances(attribute)
  local mask = core.array_filled(count, 0, attribute.rows, attribute.cols)
  local flat, list = {}, {}
  for i = 1, count * size do flat[i] = 0 end
  for _, number in ipairs(M.numbers(attribute) or {}) do
    flat[number + 1] = 1
    local instance = number // size
    if list[#list] ~= instance then list[#list + 1] = instance end
  end
  if count > 0 then mask = core.array(flat, attribute.rows, attribute.cols) end
  return core.array(list, 1), mask
end

--- That mask; nil where nothing is held. Kept until something is held or released.
function M.mask(attribute)
  local state = rawget(attribute, "_hold")
  if not state or next(state.held) == nil then return nil end
  local count = instances(attribute)
  if state.mask_version ~= state.version or state.mask.count ~= count then
    state.mask, state.mask_version = select(2, M.held(attribute)), state.version
  end
  return state.mask
end

--- Forgets what was held of instances from `count` on: they are gone.
function M.trim(attribute, count)
  local state = rawget(attribute, "_hold")
  if not state then return end
  local first, version = count * attribute.rows * attribute.cols, state.version
  for number in pairs(state.held) do
    if number >= first then
      state.held[number] = nil
      state.version = version + 1
    end
  end
end

return M
