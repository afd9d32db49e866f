-- The fenced blocks of a Markdown page, in order.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

--- A list of {kind = "lua", line = of the first line inside, text =, lines = {…}}.
function M.read(path)
  local blocks, open, number = {}, nil, 0
  for line in io.lines(path) do
    number = number + 1
    local fence = line:match("^```(%w*)")
    if fence and open then
      open.text = table.concat(open.lines, "\n") .. "\n"
      blocks[#blocks + 1] = open
      open = nil
    elseif fence then
      open = { kind = fence, line = number + 1, lines = {} }
    elseif open then
      open.lines[#open.lines + 1] = line
    end
  end
  if open then error(path .. ": the last block is not closed") end
  return blocks
end

--- Whether a block carries a mark: a comment of its own in its first line.
function M.marked(block, mark)
  return block.lines[1] == "-- " .. mark
end

--- The name of the file a block is to be saved as, given in its first line: "-- name.lua" or
--- "-- name.lua: what it does".
function M.file_name(block)
  return (block.lines[1] or ""):match("^%-%- ([%w_]+%.lua)%f[^%w_.]")
end

--- Whether a text is what a page shows, where "…" stands for anything.
function M.matches(text, shown)
  local pattern = shown:gsub("%p", "%%%0"):gsub("…", ".-")
  return text:gsub("%s+$", ""):match("^" .. pattern:gsub("%s+$", "") .. "$") ~= nil
end

return M
