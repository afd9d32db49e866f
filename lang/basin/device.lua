-- The words that name devices.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"

local M = {}

--- For option tables: the words, and the pattern of those that have a number.
M.words = { "auto", "cpu", "cpu:interp", "cuda", "cuda:N", pattern = "^cuda:%d%d?%d?%d?$" }

-- What other programs call it.
local aliases <const> = { gpu = "cuda", nvidia = "cuda", interp = "cpu:interp",
  interpreter = "cpu:interp", clang = "cpu", host = "cpu" }

--- Whether a value names a device (which need not be there).
function M.is(value)
  if type(value) ~= "string" then return false end
  if value:find(M.words.pattern) then return true end
  for _, word in ipairs(M.words) do
    if word == value and word ~= "cuda:N" then return true end
  end
  return false
end

--- "did you mean 'cuda'?", or nil.
function M.suggestion(value)
  local word = tostring(value):lower()
  local near = aliases[word] or (M.is(word) and word)
  return near and ("did you mean '%s'?"):format(near) or errors.suggestion(word, M.words)
end

--- "auto, cpu, cpu:interp, cuda, cuda:N"
function M.list()
  return table.concat(M.words, ", ")
end

return M
