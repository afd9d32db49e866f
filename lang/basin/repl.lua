-- basin repl: reads a statement or an expression of one or more lines, prints what it evaluates to.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local session = require "basin.session"

local M = {}

-- An expression or a statement; nil and a message if it is neither, true if more lines are needed.
local function compile(text)
  local chunk = load("return " .. text, "=stdin")
  if chunk then return chunk end
  local statement, problem = load(text, "=stdin")
  if statement then return statement end
  return nil, problem, problem:find("<eof>", 1, true) ~= nil
end

local function read_chunk(terminal)
  local text
  while true do
    if terminal then
      io.write(text and ">> " or "> ")
      io.flush()
    end
    local line = io.read("l")
    if not line then return nil end
    text = text and text .. "\n" .. line or line
    local chunk, problem, more = compile(text)
    if chunk then return chunk end
    if not more then
      print(problem)
      text = nil
    end
  end
end

-- The first result stays in the global _.
local function print_results(ok, ...)
  if not ok then
    print(tostring((...)))
  elseif select("#", ...) > 0 then
    _G._ = ...
    print(...)
  end
end

--- Reads from the standard input until its end. Globals basin and std are there, _ is the last
--- result; `before` (may be nil) runs first. Errors end a statement, not the session.
function M.run(before)
  local terminal = session.command.terminal("stdin")
  _G.basin = require "basin"
  local found, std = pcall(require, "basin.std")
  if found then _G.std = std end
  if terminal then
    print("basin " .. core.version .. ", basin.help(x) explains x, end of file quits")
  end
  if before then before() end
  while true do
    local chunk = read_chunk(terminal)
    if not chunk then break end
    print_results(xpcall(chunk, function(problem) return problem end))
  end
end

return M
