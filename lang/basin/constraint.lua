-- Constraints: expressions that are to be zero, one block of rows an instance of their primitive.
-- Steppers of stdlib/integrate keep them; energies know nothing of them.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local derivative = require "basin.derivative"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"
local switch = require "basin.switch"

local M = {}

local methods = {}
local Constraint = { __name = "basin.constraint" }

function Constraint.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("constraint", key, methods, { name = true, rows = true, enabled = true })
  end
  return nil
end

function Constraint.__tostring(self)
  return ("constraint %s on %s: %d rows an instance%s"):format(self.name, self._owner:full_name(),
    self.rows, self.enabled and "" or ", switched off")
end

--- Whether a value is a constraint.
function M.is(value)
  return getmetatable(value) == Constraint
end

methods.enable, methods.disable = switch.enable, switch.disable

--- The expression it was made from.
function methods.expression(self)
  return self._expression
end

--- Its values: a block of rows an instance, zero where it holds.
function methods.compute(self)
  return self._expression:compute()
end

--- Its Jacobian by a list of stored attributes, as basin.jacobian gives it.
function methods.jacobian(self, targets)
  return derivative.jacobian(self._expression, targets)
end

local function weight_of(self)
  if not self._weight then
    local rows, cols = self._expression.rows, self._expression.cols
    self._weight = self._owner:add_constant(self.name .. "_weight",
      { rows = rows, cols = cols, value = 0, parameter = true })
    self._weighted = self._weight:dot(self._expression)
  end
  return self._weight
end

--- The second derivative of weights . c by a list of stored attributes: with minus the multipliers,
--- the geometric stiffness of the constraint. Weights: one number a row, as `compute` gives them.
function methods.hessian(self, weights, targets)
  local shape = { rows = self._expression.rows, cols = self._expression.cols }
  local values = core.array(weights, shape.rows, shape.cols)
  if values.count ~= self._owner:instances() then
    errors.fail("LENGTH", "constraint '%s': hessian needs %d weights, got %d", self.name,
      self._owner:instances() * self.rows, values.count * values.size)
  end
  weight_of(self):update(values)
  return derivative.mixed_derivative(self._scene, self._weighted, targets, targets)
end

--- The compliance of every row, an array; nil where the constraint is rigid.
function methods.compliances(self)
  local given = self._compliance
  if not given then return nil end
  local count = self._owner:instances()
  local values = type(given) == "number" and core.array_filled(count, given)
    or core.array(given:value(), 1)
  if values.count ~= count then values = core.array_filled(count, values[1]) end
  if self.rows == 1 then return values end
  local spread = {}
  for _, value in ipairs(values:table()) do
    for _ = 1, self.rows do spread[#spread + 1] = value end
  end
  return core.array(spread)
end

-- A number from 0 (0 is rigid), or a constant of the same primitive, one number an instance.
local function check_compliance(name, owner, given)
  if given == nil or given == 0 then return nil end
  if type(given) == "number" and given > 0 and given < math.huge then return given end
  if attribute.is(given) and given:kind() == "constant" and given.rows * given.cols == 1
    and (given:owner() == owner or given:owner():instances() == 1) then return given end
  errors.fail_hint("ARGUMENT", "compliance = 1e-6, or rods:add_constant(\"compliance\", …)",
    "add_constraint '%s': 'compliance' must be a number from 0 or a constant of %s", name,
    owner:full_name())
end

local function name_of(scene, value, given)
  local list = scene._constraints
  local name = given or rawget(value, "_name") or "constraint_" .. #list + 1
  for _, known in ipairs(list) do
    if known.name == name then
      errors.fail_hint("NAME", "add_constraint(expression, { name = \"…\" })",
        "add_constraint: there is a constraint '%s' already", name)
    end
  end
  return name
end

--- Adds c(x) = 0 for every instance: an expression that depends on data. Options: name, compliance
--- (of soft ones, for steppers that know it: the inverse of a stiffness; 0, the default, is rigid).
function M.add(scene, value, given)
  local checked = options.check("add_constraint", given, { name = "string", compliance = "any" })
  value = expression.to_expression(value, "add_constraint")
  scene._constraints = rawget(scene, "_constraints") or {}
  local name = name_of(scene, value, checked.name)
  local owner = value:owner()
  if not owner or #scene:_data_of(expression.ref(value, scene)) == 0 then
    errors.fail { code = "ARGUMENT", expression = value:text(),
      message = ("add_constraint '%s': the expression depends on no data attribute"):format(name) }
  end
  local self = setmetatable({ name = name, rows = value.rows * value.cols, enabled = true,
    _scene = scene, _owner = owner, _expression = value, _weight = false,
    _compliance = check_compliance(name, owner, checked.compliance) or false }, Constraint)
  table.insert(scene._constraints, self)
  return self
end

--- The constraints of a scene, in the order they were added.
function M.list(scene)
  local list = rawget(scene, "_constraints") or {}
  return table.move(list, 1, #list, 1, {})
end

M.methods = methods

return M
