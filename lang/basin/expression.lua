-- Expressions: operators, methods and literals over the graph of a scene.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

--- The class of all expressions. Fields: rows, cols; private: _scene (nil for literals), _ref (node
--- number in the scene's graph), _tree (literals: how to build it in a scene).
local Expression = { __name = "basin.expression" }
local methods = {}
M.methods = methods
M.Expression = Expression

local TEXT_LIMIT <const> = 120

-- Classes that behave as expressions (attributes are one more).
local classes = { [Expression] = true }

function M.is(value)
  return classes[getmetatable(value)] == true
end

-- ---- literals: kept as trees, built in a graph of their own for their shapes, and again in each
-- scene that uses them ----

local literal_system

local function get_literal_system()
  literal_system = literal_system or core.system(core.context(), "cpu:interp", "double")
  return literal_system
end

local function new(scene, ref, rows, cols, tree)
  return setmetatable({ _scene = scene, _ref = ref, rows = rows, cols = cols, _tree = tree },
    Expression)
end
M.new = new

local function literal(value)
  local ref, rows, cols = get_literal_system():constant(value)
  return new(nil, ref, rows, cols, { number = value })
end

-- The node of a literal in a scene's graph.
local function literal_ref(expression, scene)
  local known = rawget(expression, "_refs")
  if not known then
    known = setmetatable({}, { __mode = "k" })
    rawset(expression, "_refs", known)
  end
  local ref = known[scene]
  if ref then return ref end
  local tree = rawget(expression, "_tree")
  if tree.number then
    ref = scene._system:constant(tree.number)
  else
    local arguments = {}
    for i, argument in ipairs(tree.arguments) do arguments[i] = literal_ref(argument, scene) end
    ref = scene._system:apply(tree.op, arguments, tree.integers)
  end
  known[scene] = ref
  return ref
end

--- The node number of an expression in a scene.
function M.ref(expression, scene)
  local own = rawget(expression, "_scene")
  if own == scene then return rawget(expression, "_ref") end
  if own == nil then return literal_ref(expression, scene) end
  errors.fail("OWNER", "the expression belongs to scene '%s', not to scene '%s'", own.name,
    scene.name)
end

-- ---- building ----

local function refuse(value, op)
  local hint
  if type(value) == "boolean" then
    hint = "comparisons of expressions are written a:lt(b), a:le(b), a:eq(b); "
      .. "choose with basin.where(condition, a, b)"
  elseif type(value) == "table" and not getmetatable(value) then
    hint = "write basin.vector { … } or basin.matrix { { … }, { … } }"
  elseif options.type_name(value) == "basin.array" then
    hint = "arrays are numbers of all instances; "
      .. "put them into scene data with add_constant(name, { value = array })"
  end
  errors.fail { code = "ARGUMENT", hint = hint,
    message = ("%s: a %s is no expression"):format(op, options.type_name(value)) }
end

--- Turns numbers into literals; refuses everything that is no expression.
local function to_expression(value, op)
  if type(value) == "number" then return literal(value) end
  if M.is(value) then return value end
  refuse(value, op)
end
M.to_expression = to_expression

local function scene_of(arguments)
  local scene
  for _, argument in ipairs(arguments) do
    local own = rawget(argument, "_scene")
    if own and scene and own ~= scene then
      errors.fail_hint("OWNER", "copy values: add_constant(name, { value = attribute:value() })",
        "operands belong to two scenes, '%s' and '%s'", scene.name, own.name)
    end
    scene = scene or own
  end
  return scene
end

--- Builds an operator of the table ops.def over expressions or numbers; integers are its static
--- parameters.
local function apply(op, arguments, integers)
  local operands = {}
  for i, argument in ipairs(arguments) do operands[i] = to_expression(argument, op) end
  local scene = scene_of(operands)
  local refs = {}
  if scene then
    for i, operand in ipairs(operands) do refs[i] = M.ref(operand, scene) end
    return new(scene, scene._system:apply(op, refs, integers))
  end
  for i, operand in ipairs(operands) do refs[i] = rawget(operand, "_ref") end
  local ref, rows, cols = get_literal_system():apply(op, refs, integers)
  return new(nil, ref, rows, cols, { op = op, arguments = operands, integers = integers })
end
M.apply = apply

-- ---- operators of Lua ----

local function binary(op)
  return function(a, b) return apply(op, { a, b }) end
end

local function refuse_operator(message, hint)
  return function() errors.fail { code = "UNSUPPORTED", message = message, hint = hint } end
end

-- Sums of vectors: a row and a column of equal length fit, as in dot and norm; the result lies as
-- the left one does.
local function sum(op)
  return function(a, b)
    if M.is(a) and M.is(b) and a.rows == b.cols and a.cols == b.rows and a.rows ~= b.rows
      and (a.rows == 1 or a.cols == 1) then
      b = apply("transpose", { b })
    end
    return apply(op, { a, b })
  end
end

local comparison = "expressions cannot be compared with %s: Lua would make it true or false at once"
local metamethods = {
  __add = sum "add",
  __sub = sum "sub",
  __mul = binary "mul",
  __div = binary "div",
  __pow = binary "pow",
  __unm = function(a) return apply("neg", { a }) end,
  __lt = refuse_operator(comparison:format "< or >",
    "write a:lt(b) or a:gt(b) and choose with basin.where(condition, a, b)"),
  __le = refuse_operator(comparison:format "<= or >=",
    "write a:le(b) or a:ge(b) and choose with basin.where(condition, a, b)"),
  __idiv = refuse_operator("// is not defined for expressions", "write a / b"),
  __mod = refuse_operator("% is not defined for expressions"),
  __concat = refuse_operator(".. is not defined for expressions",
    "write basin.concat_rows { a, b } or tostring(a)"),
  __band = refuse_operator("& is not defined for expressions", "write a:logical_and(b)"),
  __bor = refuse_operator("| is not defined for expressions", "write a:logical_or(b)"),
  __len = function(a) return a.rows * a.cols end,
}

function metamethods.__index(self, key)
  local method = methods[key]
  if method ~= nil then return method end
  if math.type(key) == "integer" then
    if self.rows > 1 and self.cols > 1 then return methods.row(self, key) end
    return methods.at(self, key)
  end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field(getmetatable(self) == Expression and "expression" or "attribute", key,
      methods, { rows = true, cols = true })
  end
  return nil
end

function metamethods.__tostring(self)
  local owner = self:owner()
  return ("%dx%d expression%s: %s"):format(self.rows, self.cols, owner and " of "
    .. owner:full_name() or "", self:text())
end

function metamethods.__newindex(_, key)
  errors.fail("STATE", "an expression cannot be changed (field '%s')", tostring(key))
end

--- Gives a metatable the behaviour of expressions.
function M.install(class)
  classes[class] = true
  for name, method in pairs(metamethods) do
    if rawget(class, name) == nil then class[name] = method end
  end
end
M.install(Expression)

-- ---- methods: one for each row of the operator table, then those with indices ----

local reserved = { ["and"] = "logical_and", ["or"] = "logical_or", ["not"] = "logical_not" }

M.functions = {} -- the same as module functions: basin.atan2(y, x)

local function register(info)
  local name = reserved[info.name] or info.name
  local op, count, integer_count = info.name, info.arguments, info.integers
  local function call(...)
    local given = select("#", ...)
    if given ~= count + integer_count then
      errors.fail("ARGUMENT", "%s: needs %d operand%s, got %d", name, count + integer_count,
        count + integer_count == 1 and "" or "s", given)
    end
    local values = { ... }
    local integers = table.move(values, count + 1, given, 1, {})
    for i, value in ipairs(integers) do
      if math.type(value) ~= "integer" then
        errors.fail("ARGUMENT", "%s: number %d must be whole, got %s", name, i, tostring(value))
      end
    end
    return apply(op, table.move(values, 1, count, 1, {}), integers)
  end
  methods[name] = call
  M.functions[name] = call
end

for _, info in ipairs(core.operators()) do
  if info.arguments > 0 and info.name:sub(1, 1) ~= "." then register(info) end
end

local function check_index(op, value)
  local index = type(value) == "number" and math.tointeger(value)
  if not index then
    errors.fail("ARGUMENT", "%s: an index is a whole number from 1, got %s", op, tostring(value))
  end
  if index < 1 then
    errors.fail_hint("RANGE", "rows, columns and entries of expressions count from 1",
      "%s: index %d", op, index)
  end
  return index
end

--- Row i, counted from 1, as a 1 x cols matrix.
function methods.row(self, i)
  return apply("row", { self }, { check_index("row", i) - 1 })
end

--- Column j, counted from 1, as a rows x 1 matrix.
function methods.col(self, j)
  return apply("col", { self }, { check_index("col", j) - 1 })
end

--- Entry i of a vector, or entry (i, j) of a matrix, counted from 1.
function methods.at(self, i, j)
  if j == nil then return apply("entry", { self }, { check_index("at", i) - 1 }) end
  return apply("at", { self }, { check_index("at", i) - 1, check_index("at", j) - 1 })
end
methods.entry = methods.at

--- The transpose.
function methods.T(self)
  return apply("transpose", { self })
end

--- The same entries, row after row, in another shape.
function methods.reshape(self, rows, cols)
  return apply("reshape", { self },
    { check_index("reshape", rows), check_index("reshape", cols or 1) })
end

--- a where the expression is true, else b.
function methods.where(self, a, b)
  return apply("where", { self, a, b })
end

for _, name in ipairs { "row", "col", "at", "entry", "reshape", "where" } do
  M.functions[name] = methods[name]
end

--- What the expression lives on: a scene, mesh, primitive or union; nil for literals.
function methods.owner(self)
  local scene = rawget(self, "_scene")
  if not scene then return nil end
  local id = scene._system:owner(rawget(self, "_ref"))
  return id and scene._spaces[id] or nil
end

--- The expression as one line.
function methods.text(self, limit)
  local scene = rawget(self, "_scene")
  local system = scene and scene._system or get_literal_system()
  return system:text(rawget(self, "_ref"), limit or TEXT_LIMIT)
end

--- The number of a literal scalar, else nil.
function methods.number(self)
  local scene = rawget(self, "_scene")
  local system = scene and scene._system or get_literal_system()
  return system:literal(rawget(self, "_ref"))
end

--- The values of all instances, as an array. Kept up to date: computed again only when something it
--- reads has changed.
function methods.compute(self)
  local scene = rawget(self, "_scene")
  if not scene then errors.fail("STATE", "a literal has no instances to compute") end
  return scene:_compute(self)
end

--- The singular value decomposition U diag(S) V^T of a 2x2 or 3x3 matrix.
function methods.svd(self)
  return apply("svd_u", { self }), apply("svd_s", { self }), apply("svd_v", { self })
end

--- Eigenvalues (ascending) and eigenvectors (columns) of a symmetric 2x2 or 3x3 matrix.
function methods.eig(self)
  return apply("eig_values", { self }), apply("eig_vectors", { self })
end

for _, name in ipairs { "svd", "eig" } do
  M.functions[name] = function(a) return methods[name](to_expression(a, name)) end
end

return M
