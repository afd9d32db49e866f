-- Random expressions as trees {op =, rows =, cols =, space =, arguments …}: of every operator of
-- the table, well-typed. `smooth` ones keep away from singular points; the others walk into them.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

local function node(op, rows, cols, arguments, extra)
  local self = { op = op, rows = rows, cols = cols }
  for i, argument in ipairs(arguments) do
    self[i] = argument
    self.space = self.space or argument.space
  end
  for key, value in pairs(extra or {}) do self[key] = value end
  return self
end
M.node = node

local function number(value)
  return node("number", 1, 1, {}, { value = value })
end
M.number = number

-- ---- leaves ----

local function literal(g, rows, cols)
  if rows * cols == 1 then return number(g:value()) end
  if rows == cols and g.random:one_in(4) then return node("identity", rows, rows, {}) end
  local values = {}
  for i = 1, rows * cols do values[i] = g:value() end
  return node("literal", rows, cols, {}, { values = values })
end

-- An entry or all of an array of the space, or of the mesh or scene that it belongs to.
local function array_leaf(g, space, rows, cols)
  local fitting, others = {}, {}
  for i, array in ipairs(g.scene.arrays) do
    local shared = array.space == 0 or array.space == -g.scene.spaces[space].mesh
    if array.space == space or shared then
      local list = array.rows == rows and array.cols == cols and fitting or others
      -- Shared arrays couple all instances: now and then.
      if not shared or g.random:one_in(4) then list[#list + 1] = i end
    end
  end
  local index = (#fitting > 0 and g.random:pick(fitting))
    or (#others > 0 and g.random:pick(others))
  if not index then return literal(g, rows, cols) end
  local array = g.scene.arrays[index]
  local whole = node("array", array.rows, array.cols, {},
    { array = index, space = array.space > 0 and array.space or nil })
  if array.rows == rows and array.cols == cols then return whole end
  local entries = {}
  for i = 1, rows * cols do
    entries[i] = node("entry", 1, 1, { whole },
      { index = g.random:integer(1, array.rows * array.cols) })
  end
  if rows * cols == 1 then return entries[1] end
  return node("matrix", rows, cols, entries)
end

-- What other spaces have, through a connectivity of this one: gathered, summed or averaged.
local function through(g, space, rows, cols, depth)
  local list = {}
  for i, connectivity in ipairs(g.scene.connectivities) do
    if connectivity.from == space then list[#list + 1] = i end
  end
  if #list == 0 or g.joins >= 4 then return nil end
  local index = g.random:pick(list)
  local connectivity = g.scene.connectivities[index]
  g.joins = g.joins + 1
  local source = M.make(g, connectivity.to, rows, cols, math.min(depth - 1, 1))
  g.joins = g.joins - 1
  local extra = { connectivity = index, space = space }
  if connectivity.arity == 0 or g.random:one_in(3) then
    if source.space ~= connectivity.to then return nil end
    return node(g.random:one_in(2) and "reduce_sum" or "reduce_mean", rows, cols, { source }, extra)
  end
  local gathered = node("gather", connectivity.arity, rows * cols, { source }, extra)
  if connectivity.arity == 1 then
    gathered.rows, gathered.cols = rows, cols
    return gathered
  end
  local function row()
    local part = node("row", 1, rows * cols, { gathered },
      { index = g.random:integer(1, connectivity.arity) })
    return node("reshape", rows, cols, { part })
  end
  if g.random:one_in(2) then return row() end
  return node("sub", rows, cols, { row(), row() })
end

-- ---- operators ----

local maps <const> = { "neg", "abs", "sign", "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos",
  "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "stop", "logical_not", "normalized" }
local pairs_of <const> = { "add", "sub", "hadamard", "element_div", "atan2", "pow", "xlogy", "min",
  "max", "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or" }
local truths <const> = { "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or" }

-- What keeps an operand within the domain of an operator, away from its singular points.
local function positive(a)
  return node("add", a.rows, a.cols, { node("hadamard", a.rows, a.cols, { a, a }), number(0.5) })
end
local function small(a)
  return node("mul", a.rows, a.cols, { number(0.6), node("sin", a.rows, a.cols, { a }) })
end
local tame <const> = { sqrt = positive, log = positive, log1p = positive, exp = small,
  expm1 = small, sinh = small, cosh = small, tan = small, asin = small, acos = small,
  element_div = positive, div = positive, atan2 = positive, xlogy = positive }

local rules = {}

function rules.map(g, space, rows, cols, depth)
  local op = g.random:pick(maps)
  if op == "normalized" and rows > 1 and cols > 1 then op = "sin" end
  local a = M.make(g, space, rows, cols, depth - 1)
  if g.smooth and tame[op] then a = tame[op](a) end
  return node(op, rows, cols, { a })
end

function rules.pair(g, space, rows, cols, depth)
  local op = g.random:pick(pairs_of)
  local a = M.make(g, space, rows, cols, depth - 1)
  if op == "pow" then
    if g.smooth then a = positive(a) end
    local b = g.random:one_in(2) and number(g.random:pick { 0, 0.5, 1, 1.5, 2, 3, -1, -2, 2.7 })
      or M.make(g, space, 1, 1, depth - 1)
    if g.smooth and b.op ~= "number" then b = small(b) end
    return node(op, rows, cols, { a, b })
  end
  local b = g.random:one_in(3) and M.make(g, space, 1, 1, depth - 1)
    or M.make(g, space, rows, cols, depth - 1)
  if g.smooth and tame[op] then b = tame[op](b) end
  return node(op, rows, cols, { a, b })
end

function rules.product(g, space, rows, cols, depth)
  local choice = g.random:integer(1, 3)
  if choice == 1 then
    local scale, a = M.make(g, space, 1, 1, depth - 1), M.make(g, space, rows, cols, depth - 1)
    if g.random:one_in(2) then return node("mul", rows, cols, { scale, a }) end
    return node("mul", rows, cols, { a, scale })
  elseif choice == 2 then
    local divisor = M.make(g, space, 1, 1, depth - 1)
    if g.smooth then divisor = positive(divisor) end
    return node("div", rows, cols, { M.make(g, space, rows, cols, depth - 1), divisor })
  end
  local inner = g.random:integer(1, 3)
  return node("matmul", rows, cols, { M.make(g, space, rows, inner, depth - 1),
    M.make(g, space, inner, cols, depth - 1) })
end

function rules.choice(g, space, rows, cols, depth)
  if g.random:one_in(4) then
    return node("clamp", rows, cols, { M.make(g, space, rows, cols, depth - 1), number(-0.75),
      number(1) })
  end
  local scalar = g.random:one_in(2)
  local r, c = scalar and 1 or rows, scalar and 1 or cols
  local condition = node(g.random:pick(truths), r, c, { M.make(g, space, r, c, depth - 1),
    M.make(g, space, r, c, depth - 1) })
  return node("where", rows, cols, { condition, M.make(g, space, rows, cols, depth - 1),
    M.make(g, space, rows, cols, depth - 1) })
end

function rules.custom(g, space, rows, cols, depth)
  local a = M.make(g, space, rows, cols, depth - 1)
  return a.space and node("custom_sin", rows, cols, { a }) or a
end

function rules.parts(g, space, rows, cols, depth)
  local choice = g.random:integer(1, 5)
  if choice == 1 then
    return node("transpose", rows, cols, { M.make(g, space, cols, rows, depth - 1) })
  elseif choice == 2 then
    return node("reshape", rows, cols, { M.make(g, space, 1, rows * cols, depth - 1) })
  elseif choice == 3 and rows > 1 then
    return node("concat_rows", rows, cols, { M.make(g, space, 1, cols, depth - 1),
      M.make(g, space, rows - 1, cols, depth - 1) })
  elseif choice == 4 and cols > 1 then
    return node("concat_cols", rows, cols, { M.make(g, space, rows, cols - 1, depth - 1),
      M.make(g, space, rows, 1, depth - 1) })
  elseif rows == 1 then
    return node("row", rows, cols, { M.make(g, space, 2, cols, depth - 1) },
      { index = g.random:integer(1, 2) })
  elseif cols == 1 then
    return node("col", rows, cols, { M.make(g, space, rows, 2, depth - 1) },
      { index = g.random:integer(1, 2) })
  end
  return node("outer", rows, cols, { M.make(g, space, rows, 1, depth - 1),
    M.make(g, space, cols, 1, depth - 1) })
end

local function well_apart(a)
  local values = {}
  for i = 1, a.rows do
    for k = 1, a.rows do values[#values + 1] = i == k and 2 * i or 0 end
  end
  local apart = node("literal", a.rows, a.rows, {}, { values = values })
  return node("add", a.rows, a.rows, { small(a), apart })
end

function rules.square(g, space, rows, cols, depth)
  if rows ~= cols or rows < 2 then return nil end
  local op = g.random:pick { "inverse", "polar", "svd_u", "svd_v", "eig_vectors", "kron" }
  if op == "kron" then
    return node("kron", rows, cols, { M.make(g, space, rows, 1, depth - 1),
      M.make(g, space, 1, cols, depth - 1) })
  end
  if rows > 3 and op ~= "inverse" then return nil end
  local a = M.make(g, space, rows, cols, depth - 1)
  if g.smooth then a = well_apart(a) end
  return node(op, rows, cols, { a })
end

function rules.vector(g, space, rows, cols, depth)
  if cols ~= 1 or rows < 2 or rows > 3 then return nil end
  local op = g.random:pick { "svd_s", "eig_values", "cross", "normalized" }
  if op == "normalized" or op == "cross" and rows == 2 then
    return node("normalized", rows, 1, { M.make(g, space, rows, 1, depth - 1) })
  elseif op == "cross" then
    return node("cross", 3, 1, { M.make(g, space, 3, 1, depth - 1),
      M.make(g, space, 3, 1, depth - 1) })
  end
  local a = M.make(g, space, rows, rows, depth - 1)
  return node(op, rows, 1, { g.smooth and well_apart(a) or a })
end

function rules.fold(g, space, rows, cols, depth)
  if rows * cols ~= 1 then return nil end
  local op = g.random:pick { "dot", "cross", "norm", "squared_norm", "sum", "trace", "det", "entry",
    "all", "any", "at" }
  if op == "cross" then
    return node("cross", 1, 1, { M.make(g, space, 2, 1, depth - 1),
      M.make(g, space, 2, 1, depth - 1) })
  elseif op == "trace" or op == "det" then
    local n = g.random:integer(1, 4)
    return node(op, 1, 1, { M.make(g, space, n, n, depth - 1) })
  end
  local r, c = g.random:integer(1, 3), g.random:integer(1, 3)
  local a = M.make(g, space, r, c, depth - 1)
  if op == "dot" then return node(op, 1, 1, { a, M.make(g, space, r, c, depth - 1) }) end
  if op == "entry" then return node(op, 1, 1, { a }, { index = g.random:integer(1, r * c) }) end
  if op == "at" then
    return node(op, 1, 1, { a },
      { index = g.random:integer(1, r), column = g.random:integer(1, c) })
  end
  return node(op, 1, 1, { a })
end

local names <const> = { "map", "map", "pair", "pair", "product", "choice", "parts", "square",
  "vector", "fold", "fold", "fold", "custom" }

--- A random tree of a shape on a space. g: {scene =, random =, smooth =, joins =, value =
--- function}.
function M.make(g, space, rows, cols, depth)
  if depth <= 0 or g.random:one_in(8) then
    if g.random:one_in(6) then return literal(g, rows, cols) end
    if g.random:one_in(3) then
      local read = through(g, space, rows, cols, 1)
      if read then return read end
    end
    return array_leaf(g, space, rows, cols)
  end
  if g.random:one_in(7) then
    local read = through(g, space, rows, cols, depth)
    if read then return read end
  end
  return rules[g.random:pick(names)](g, space, rows, cols, depth)
    or rules.pair(g, space, rows, cols, depth)
end

--- The tree as a line that reads like a script.
function M.text(tree)
  if tree.op == "number" then return ("%.17g"):format(tree.value) end
  local parts = {}
  for i, argument in ipairs(tree) do parts[i] = M.text(argument) end
  for _, value in ipairs(tree.values or {}) do parts[#parts + 1] = ("%.17g"):format(value) end
  local mark = tree.array or tree.connectivity or ""
  if tree.index then parts[#parts + 1] = "#" .. tree.index end
  return ("%s%s[%dx%d](%s)"):format(tree.op, mark, tree.rows, tree.cols, table.concat(parts, ", "))
end

--- The number of its nodes.
function M.size(tree)
  local result = 1
  for _, argument in ipairs(tree) do result = result + M.size(argument) end
  return result
end

return M
