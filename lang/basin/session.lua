-- What the command (or a host program) says to scripts: settings, options, how simulate behaves.
-- Defaults when there is neither.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"

local M = {}

--- "run": simulate steps; "declare": it only records what it was asked.
M.mode = "run"
--- Values of --set key=value, typed.
M.settings = {}
--- The module basin.command when the `basin` command runs the script, else nil.
M.command = nil

--- What the command line says about the context: device, threads, log.
M.context_options = {}
--- What basin.configure says about it.
M.script_options = {}

local options = {} -- device, precision, out
local scenes = {}
local used = {} -- settings that a script asked for
local texts = {} -- of settings, as the command line has them

--- Sets an option of the command line.
function M.set_option(name, value)
  options[name] = value
end

function M.option(name)
  return options[name]
end

--- Every scene made so far, in order.
function M.scenes()
  return scenes
end

function M.enter_scene(scene)
  if M.mode == "declare" or M.command then scenes[#scenes + 1] = scene end
  if M.command then M.command.watch(scene._context) end
end

--- "3" and "0.5" become numbers, "true" and "false" booleans, everything else stays text.
function M.typed(text)
  if text == "true" then return true end
  if text == "false" then return false end
  return tonumber(text) or text
end

--- Notes KEY=VALUE of the command line.
function M.set(key, text)
  M.settings[key], texts[key] = M.typed(text), text
end

--- The setting of that name, or a default; its type must be the default's. A default that is text
--- takes the text as it was given.
function M.setting(key, default)
  used[key] = true
  local value = M.settings[key]
  if value == nil then return default end
  if type(default) == "string" and texts[key] then return texts[key] end
  if default ~= nil and type(default) ~= type(value) then
    errors.fail("ARGUMENT", "--set %s=%s: a %s is needed, got a %s", key, tostring(value),
      type(default), type(value))
  end
  return value
end

--- Settings given on the command line that no script asked for.
function M.unused_settings()
  local unused = {}
  for key in pairs(M.settings) do
    if not used[key] then unused[#unused + 1] = key end
  end
  table.sort(unused)
  return unused
end

--- basin.settings: reading a key counts as asking for it.
M.settings_view = setmetatable({}, {
  __index = function(_, key)
    used[key] = true
    return M.settings[key]
  end,
  __newindex = function(_, key) errors.fail("STATE",
    "settings are read only (key '%s'); they come from --set", tostring(key)) end,
})

local folders = {}

--- The folder a script's output goes to: the one it names, or what --out says.
function M.output_folder(folder)
  local out = options.out
  if not out then return folder end
  if folders[folder] then return folders[folder] end
  local result = next(folders) == nil and out or out .. "/" .. (folder:match("([^/]+)/*$") or "out")
  folders[folder] = result
  return result
end

--- The file a script's checkpoint or log goes to: the one it names, or that name in the folder of
--- --out.
function M.output_file(file)
  if not options.out or file:sub(1, 1) == "/" then return file end
  return options.out .. "/" .. file:match("[^/]+$")
end

return M
