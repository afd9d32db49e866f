-- How computed arrays, unions and reductions depend on data; Jacobians and mixed derivatives as
-- sparse matrices.
-- SPDX-License-Identifier: Apache-2.0
local attribute_class = require "basin.attribute"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"

local M = {}

--- Whether an array is one of a set of stored arrays, or depends on one through unions, reductions
--- and computed arrays.
function M.depends(scene, id, set)
  if set[id] then return true end
  local record = scene._arrays[id]
  if not record or not record.differentiable then return false end
  for _, member in ipairs(record.members or {}) do
    if M.depends(scene, member, set) then return true end
  end
  if record.expression then
    for _, read in ipairs(scene:_data_of(record.expression)) do
      if M.depends(scene, read, set) then return true end
    end
  end
  return false
end

-- Whether an array can be cut into nodes; one that cannot is no unknown of this minimizer, whose
-- nodes fit all of them.
local function fits(scene, id, block)
  local record = scene._arrays[id]
  local shape = record.attribute or record
  local vector = shape.rows == 1 or shape.cols == 1
  return (vector and shape.rows * shape.cols or shape.rows) % block == 0
end

-- The map of one computed array: its Jacobian by all data it reads and, if it is not affine, the
-- energy weight . expression, whose Hessian is the sum of the second derivatives.
local function set_map(scene, id, record, block)
  local system, outputs = scene._system, {}
  for _, read in ipairs(scene:_data_of(record.expression)) do
    if fits(scene, read, block) then outputs[#outputs + 1] = read end
    M.ensure(scene, read, block)
  end
  if #outputs == 0 then return end
  local plan = system:plan_jacobian(record.expression, record.name .. ".jacobian", outputs, {},
    block)
  if plan:info().affine then
    system:set_map(id, plan)
    return
  end
  local name = record.name .. ".weight"
  local weight = system:add_array("weight", name, record.space, record.rows, record.cols, false)
  local product = system:apply("dot", { (system:read(weight)), record.expression })
  local curvature = system:plan_energy(product, record.name .. ".curvature", outputs, {}, block,
    false, nil)
  system:set_map(id, plan, curvature, weight)
end

--- Gives every computed array below `id` its map, for nodes of `block` numbers.
function M.ensure(scene, id, block)
  local record = scene._arrays[id]
  if not record or not record.differentiable then return end
  for _, member in ipairs(record.members or {}) do M.ensure(scene, member, block) end
  if not record.expression then return end
  if record.mapped == nil then
    record.mapped = block
    set_map(scene, id, record, block)
  elseif record.mapped ~= block then
    errors.fail("UNSUPPORTED", "'%s' is used by minimizers with nodes of %d and of %d numbers",
      record.name, record.mapped, block)
  end
end

-- ---- sparse matrices of derivatives ----

local function check_list(scene, list, where)
  if attribute_class.is(list) then list = { list } end
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    errors.fail("ARGUMENT", "%s: a list of attributes is needed, got a %s", where,
      options.type_name(list))
  end
  local ids, bases, total = {}, {}, 0
  for i, item in ipairs(list) do
    if not attribute_class.is(item) or not item:is_stored() then
      errors.fail("ARGUMENT", "%s: entry %d is no stored attribute", where, i)
    end
    if item._scene ~= scene then
      errors.fail("OWNER", "%s: '%s' belongs to another scene", where, item:full_name())
    end
    ids[i] = rawget(item, "_array")
    bases[ids[i]] = { { first = 0, base = total } }
    total = total + item:owner():instances() * item.rows * item.cols
  end
  return ids, bases, total
end

-- Unions of stored arrays: where each member's instances start.
local function add_unions(scene, refs, ids, bases)
  local set = {}
  for _, id in ipairs(ids) do set[id] = true end
  local all = table.move(ids, 1, #ids, 1, {})
  for _, id in ipairs(scene:_data_of(refs)) do
    local record = scene._arrays[id]
    if record.members and M.depends(scene, id, set) then
      local segments, first = {}, 0
      for _, member in ipairs(record.members) do
        local stored = scene._arrays[member]
        if not stored.stored or record.source then
          errors.fail("UNSUPPORTED",
            "derivatives as matrices do not go through '%s', whose parts are computed",
            record.attribute and record.attribute:full_name() or record.name)
        end
        segments[#segments + 1] = { first = first, base = set[member] and bases[member][1].base
          or nil }
        first = first + stored.attribute:owner():instances()
      end
      bases[id] = segments
      all[#all + 1] = id
    end
  end
  return all
end

local function arities(scene)
  local result = {}
  for id, connectivity in pairs(scene._connectivities) do result[id] = connectivity._arity end
  return result
end

--- The Jacobian of an expression by stored attributes: rows are the entries of all instances,
--- columns those of the attributes, each instance by instance, row after row.
function M.jacobian(value, targets)
  value = expression.to_expression(value, "jacobian")
  local scene = rawget(value, "_scene")
  if not scene then errors.fail("ARGUMENT", "jacobian: a literal depends on nothing") end
  local ids, bases, total = check_list(scene, targets, "jacobian")
  local ref = expression.ref(value, scene)
  local outputs = add_unions(scene, ref, ids, bases)
  local own = value:owner()
  local name = own:_child_name("jacobian_" .. ref)
  local read, data = {}, {}
  for _, id in ipairs(scene:_data_of(ref)) do data[id] = true end
  for _, id in ipairs(outputs) do
    if data[id] then read[#read + 1] = id end
  end
  local size = value.rows * value.cols
  if #read == 0 then return require("basin.core").sparse_zero(own:instances() * size, total) end
  local plan = scene._system:plan_jacobian(ref, name, read, {}, 1)
  return scene._system:assemble_jacobian(plan, size, own:instances(), bases, arities(scene), total)
end

--- The mixed second derivative of an energy expression.
function M.mixed_derivative(scene, value, rows, columns)
  local row_ids, row_bases, row_total = check_list(scene, rows, "mixed_derivative: rows")
  local column_ids, column_bases,
    column_total = check_list(scene, columns, "mixed_derivative: columns")
  local ref = expression.ref(value, scene)
  if value.rows * value.cols ~= 1 then
    errors.fail("SHAPE", "mixed_derivative: an energy is a scalar, this expression is %dx%d",
      value.rows, value.cols)
  end
  row_ids = add_unions(scene, ref, row_ids, row_bases)
  column_ids = add_unions(scene, ref, column_ids, column_bases)
  local own = value:owner()
  local plan = scene._system:plan_mixed(ref, own:_child_name("mixed_" .. ref), row_ids, column_ids)
  return scene._system:assemble_mixed(plan, own:instances(), row_bases, row_total, column_bases,
    column_total, arities(scene))
end

return M
