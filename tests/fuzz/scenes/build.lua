-- A scene of a description, and all that can be measured of it.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local M = {}

-- ---- building ----

local make = {}

local function build_tree(context, tree)
  local known = context.trees[tree]
  if known ~= nil then return known end
  local arguments = {}
  for i, argument in ipairs(tree) do arguments[i] = build_tree(context, argument) end
  local rule = make[tree.op]
  local result
  if rule then
    result = rule(context, tree, table.unpack(arguments))
  else
    result = basin[tree.op](table.unpack(arguments))
  end
  context.trees[tree] = result
  return result
end

function make.number(_, tree) return tree.value end
function make.literal(_, tree)
  local entries = table.move(tree.values, 1, #tree.values, 1, {})
  return basin.matrix({ entries }):reshape(tree.rows, tree.cols)
end
function make.identity(_, tree) return basin.identity(tree.rows) end
function make.array(context, tree) return context.arrays[tree.array] end
function make.entry(_, tree, a) return basin.entry(a, tree.index) end
function make.at(_, tree, a) return basin.at(a, tree.index, tree.column) end
function make.row(_, tree, a) return basin.row(a, tree.index) end
function make.col(_, tree, a) return basin.col(a, tree.index) end
function make.reshape(_, tree, a) return basin.reshape(a, tree.rows, tree.cols) end
function make.matrix(_, tree, ...)
  local rows, all = {}, { ... }
  for i = 1, tree.rows do
    rows[i] = table.move(all, (i - 1) * tree.cols + 1, i * tree.cols, 1, {})
  end
  return basin.matrix(rows)
end
function make.concat_rows(_, _, ...) return basin.concat_rows { ... } end
function make.concat_cols(_, _, ...) return basin.concat_cols { ... } end
function make.gather(context, tree, a)
  return context.connectivities[tree.connectivity]:gather(a)
end
function make.reduce_sum(context, tree, a)
  return context.connectivities[tree.connectivity]:sum(a)
end
function make.reduce_mean(context, tree, a)
  return context.connectivities[tree.connectivity]:mean(a)
end
-- A user's operator: the sine, with its derivative given.
function make.custom_sin(_, tree, a)
  local n = tree.rows * tree.cols
  if n == 1 then return basin.custom(basin.sin(a), { a }, { basin.cos(a) }) end
  local slopes = basin.reshape(basin.cos(a), n, 1)
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for k = 1, n do rows[i][k] = i == k and basin.entry(slopes, i) or 0 end
  end
  return basin.custom(basin.sin(a), { a }, { basin.matrix(rows) })
end

local function add_array(context, owner, array)
  if array.kind == "data" then
    return owner:add_attribute(array.name,
      { rows = array.rows, cols = array.cols, value = #array.values > 0 and array.values or nil })
  elseif array.kind == "constant" then
    return owner:add_constant(array.name,
      { rows = array.rows, cols = array.cols, value = #array.values > 0 and array.values or nil })
  elseif array.kind == "union" then
    return owner:add_attribute(array.name)
  end
  return owner:add_attribute(array.name, build_tree(context, array.tree))
end

local function first_targets(scene, arrays)
  local targets, used = {}, {}
  for i, array in ipairs(scene.arrays) do
    if array.kind == "data" and (array.space ~= 0 or i % 2 == 0) and #targets < 3 then
      targets[#targets + 1] = arrays[i]
      used[i] = true
    end
  end
  return targets, used
end

--- Builds a description. options are those of basin.scene.
function M.build(description, options)
  local scene = basin.scene("fuzz", options)
  local context = { scene = scene, spaces = { [0] = scene }, connectivities = {}, arrays = {},
    trees = {}, energies = {} }
  for m = 1, 2 do context.spaces[-m] = scene:add_mesh("mesh_" .. m) end
  for i, space in ipairs(description.spaces) do
    local mesh = context.spaces[-space.mesh]
    if space.members then
      local members = {}
      for k, member in ipairs(space.members) do members[k] = context.spaces[member] end
      context.spaces[i] = mesh:add_primitive_union("space_" .. i, members)
    else
      context.spaces[i] = mesh:add_primitive("space_" .. i, space.count,
        { dynamic = space.dynamic })
    end
  end
  for i, connectivity in ipairs(description.connectivities) do
    context.connectivities[i] = context.spaces[connectivity.from]:add_connectivity("link_" .. i,
      context.spaces[connectivity.to], connectivity.rows, connectivity.arity)
  end
  for i, array in ipairs(description.arrays) do
    context.arrays[i] = add_array(context, context.spaces[array.space], array)
  end
  for i, energy in ipairs(description.energies) do
    context.energies[i] = scene:add_energy(build_tree(context, energy.tree),
      { name = "energy_" .. i, projection = energy.projection, project = energy.project })
  end
  context.targets = first_targets(description, context.arrays)
  return context
end

--- Replaces the values of all stored arrays by others (a list by array number).
function M.update(description, context, values)
  for i, array in ipairs(description.arrays) do
    if array.values and #array.values > 0 then context.arrays[i]:update(values[i]) end
  end
end

-- ---- measuring ----

local function flat(value)
  if type(value) == "number" then return { value } end
  return basin.array.from(value, { rows = 1 }):table()
end

local function flat_matrix(matrix)
  if matrix.rows * matrix.columns == 0 then return {} end
  local result = flat(matrix:dense())
  result.rows, result.columns = matrix.rows, matrix.columns
  return result
end
M.flat = flat

local function try(list, name, call)
  local ok, value = pcall(call)
  if ok then
    value.name = name
  else
    local text = tostring(value)
    value = { name = name, problem = text:gsub("\n.*", "") }
  end
  list[#list + 1] = value
end

local function measure_minimizer(list, name, minimizer)
  try(list, name .. " energy", function() return { minimizer:compute_total_energy() } end)
  try(list, name .. " gradient", function()
    local result = {}
    for _, part in ipairs { minimizer:gradient() } do
      for _, value in ipairs(flat(part)) do result[#result + 1] = value end
    end
    return result
  end)
  for _, projection in ipairs { "none", "clamp", "abs", "as given" } do
    try(list, ("%s Hessian, %s"):format(name, projection), function()
      local options = projection ~= "as given" and { projection = projection } or nil
      return flat_matrix(minimizer:hessian(options))
    end)
  end
end

local function measure_derivatives(list, context)
  local energy = context.energies[1]
  try(list, "Jacobian of energy_1", function()
    return flat_matrix(basin.jacobian(energy:expression(), context.targets))
  end)
  try(list, "mixed derivative of energy_1", function()
    return flat_matrix(context.scene:mixed_derivative(energy, context.targets, context.targets))
  end)
  local stored = {}
  for _, array in ipairs(context.arrays) do
    if array:is_stored() then stored[#stored + 1] = array end
  end
  try(list, "mixed derivative of energy_1 by all", function()
    return flat_matrix(context.scene:mixed_derivative(energy, context.targets, stored))
  end)
  for i, array in ipairs(context.arrays) do
    if not array:is_stored() then
      try(list, "Jacobian of array " .. i, function()
        return flat_matrix(basin.jacobian(array, stored))
      end)
    end
  end
end

--- The exact Hessian of all targets, flat.
function M.measure_hessian(context)
  return flat_matrix(context.minimizer:hessian { projection = "none" })
end

--- Everything that a scene tells: a list of flat tables of numbers, each with a name, or `problem`.
function M.measure(context, derivatives)
  local list = {}
  for i, array in ipairs(context.arrays) do
    if not array:is_stored() then
      try(list, "array " .. i, function() return flat(array:value()) end)
    end
  end
  for i, energy in ipairs(context.energies) do
    try(list, "energy_" .. i, function() return flat(energy:compute()) end)
  end
  try(list, "minimizers", function()
    local scene, targets = context.scene, context.targets
    context.minimizer = context.minimizer or scene:minimizer { targets = targets }
    context.second = context.second or scene:minimizer { targets = { targets[#targets] } }
    return {}
  end)
  if list[#list].problem then return list end
  measure_minimizer(list, "all", context.minimizer)
  measure_minimizer(list, "second", context.second)
  if derivatives then measure_derivatives(list, context) end
  return list
end

return M
