-- basin.config: the options in effect and where each of them came from.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local session = require "basin.session"

local M = {}

-- Variables by which ctest talks to test scripts; nothing of Basin reads them.
local test_variables <const> = { COMMAND = true, COMPILER = true, FOLDER = true, LIBRARIES = true,
  PAGE = true, SOURCE = true, TEST_MESHES = true, TEST_OUTPUT = true }

--- Variables that begin with BASIN_ and that Basin does not read: {{name, hint or nil}, …}, sorted.
function M.unknown_variables()
  local known, given = core.environment()
  local list, words = {}, errors.sorted_keys(known)
  for i, word in ipairs(words) do words[i] = "BASIN_" .. word end
  for _, name in ipairs(errors.sorted_keys(given)) do
    if not known[name] and not test_variables[name] then
      list[#list + 1] = { "BASIN_" .. name, errors.suggestion("BASIN_" .. name, words) }
    end
  end
  return list
end

local warned = false

--- Warns once of environment variables that look like Basin's and are not.
function M.warn_of_variables(context)
  if warned then return end
  warned = true
  for _, entry in ipairs(M.unknown_variables()) do
    context:log("warn", ("environment variable %s means nothing to Basin%s"):format(entry[1],
      entry[2] and "; " .. entry[2] or ""))
  end
end

-- Option, its environment variable without BASIN_, the command line's word.
local options <const> = {
  { "device", "DEVICE", "--device" },
  { "threads", "THREADS", "--threads" },
  { "precision", nil, "--precision" },
  { "log", "LOG", "--log" },
  { "cache_folder", "CACHE_DIR", nil },
  { "out", nil, "--out" },
}

local defaults <const> = { precision = "double" }

local function origin_of(name, variable, word)
  if session.script_options[name] ~= nil then return "basin.configure" end
  if word and (session.context_options[name] ~= nil or session.option(name) ~= nil) then
    return word
  end
  if variable and core.env(variable) then return "BASIN_" .. variable end
  return "default"
end

local Config = { __name = "basin.config" }

function Config:__tostring()
  local lines = {}
  for _, entry in ipairs(self.options) do
    lines[#lines + 1] = ("%-14s %-24s %s"):format(entry.name, tostring(entry.value), entry.from)
  end
  for _, entry in ipairs(self.settings) do
    lines[#lines + 1] = ("%-14s %-24s --set"):format("set " .. entry.name, tostring(entry.value))
  end
  for _, entry in ipairs(self.environment) do
    lines[#lines + 1] = ("%s=%s: %s"):format(entry.name, entry.value, entry.does)
  end
  return table.concat(lines, "\n")
end

--- The options in effect: {options = {{name=, value=, from=}, …}, settings = {{name=, value=}, …},
--- environment = {{name=, value=, does=}, …}}; tostring() gives a table. The context is in use
--- afterwards: basin.configure comes before.
function M.config()
  local context = core.context()
  local effective = context:options()
  local result = { options = {}, settings = {}, environment = {} }
  for i, option in ipairs(options) do
    local name = option[1]
    local value = effective[name] or session.option(name) or defaults[name]
    if name == "out" and value == nil then value = "as the script says" end
    result.options[i] = { name = name, value = value, from = origin_of(table.unpack(option, 1, 3)) }
  end
  for _, name in ipairs(errors.sorted_keys(session.settings)) do
    result.settings[#result.settings + 1] = { name = name, value = session.settings[name] }
  end
  local known, given = core.environment()
  for _, name in ipairs(errors.sorted_keys(given)) do
    if not test_variables[name] then
      result.environment[#result.environment + 1] = { name = "BASIN_" .. name, value = given[name],
        does = known[name] or "means nothing to Basin" }
    end
  end
  return setmetatable(result, Config)
end

return M
