-- Names that could end what has been typed: keywords, globals, fields and methods of values.
-- SPDX-License-Identifier: Apache-2.0
local help = require "basin.help"

local M = {}

local KEYWORDS <const> = { "and", "break", "do", "else", "elseif", "end", "false", "for",
  "function", "goto", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true",
  "until", "while" }

-- The value that a chain of names like a.b.c stands for. Only names are looked up, nothing typed
-- is run; what raises is nothing.
local function value_of(path)
  local value
  for name in path:gmatch("[%a_][%w_]*") do
    local parent <const> = value == nil and _G or value
    local ok, found = pcall(function() return parent[name] end)
    if not ok or found == nil then return nil end
    value = found
  end
  return value
end

-- Adds the names that begin with `part`, behind `before`.
local function add(words, names, before, part)
  for _, name in ipairs(names) do
    if name:sub(1, #part) == part and name:match("^[%a_][%w_]*$") then
      words[#words + 1] = before .. name
    end
  end
end

--- Words, sorted, that could stand at the end of `text`, and where they begin in it.
function M.words(text)
  local start, before, part = text:match("()([%w_%.:]-)([%w_]*)$")
  local words = {}
  if before:match("^[%a_][%w_%.]*[%.:]$") then
    local value = value_of(before)
    if type(value) == "string" then value = string end
    if value == nil then return words, start end
    local fields, functions = help.names(value)
    if before:sub(-1) == "." then add(words, fields, before, part) end
    add(words, functions, before, part)
  elseif before == "" then
    add(words, KEYWORDS, "", part)
    local globals = {}
    for name in pairs(_G) do globals[#globals + 1] = tostring(name) end
    add(words, globals, "", part)
  end
  table.sort(words)
  return words, start
end

return M
