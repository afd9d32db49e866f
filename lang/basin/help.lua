-- basin.help: what a value is and what can be done with it.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

-- Method tables of the classes written in Lua.
local function methods_of(value)
  local name = options.type_name(value)
  local classes = {
    ["basin.expression"] = require("basin.expression").methods,
    ["basin.attribute"] = require("basin.attribute").methods,
    ["basin.scene"] = require("basin.scene").methods,
    ["basin.scene_mesh"] = require("basin.scene").mesh_methods,
    ["basin.primitive"] = require("basin.primitive").primitive_methods,
    ["basin.union"] = require("basin.primitive").union_methods,
    ["basin.connectivity"] = require("basin.primitive").connectivity_methods,
    ["basin.energy"] = require("basin.energy").methods,
    ["basin.minimizer"] = require("basin.minimizer").methods,
  }
  if classes[name] then return classes[name], {} end
  if type(value) == "userdata" then return core.methods(name) end
  if type(value) == "table" then return value, {} end
  return {}, {}
end

--- Names of the fields and of the functions of a value, both sorted.
function M.names(value)
  local methods, getters = methods_of(value)
  local set = {}
  for key in pairs(methods) do
    if type(key) == "string" then set[key] = true end
  end
  local inherited = getmetatable(methods) and type(getmetatable(methods).__index) == "table"
    and getmetatable(methods).__index or {}
  for key in pairs(inherited) do set[key] = true end
  return errors.sorted_keys(getters or {}), errors.sorted_keys(set)
end

--- A text about the value: itself, its fields, its methods, and for operators what they do.
function M.text(value)
  if value == nil then value = require "basin" end
  local lines = { options.type_name(value) .. ": " .. tostring(value) }
  local fields, names = M.names(value)
  if #fields > 0 then lines[#lines + 1] = "fields: " .. table.concat(fields, ", ") end
  if #names > 0 then lines[#lines + 1] = "functions: " .. table.concat(names, ", ") end
  return table.concat(lines, "\n")
end

--- The operators with their one-line descriptions.
function M.operators()
  local lines = {}
  for _, info in ipairs(core.operators()) do
    if info.name:sub(1, 1) ~= "." then
      lines[#lines + 1] = ("%-14s %s"):format(info.name, info.doc)
    end
  end
  return table.concat(lines, "\n")
end

return M
