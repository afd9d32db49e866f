-- Jacobians and mixed second derivatives as sparse matrices. Kernels give the derivatives by the
-- arrays an expression reads, the chain rule leads on through unions, reductions, computed arrays.
-- SPDX-License-Identifier: Apache-2.0
local attribute_class = require "basin.attribute"
local core = require "basin.core"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"

local M = {}

-- ---- what derivatives are taken by ----

--- Stored attributes in a list: {offsets = array id to its first column, total = columns, ids}.
local function read_list(scene, list, where)
  if attribute_class.is(list) then list = { list } end
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    errors.fail("ARGUMENT", "%s: a list of attributes is needed, got a %s", where,
      options.type_name(list))
  end
  local result = { scene = scene, offsets = {}, total = 0, reaches = {}, chains = {} }
  for i, item in ipairs(list) do
    if not attribute_class.is(item) then
      errors.fail("ARGUMENT", "%s: entry %d is a %s, not an attribute", where, i,
        options.type_name(item))
    end
    if not item:is_stored() then
      errors.fail_hint("ARGUMENT", "name the stored attributes that it is computed from",
        "%s: '%s' is computed (%s)", where, item:full_name(), item:kind())
    end
    if item._scene ~= scene then
      errors.fail("OWNER", "%s: '%s' belongs to another scene", where, item:full_name())
    end
    local id = rawget(item, "_array")
    if result.offsets[id] then
      errors.fail("NAME", "%s: '%s' is named twice", where, item:full_name())
    end
    result.offsets[id] = result.total
    result.total = result.total + item:owner():instances() * item.rows * item.cols
  end
  return result
end

-- Whether an array is one of the list or is made from one, constants included.
local function reaches(list, id)
  local known = list.reaches[id]
  if known ~= nil then return known end
  local scene, result = list.scene, list.offsets[id] ~= nil
  local record = scene._arrays[id] or {}
  for _, member in ipairs(record.members or {}) do result = result or reaches(list, member) end
  for _, read in ipairs(record.expression and scene._system:arrays(record.expression) or {}) do
    result = result or reaches(list, read)
  end
  list.reaches[id] = result
  return result
end

local function reads(list, ref)
  local result = {}
  for _, id in ipairs(list.scene._system:arrays(ref)) do
    if reaches(list, id) then result[#result + 1] = id end
  end
  return result
end

-- ---- kernels ----

local function arities(scene)
  local result = {}
  for id, connectivity in pairs(scene._connectivities) do result[id] = connectivity._arity end
  return result
end

local function plan_of(scene, key, make)
  local plans = rawget(scene, "_derivative_plans") or {}
  scene._derivative_plans = plans
  plans[key] = plans[key] or make(scene._system)
  return plans[key]
end

local function size_of(scene, id)
  local count, rows, cols = scene._system:shape(id)
  return count * rows * cols
end

-- Where each array starts when they stand one after the other; their total length.
local function stack(scene, ids)
  local bases, total = {}, 0
  for _, id in ipairs(ids) do
    bases[id] = total
    total = total + size_of(scene, id)
  end
  return bases, total
end

local function owner_of(scene, ref)
  return assert(scene._spaces[scene._system:owner(ref)])
end

local function jacobian_plan(scene, ref, ids)
  local key = ("jacobian %d by %s"):format(ref, table.concat(ids, ","))
  return plan_of(scene, key, function(system)
    return system:plan_jacobian(ref, owner_of(scene, ref):_child_name("jacobian_" .. ref), ids, {},
      1)
  end)
end

-- d expression / d arrays that it reads, side by side.
local function local_jacobian(scene, ref, ids)
  local owner, bases, total = owner_of(scene, ref), stack(scene, ids)
  local plan = jacobian_plan(scene, ref, ids)
  local rows, cols = scene._system:expression_shape(ref)
  return scene._system:assemble_jacobian(plan, rows * cols, owner:instances(), bases,
    arities(scene), total)
end

-- d2 expression / d arrays d arrays.
local function local_mixed(scene, ref, row_ids, column_ids)
  local owner, row_bases, row_total = owner_of(scene, ref), stack(scene, row_ids)
  local column_bases, column_total = stack(scene, column_ids)
  local key = ("mixed %d by %s by %s"):format(ref, table.concat(row_ids, ","),
    table.concat(column_ids, ","))
  local plan = plan_of(scene, key, function(system)
    return system:plan_mixed(ref, owner:_child_name("mixed_" .. ref), row_ids, column_ids)
  end)
  return scene._system:assemble_mixed(plan, owner:instances(), row_bases, row_total, column_bases,
    column_total, arities(scene))
end

-- ---- the chain rule ----

-- The sums (or means) of a reduction as a matrix from the source's entries.
local function reduction_matrix(scene, record)
  local connectivity = scene._connectivities[record.connectivity]
  local indices, offsets = connectivity:value()
  local rows, columns, values = {}, {}, {}
  local flat, starts = core.array(indices, 1):table(), offsets and offsets:table()
  local count = connectivity._from:instances()
  local arity = connectivity._arity
  if starts and #starts ~= count + 1 or not starts and (#flat ~= count * arity or #flat < count)
  then
    errors.fail_hint("STATE", "update connectivities after their primitives were resized",
      "connectivity %s has no indices yet", connectivity:full_name())
  end
  for i = 0, count - 1 do
    local first = starts and starts[i + 1] or i * connectivity._arity
    local last = (starts and starts[i + 2] or first + connectivity._arity) - 1
    for k = first, last do
      rows[#rows + 1], columns[#columns + 1] = i, flat[math.tointeger(k) + 1]
      values[#values + 1] = record.mean and 1 / (last - first + 1) or 1
    end
  end
  local sums = core.sparse(count, connectivity._to:instances(), rows, columns, values)
  return sums:kron(core.sparse_identity(record.rows * record.cols))
end

local jacobian_of

-- d array / d list.
local function chain(list, id)
  if list.chains[id] then return list.chains[id] end
  local scene, record, offset = list.scene, list.scene._arrays[id], list.offsets[id]
  local result
  if not reaches(list, id) then
    result = core.sparse_zero(size_of(scene, id), list.total)
  elseif offset then
    local size = size_of(scene, id)
    result = core.sparse(size, list.total, core.array_range(0, size, 1),
      core.array_range(offset, size, 1), core.array_filled(size, 1))
  elseif record.connectivity then
    result = reduction_matrix(scene, record) * chain(list, record.source)
  elseif record.members then
    local parts = {}
    for i, member in ipairs(record.members) do parts[i] = { chain(list, member) } end
    result = core.sparse_blocks(parts)
  else
    result = jacobian_of(list, record.expression)
  end
  list.chains[id] = result
  return result
end

-- d arrays, one after the other / d list.
local function chains(list, ids)
  local parts = {}
  for i, id in ipairs(ids) do parts[i] = { chain(list, id) } end
  return core.sparse_blocks(parts)
end

function jacobian_of(list, ref)
  local scene, ids = list.scene, reads(list, ref)
  local rows, cols = scene._system:expression_shape(ref)
  if #ids == 0 then
    return core.sparse_zero(owner_of(scene, ref):instances() * rows * cols, list.total)
  end
  return local_jacobian(scene, ref, ids) * chains(list, ids)
end

--- The Jacobian of an expression by stored attributes: rows are the entries of all instances,
--- columns those of the attributes, each instance by instance, row after row.
function M.jacobian(value, targets)
  value = expression.to_expression(value, "jacobian")
  local scene = rawget(value, "_scene")
  if not scene then errors.fail("ARGUMENT", "jacobian: a literal depends on nothing") end
  return jacobian_of(read_list(scene, targets, "jacobian"), expression.ref(value, scene))
end

--- What system:sweep needs of an expression that is to be zero: its plans and where it lives.
function M.sweep_rows(value, targets, name)
  local scene = rawget(value, "_scene")
  local ref = expression.ref(value, scene)
  local ids = reads(read_list(scene, targets, "sweep"), ref)
  local owner = owner_of(scene, ref)
  return { name = name, space = owner._space, rows = value.rows * value.cols,
    value = plan_of(scene, ("value %d"):format(ref), function(system)
      return system:plan_compute(ref, owner:_child_name("value_" .. ref))
    end),
    jacobian = jacobian_plan(scene, ref, ids) }
end

-- ---- second derivatives ----

-- Hands the derivative of a scalar by an array down to the computed arrays it is made of, as long
-- as both lists reach them: {array id = derivative}.
local function add_weights(rows, columns, id, derivative, weights)
  if not (reaches(rows, id) and reaches(columns, id)) then return end
  local scene = rows.scene
  local record = scene._arrays[id]
  if record.connectivity then
    add_weights(rows, columns, record.source, reduction_matrix(scene, record):T() * derivative,
      weights)
  elseif record.members then
    local at = 0
    for _, member in ipairs(record.members) do
      local size = size_of(scene, member)
      add_weights(rows, columns, member, derivative:slice(at + 1, at + size), weights)
      at = at + size
    end
  elseif record.expression then
    weights[id] = weights[id] and weights[id] + derivative or derivative
  end
end

-- The stored constant that holds the weights of a computed array, and weight . expression.
local function weighted(scene, id)
  local record = scene._arrays[id]
  if not record.weighted then
    local system = scene._system
    local weight = system:add_array("weight", record.name .. ".mixed_weight", record.space,
      record.rows, record.cols, false)
    local ref = system:apply("dot", { (system:read(weight)), record.expression })
    record.weighted = { weight = weight, ref = ref }
  end
  return record.weighted.weight, record.weighted.ref
end

local function sorted_ids(set)
  local ids = {}
  for id in pairs(set) do ids[#ids + 1] = id end
  table.sort(ids)
  return ids
end

-- d2 E / d rows d columns = Zr' E_zz Zc + sum over z of E_z . d2 z / d rows d columns, where z are
-- the arrays that E reads and Z their Jacobians.
local function mixed_of(rows, columns, ref)
  local scene = rows.scene
  local row_ids, column_ids = reads(rows, ref), reads(columns, ref)
  if #row_ids == 0 or #column_ids == 0 then return core.sparse_zero(rows.total, columns.total) end
  local result = chains(rows, row_ids):T() * local_mixed(scene, ref, row_ids, column_ids)
    * chains(columns, column_ids)
  local weights = {}
  for _, id in ipairs(row_ids) do
    local record = scene._arrays[id]
    if not record.stored and reaches(columns, id) then
      local slope = local_jacobian(scene, ref, { id }):T()
        * core.array_filled(owner_of(scene, ref):instances(), 1)
      add_weights(rows, columns, id, slope, weights)
    end
  end
  for _, id in ipairs(sorted_ids(weights)) do
    local weight, product = weighted(scene, id)
    scene._system:set(weight, weights[id])
    result = result + mixed_of(rows, columns, product)
  end
  return result
end

--- The mixed second derivative of an energy expression.
function M.mixed_derivative(scene, value, rows, columns)
  local row_list = read_list(scene, rows, "mixed_derivative: rows")
  local column_list = read_list(scene, columns, "mixed_derivative: columns")
  local ref = expression.ref(value, scene)
  if value.rows * value.cols ~= 1 then
    errors.fail("SHAPE", "mixed_derivative: an energy is a scalar, this expression is %dx%d",
      value.rows, value.cols)
  end
  return mixed_of(row_list, column_list, ref)
end

return M
