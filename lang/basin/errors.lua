-- Error values: position, source line, expression, where it was built, hint. Raised by the front
-- end and, through a handler, by C.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"

local M = {}

local Error = { __name = "basin.error" }
Error.__index = Error

local BUILT_AT_LIMIT <const> = 5

local function source_line(script, number)
  local file = io.open(script, "r")
  if not file then return nil end
  local at = 0
  for line in file:lines() do
    at = at + 1
    if at == number then
      file:close()
      return line
    end
  end
  file:close()
  return nil
end

--- The message with everything known about it, several lines.
function Error:__tostring()
  local out = {}
  local position = self.script and self.line and self.line > 0
  out[1] = (position and (self.script .. ":" .. self.line .. ": ") or "") .. self.message
  local line = position and source_line(self.script, self.line)
  if line then out[#out + 1] = ("%5d | %s"):format(self.line, (line:gsub("^%s+", ""))) end
  if self.expression and self.expression ~= "" then
    out[#out + 1] = "  expression: " .. self.expression
  end
  if self.built_at and #self.built_at > 1 then
    out[#out + 1] = "  built at: " .. table.concat(self.built_at, ", ")
  end
  if self.hint then out[#out + 1] = "  hint: " .. self.hint end
  return table.concat(out, "\n")
end

--- Makes an error value of {code=, message=, hint=, expression=, script=, line=}; the position is
--- that of the innermost script line outside Basin's own files unless given.
function M.make(description)
  local error_value = setmetatable(description, Error)
  error_value.code = error_value.code or "ARGUMENT"
  if not error_value.script or (error_value.line or 0) == 0 then
    error_value.script, error_value.line = core.origin()
  end
  error_value.built_at = core.origins(BUILT_AT_LIMIT)
  return error_value
end

--- Raises an error value: fail("RANGE", "message %d", 3) or fail{code=, message=, hint=}.
function M.fail(code, format, ...)
  if type(code) == "table" then error(M.make(code), 0) end
  error(M.make { code = code, message = select("#", ...) > 0 and format:format(...) or format }, 0)
end

--- Like fail, with a hint line.
function M.fail_hint(code, hint, format, ...)
  error(M.make { code = code, hint = hint, message = format:format(...) }, 0)
end

function M.is_error(value)
  return getmetatable(value) == Error
end

-- Number of edits between two words: letters changed, added, left out, or neighbours swapped.
local function distance(a, b)
  local before, row = nil, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local next_row = { [0] = i }
    for j = 1, #b do
      local best = math.min(row[j] + 1, next_row[j - 1] + 1,
        row[j - 1] + (a:byte(i) == b:byte(j) and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, before[j - 2] + 1)
      end
      next_row[j] = best
    end
    before, row = row, next_row
  end
  return row[#b]
end

--- The word of a list nearest to the one given, nil if none is near. A word that begins like it
--- counts as near.
function M.nearest(word, words)
  local best, best_distance = nil, math.max(2, #word // 3) + 1
  for _, candidate in ipairs(words) do
    local begins = #word > 2 and candidate:sub(1, #word) == word
    local d = begins and 1 or distance(word, candidate)
    -- Half of a word must be right: of one letter nothing is.
    if d * 2 > math.max(#word, #candidate) then d = math.huge end
    if d < best_distance or (d == best_distance and best and candidate < best) then
      best, best_distance = candidate, d
    end
  end
  return best
end

--- "did you mean 'x'?", or nil.
function M.suggestion(word, words)
  local near = M.nearest(tostring(word), words)
  return near and ("did you mean '%s'?"):format(near) or nil
end

local function sorted_keys(...)
  local keys = {}
  for _, set in ipairs { ... } do
    for key in pairs(set) do
      if type(key) == "string" and key:sub(1, 1) ~= "_" then keys[#keys + 1] = key end
    end
  end
  table.sort(keys)
  return keys
end
M.sorted_keys = sorted_keys

--- Raises for a field that an object of a class does not have.
function M.unknown_field(class, field, ...)
  local hint = M.suggestion(field, sorted_keys(...))
  local article = class:find("^module") and "" or class:find("^[aeiou]") and "an " or "a "
  M.fail { code = "NAME", message = ("%s%s has no field '%s'"):format(article,
    class:gsub("^basin%.", ""), tostring(field)), hint = hint }
end

local own_folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])[^/\\]*$") or ""
M.own_folder = own_folder

core.set_handlers { error = M.make, unknown_field = M.unknown_field, own_folder = own_folder }

return M
