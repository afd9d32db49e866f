-- A random scene as plain data: spaces, connectivities, arrays, energies, targets. What is built of
-- it is the same on every device.
-- SPDX-License-Identifier: Apache-2.0
local random = require "random"
local terms = require "terms"

local M = {}

local function add_spaces(scene, r)
  local count = r:integer(1, 3)
  for i = 1, count do
    scene.spaces[i] = { mesh = r:integer(1, 2), count = r:integer(1, 5),
      dynamic = r:one_in(3) }
    if scene.spaces[i].dynamic and r:one_in(4) then scene.spaces[i].count = 0 end
  end
  for _ = 1, r:integer(0, 2) do
    local members, total = {}, 0
    local order = {}
    for i = 1, #scene.spaces do order[i] = i end
    r:shuffle(order)
    for k = 1, r:integer(1, math.min(3, #order)) do
      members[k] = order[k]
      total = total + scene.spaces[order[k]].count
    end
    scene.spaces[#scene.spaces + 1] = { mesh = r:integer(1, 2), members = members, count = total }
  end
end

local function random_rows(r, from, to, arity)
  local rows = {}
  for i = 1, from.count do
    local row = {}
    for k = 1, arity > 0 and arity or (to.count > 0 and r:integer(0, 4) or 0) do
      row[k] = r:integer(0, to.count - 1)
    end
    rows[i] = row
  end
  return rows
end

local function add_connectivities(scene, r)
  for _ = 1, r:integer(1, 4) do
    local from, to = r:integer(1, #scene.spaces), r:integer(1, #scene.spaces)
    local arity = r:pick { 0, 1, 2, 2, 3, 4 }
    if scene.spaces[to].count == 0 and scene.spaces[from].count > 0 then arity = 0 end
    scene.connectivities[#scene.connectivities + 1] = { from = from, to = to, arity = arity,
      rows = random_rows(r, scene.spaces[from], scene.spaces[to], arity) }
  end
end

local function random_values(g, count, size)
  local values = {}
  for i = 1, count do
    values[i] = {}
    for k = 1, size do values[i][k] = g:value() end
  end
  return values
end

local function add_array(g, space, kind, rows, cols, name)
  local count = space > 0 and g.scene.spaces[space].count or 1
  local array = { space = space, kind = kind, rows = rows, cols = cols, name = name }
  if kind == "data" or kind == "constant" then
    array.values = random_values(g, count, rows * cols)
  elseif kind == "computed" then
    local tree = terms.make(g, space, rows, cols, 2)
    if tree.space ~= space then return add_array(g, space, "data", rows, cols, name) end
    array.tree = tree
  end
  g.scene.arrays[#g.scene.arrays + 1] = array
  return array
end

local function add_arrays(g, r)
  local scene, rows = g.scene, r:pick { 1, 2, 3, 3 }
  for i, space in ipairs(scene.spaces) do
    if not space.members then
      -- Of one shape and one name everywhere: what unions stack.
      local kind = i == 1 and "data" or r:pick { "data", "data", "constant", "computed" }
      add_array(g, i, kind, rows, 1, "position")
    end
  end
  for i, space in ipairs(scene.spaces) do
    if space.members then
      scene.arrays[#scene.arrays + 1] = { space = i, kind = "union", rows = rows, cols = 1,
        name = "position" }
    end
  end
  for k = 1, r:integer(1, 4) do
    local space = r:one_in(5) and r:pick { 0, -1, -2 } or r:integer(1, #scene.spaces)
    local kind = r:pick { "data", "data", "constant", space > 0 and "computed" or "constant" }
    local shape = r:pick { { 1, 1 }, { 1, 1 }, { 3, 1 }, { 2, 1 }, { 2, 2 }, { 3, 3 }, { 1, 3 } }
    add_array(g, space, kind, shape[1], shape[2], "array_" .. k)
  end
end

local reads_data

-- Whether the positions of a member of a union, or of one of its members, do.
local function union_reads_data(scene, union)
  for _, member in ipairs(scene.spaces[union.space].members) do
    for _, array in ipairs(scene.arrays) do
      if array.space == member and array.name == "position" then
        if array.kind == "data" or (array.tree and reads_data(scene, array.tree))
          or (array.kind == "union" and union_reads_data(scene, array)) then
          return true
        end
      end
    end
  end
  return false
end

-- Whether a tree reads data, through computed arrays and unions as well.
function reads_data(scene, tree)
  if tree.op == "array" then
    local array = scene.arrays[tree.array]
    if array.kind == "data" then return true end
    if array.kind == "computed" then return reads_data(scene, array.tree) end
    if array.kind == "union" then return union_reads_data(scene, array) end
  end
  for _, argument in ipairs(tree) do
    if reads_data(scene, argument) then return true end
  end
  return false
end

local function add_energies(g, r)
  local scene = g.scene
  for _ = 1, 12 do
    if #scene.energies >= r:integer(1, 3) then break end
    local space = r:integer(1, #scene.spaces)
    local tree = terms.make(g, space, 1, 1, r:integer(2, 5))
    if tree.space and reads_data(scene, tree) and terms.size(tree) < 400 then
      scene.energies[#scene.energies + 1] = { tree = tree,
        projection = r:pick { "abs", "clamp", "none", "adaptive" },
        project = r:one_in(4) and "unknowns" or "inner" }
    end
  end
  if #scene.energies == 0 then
    local x = terms.node("array", scene.arrays[1].rows, 1, {}, { array = 1, space = 1 })
    scene.energies[1] = { tree = terms.node("squared_norm", 1, 1, { x }), projection = "abs",
      project = "inner" }
  end
end

--- Whether some tree of a scene has an operator.
function M.has(scene, op)
  local function visit(tree)
    if tree.op == op then return true end
    for _, argument in ipairs(tree) do
      if visit(argument) then return true end
    end
    return false
  end
  for _, energy in ipairs(scene.energies) do
    if visit(energy.tree) then return true end
  end
  for _, array in ipairs(scene.arrays) do
    if array.tree and visit(array.tree) then return true end
  end
  return false
end

--- The scene of a seed. Odd seeds are smooth, even ones stand at singular points.
function M.scene(seed)
  local r = random(seed)
  local smooth = seed % 2 == 1
  local scene = { seed = seed, smooth = smooth, spaces = {}, connectivities = {}, arrays = {},
    energies = {} }
  local g = { scene = scene, random = r, smooth = smooth, joins = 0 }
  function g.value()
    if smooth then return r:real(-1.5, 1.5) end
    return r:pick { 0, 0, 0, 1, 1, -1, 2, 0.5, -0.5, r:real(-2, 2) }
  end
  add_spaces(scene, r)
  add_connectivities(scene, r)
  add_arrays(g, r)
  add_energies(g, r)
  scene.stops = scene.stops or M.has(scene, "stop")
  scene.second = {}
  for i, array in ipairs(scene.arrays) do
    if array.values then
      scene.second[i] = random_values(g, #array.values, array.rows * array.cols)
    end
  end
  return scene
end

return M
