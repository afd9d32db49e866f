-- require "basin": scenes, expressions, meshes, arrays and matrices, minimizers, simulation.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"

local array = require "basin.array"
local body = require "basin.body"
local check = require "basin.check"
local checkpoint = require "basin.checkpoint"
local config = require "basin.config"
local constraint = require "basin.constraint"
local contact = require "basin.contact"
local dense = require "basin.dense"
local derivative = require "basin.derivative"
local device = require "basin.device"
local expression = require "basin.expression"
local filter = require "basin.filter"
local literal = require "basin.literal"
local mesh = require "basin.mesh"
local minimize = require "basin.minimize"
local newton = require "basin.newton"
local options = require "basin.options"
local output = require "basin.output"
local primitive = require "basin.primitive"
local quasi_newton = require "basin.quasi_newton"
local scene = require "basin.scene"
local session = require "basin.session"
local simulation = require "basin.simulation"
local sparse = require "basin.sparse"
require "basin.explain"

local M = {}

-- Operators as functions: basin.atan2(y, x), basin.where(condition, a, b), basin.min(a, b), …
for name, call in pairs(expression.functions) do M[name] = call end
for name, call in pairs(literal) do M[name] = call end

--- The version of the library that is loaded.
M.version = core.version

M.array, M.mesh, M.filter, M.contact = array, mesh, filter, contact
M.sparse, M.dense = sparse, dense
M.scene = scene.new
M.output = output.new
M.adjacency = primitive.adjacency
M.quasi_newton = quasi_newton
M.jacobian = derivative.jacobian
M.minimize = minimize.minimize
M.check, M.newton, M.simulate = check.check, newton.newton, simulation.simulate
M.config = config.config
M.settings, M.setting = session.settings_view, session.setting

--- Whether a value is an expression (attributes are).
M.is_expression = expression.is

--- Options of the context that meshes, matrices and scenes share; only before its first use:
--- {threads=, device=, log=, cache_folder=}.
function M.configure(given)
  local checked = options.check("basin.configure", given, { threads = "integer",
    device = device.words, cache_folder = "string",
    log = { "error", "warn", "info", "debug", "trace" } })
  local merged = {}
  for key, value in pairs(session.context_options) do merged[key] = value end
  for key, value in pairs(checked) do merged[key] = value end
  core.configure(merged)
  session.script_options = checked
end

--- pairs() in the order of the keys: numbers, then texts.
function M.sorted(list)
  if type(list) ~= "table" then
    errors.fail("ARGUMENT", "basin.sorted: a table is needed, got a %s", type(list))
  end
  local keys = {}
  for key in pairs(list) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  local i = 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], list[keys[i]] end
  end
end

scene.methods.add_body = body.add_body
scene.methods.add_step_hook = body.add_step_hook
scene.methods.add_constraint = constraint.add
scene.methods.constraints = constraint.list
scene.methods.motion = body.motion
scene.methods.bodies = body.bodies
scene.methods.save = checkpoint.save
scene.methods.restore = checkpoint.restore

--- A description of a value: its type, fields and methods.
function M.help(value)
  return require("basin.help").text(value)
end

return setmetatable(M, {
  __index = function(_, key)
    if key == "std" then return nil end
    errors.unknown_field("module basin", key, M)
  end,
})
