-- Energies: scalar expressions added to a scene, with their projection, targets and switch.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local expression = require "basin.expression"
local map = require "basin.map"
local options = require "basin.options"
local switch = require "basin.switch"

local M = {}

local methods = {}
local Energy = { __name = "basin.energy" }

function Energy.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("energy", key, methods, { name = true, enabled = true, projection = true })
  end
  return nil
end

function Energy.__tostring(self)
  return ("energy %s on %s: projection %s%s"):format(self.name, self._owner:full_name(),
    self.projection, self.enabled and "" or ", switched off")
end

function M.is(value)
  return getmetatable(value) == Energy
end

methods.enable, methods.disable = switch.enable, switch.disable

--- Its values, one an instance.
function methods.compute(self)
  return self._scene:_compute(self._expression)
end

--- The expression it was made from.
function methods.expression(self)
  return self._expression
end

local function unique_name(scene, name)
  for _, known in ipairs(scene._energies) do
    if known.name == name then
      errors.fail_hint("NAME",
        "give the second one a name of its own: add_energy(expression, { name = \"…\" })",
        "add_energy: there is an energy '%s' already, added at %s", name, known._added)
    end
  end
  return name
end

local function check_expression(scene, value)
  if not expression.is(value) then
    errors.fail("ARGUMENT", "add_energy: an expression is needed, got a %s",
      options.type_name(value))
  end
  local ref = expression.ref(value, scene)
  if value.rows * value.cols ~= 1 then
    errors.fail { code = "SHAPE", expression = value:text(),
      hint = "reduce it, for example by a:dot(b), a:norm() or a:sum()",
      message = ("add_energy: an energy is a scalar, this expression is %dx%d"):format(value.rows,
        value.cols) }
  end
  if not value:owner() or #scene:_data_of(ref) == 0 then
    errors.fail { code = "ARGUMENT", expression = value:text(),
      hint = "energies read data attributes (add_attribute); constants have derivative zero",
      message = "add_energy: the expression depends on no data attribute" }
  end
  return ref
end

--- Adds an energy to a scene.
function M.add(scene, value, given)
  local checked = options.check("add_energy", given,
    { projection = { "none", "clamp", "abs", "adaptive" }, targets = "table",
    name = "string", dynamic = "boolean", project = { "inner", "unknowns" } })
  local ref = check_expression(scene, value)
  local own = value:owner()
  local name = checked.name or (rawget(value, "_name") and value:full_name())
    or own:_child_name("energy_" .. #scene._energies + 1)
  unique_name(scene, name)
  local targets
  if checked.targets then
    targets = {}
    local minimizer = require "basin.minimizer"
    for i, attribute in ipairs(minimizer.check_targets(scene, checked.targets,
      "add_energy: targets")) do
      targets[i] = rawget(attribute, "_array")
    end
  end
  local script, line = core.origin()
  local dynamic = checked.dynamic
  if dynamic == nil then dynamic = rawget(own, "_dynamic") or false end
  local energy = setmetatable({ name = name, enabled = true, projection = checked.projection
    or "abs", _scene = scene,
    _expression = value, _ref = ref, _owner = own, _targets = targets, _dynamic = dynamic,
    _project_unknowns = checked.project == "unknowns", _plans = {}, _script = script, _line = line
      or 0,
    _added = script and (script .. ":" .. line) or "?" }, Energy)
  scene._energies[#scene._energies + 1] = energy
  scene._main = nil
  return energy
end

--- The energy of that name, or whose name ends with it.
function M.find(scene, name)
  if M.is(name) then return name end
  local found, names = nil, {}
  for i, energy in ipairs(scene._energies) do
    names[i] = energy.name
    if energy.name == name then return energy end
    if type(name) == "string" and energy.name:sub(-#name - 1) == "." .. name then
      if found then
        errors.fail("NAME", "several energies are called '%s': '%s' and '%s'; give the full name",
          name, found.name, energy.name)
      end
      found = energy
    end
  end
  if found then return found end
  local short = {}
  for i, full in ipairs(names) do short[i] = full:match("[^.]+$") end
  table.move(names, 1, #names, #short + 1, short)
  errors.fail_hint("NAME", errors.suggestion(tostring(name), short),
    "no energy '%s'; there are %s", tostring(name), #names > 0 and table.concat(names, ", ")
    or "none")
end

--- The expression of an energy, a name, or an expression itself.
function M.expression_of(scene, term)
  if expression.is(term) then return term end
  return M.find(scene, term)._expression
end

-- ---- plans ----

--- Sorts the differentiable arrays of the energy for a set of targets: those with rows, those to be
--- held constant.
local function split_arrays(energy, targets)
  local scene = energy._scene
  local effective = targets
  if energy._targets then
    effective = {}
    for _, id in ipairs(energy._targets) do effective[id] = targets[id] end
  end
  local outputs, constants = {}, {}
  for _, id in ipairs(scene:_data_of(energy._ref)) do
    if map.depends(scene, id, effective) then
      outputs[#outputs + 1] = id
    elseif energy._targets then
      constants[#constants + 1] = id
    end
  end
  return outputs, constants
end

--- Calls visit(id) for all arrays on the way from the energy to the targets (a set of array ids).
function M.each_array(energy, targets, visit)
  for _, id in ipairs((split_arrays(energy, targets))) do
    map.each_below(energy._scene, id, targets, visit)
  end
end

--- Whether the energy depends on any of the targets (a set of array ids).
function M.depends(energy, targets)
  return #(split_arrays(energy, targets)) > 0
end

--- The plan of an energy for a set of targets and a block size; made once.
function M.plan(energy, targets, block)
  local scene = energy._scene
  local outputs, constants = split_arrays(energy, targets)
  local key = table.concat(outputs, ",") .. "|" .. table.concat(constants, ",") .. "|" .. block
  local plan = energy._plans[key]
  if plan then return plan end
  for _, id in ipairs(outputs) do map.ensure(scene, id, block) end
  -- A plan that fails may have declared the array already: its id is not used again.
  local reserved = rawget(scene, "_spare_array") or scene._system:reserve()
  scene._spare_array = nil
  plan = scene._system:plan_energy(energy._ref, energy.name, outputs, constants, block,
    energy._project_unknowns, reserved)
  local info = plan:info()
  if info.hoisted_size > 0 then
    scene._system:add_computed(energy.name .. ".hoisted", info.space, info.hoisted_size, 1, plan,
      reserved)
  else
    scene._spare_array = reserved
  end
  energy._plans[key] = plan
  return plan
end

M.methods = methods

return M
