-- basin repl: reads a statement or an expression of one or more lines, prints what it evaluates to.
-- SPDX-License-Identifier: Apache-2.0
local complete = require "basin.complete"
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

-- Where lines of former sessions are kept; "" for nowhere.
local function history_file()
  local own = core.env "HISTORY"
  if own then return own end
  local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
  local folder = state and state:match("^/") and state
    or home and home:match("^/") and home .. "/.local/state"
  return folder and folder .. "/basin/history" or ""
end

-- A function(prompt) that reads a line: the line; nil at the end; nil and "interrupted".
local function reader(terminal)
  if not terminal then return function() return io.read("l") end end
  local history = history_file()
  local folder = history:match("^(.+)/[^/]*$")
  if folder and not pcall(core.context().make_folders, core.context(), folder) then history = "" end
  local editor, problem = session.command.line_editor(history, complete.words)
  if editor then return function(prompt) return editor:read(prompt) end end
  core.context():log("info", "lines cannot be edited: " .. problem)
  return function(prompt)
    io.write(prompt)
    io.flush()
    return io.read("l")
  end
end

local function read_chunk(read_line)
  local text
  while true do
    local line, reason = read_line(text and ">> " or "> ")
    if line then
      text = text and text .. "\n" .. line or line
      local chunk, problem, more = compile(text)
      if chunk then return chunk end
      if not more then
        print(problem)
        text = nil
      end
    elseif reason == "interrupted" then
      text = nil
    else
      return nil
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
  local read_line = reader(terminal)
  while true do
    local chunk = read_chunk(read_line)
    if not chunk then break end
    print_results(xpcall(chunk, function(problem) return problem end))
  end
end

return M
