-- Scripts, and the names of files that they read: relative ones are looked up in the working
-- directory, then beside the scripts that are running.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"

local M = {}

local SCRIPT_LIMIT <const> = 20
local NO_ENTRY <const> = 2 -- ENOENT

-- Folders of the running scripts, innermost first.
local function script_folders()
  local folders, known = {}, {}
  for _, origin in ipairs(core.origins(SCRIPT_LIMIT)) do
    local folder = origin:match("^(.*/)[^/]*$") or ""
    if not known[folder] then folders[#folders + 1] = folder end
    known[folder] = true
  end
  return folders
end

-- Whether there is a file of that name, readable or not.
local function exists(path)
  local file, _, code = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil or code ~= NO_ENTRY
end

--- The path by which a file to read is opened; raises if there is none of that name.
function M.find(path)
  if exists(path) then return path end
  local relative = path:sub(1, 1) ~= "/"
  for _, folder in ipairs(relative and script_folders() or {}) do
    if exists(folder .. path) then return folder .. path end
  end
  errors.fail { code = "IO", message = ("cannot open '%s': No such file or directory"):format(path),
    hint = relative and "it is neither in the working directory nor beside the script"
      or nil }
end

--- The compiled script of that name; raises with its line if it is not Lua.
function M.load_script(path)
  local file, problem = io.open(path, "r")
  if not file then errors.fail { code = "IO", message = "cannot read the script: " .. problem } end
  file:close()
  local chunk, syntax = loadfile(path)
  if chunk then return chunk end
  local line, message = syntax:match(":(%d+): (.*)$")
  errors.fail { code = "FORMAT", script = line and path, line = math.tointeger(tonumber(line)),
    message = message or syntax }
end

return M
