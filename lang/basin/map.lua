-- How computed arrays, unions and reductions depend on data, and the maps that carry gradients and
-- Hessians of minimizers through them.
-- SPDX-License-Identifier: Apache-2.0
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

--- Numbers a node that an array can be cut into: those of a vector, of a column of a matrix.
function M.node_size(scene, id)
  local _, rows, cols = scene._system:shape(id)
  return (rows == 1 or cols == 1) and rows * cols or rows
end

--- Calls visit(id) for an array and for all below it that depend on one of the set.
function M.each_below(scene, id, set, visit)
  if not M.depends(scene, id, set) then return end
  visit(id)
  local record = scene._arrays[id]
  for _, member in ipairs(record.members or {}) do M.each_below(scene, member, set, visit) end
  for _, read in ipairs(record.expression and scene:_data_of(record.expression) or {}) do
    M.each_below(scene, read, set, visit)
  end
end

-- The map of one computed array: its Jacobian by all data it reads and, if it is not affine, the
-- energy weight . expression, whose Hessian is the sum of the second derivatives.
local function set_map(scene, id, record, block)
  local system, outputs = scene._system, {}
  for _, read in ipairs(scene:_data_of(record.expression)) do
    -- An array that cannot be cut into nodes is no unknown of this minimizer.
    if M.node_size(scene, read) % block == 0 then outputs[#outputs + 1] = read end
    M.ensure(scene, read, block)
  end
  if #outputs == 0 then return end
  local plan = system:plan_jacobian(record.expression, record.name .. ".jacobian", outputs, {},
    block)
  if plan:info().affine then
    system:set_map(id, plan)
    return
  end
  local name = ("%s.weight_%d"):format(record.name, block)
  local weight = system:add_array("weight", name, record.space, record.rows, record.cols, false)
  local product = system:apply("dot", { (system:read(weight)), record.expression })
  local curvature = system:plan_energy(product, record.name .. ".curvature", outputs, {}, block,
    false, nil)
  system:set_map(id, plan, curvature, weight)
end

--- Gives every computed array below `id` its map for nodes of `block` numbers, once.
function M.ensure(scene, id, block)
  local record = scene._arrays[id]
  if not record or not record.differentiable then return end
  for _, member in ipairs(record.members or {}) do M.ensure(scene, member, block) end
  if not record.expression then return end
  record.mapped = record.mapped or {}
  if record.mapped[block] then return end
  set_map(scene, id, record, block)
  record.mapped[block] = true
end

return M
