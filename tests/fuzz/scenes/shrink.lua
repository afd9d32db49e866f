-- Makes a scene that fails smaller as long as it fails.
-- SPDX-License-Identifier: Apache-2.0
local compare = require "compare"
local terms = require "terms"

local M = {}

-- All trees of a scene as places {list, key}.
local function places(description)
  local result = {}
  local function visit(owner, key)
    result[#result + 1] = { owner = owner, key = key }
    for i = 1, #owner[key] do visit(owner[key], i) end
  end
  for _, energy in ipairs(description.energies) do visit(energy, "tree") end
  for _, array in ipairs(description.arrays) do
    if array.tree then visit(array, "tree") end
  end
  return result
end

-- What might stand instead of a tree: parts of it of the same shape and space, or a number.
local function candidates(tree)
  local result = {}
  local function visit(part)
    for _, argument in ipairs(part) do
      if argument.rows == tree.rows and argument.cols == tree.cols
        and argument.space == tree.space then
        result[#result + 1] = argument
      else
        visit(argument)
      end
    end
  end
  visit(tree)
  if tree.rows * tree.cols == 1 and tree.op ~= "number" then
    result[#result + 1] = terms.number(1)
  end
  return result
end

local function kind_of(problem)
  return problem:gsub("[%d.+e-]+", "#"):sub(1, 24)
end

local function still(description, devices, kind)
  local ok, problem = pcall(compare.check, description, devices)
  return ok and problem ~= nil and kind_of(problem) == kind and problem or nil
end

local function pass(description, devices, kind)
  local changed = false
  if #description.energies > 1 then
    for i = #description.energies, 1, -1 do
      local energy = table.remove(description.energies, i)
      if #description.energies > 0 and still(description, devices, kind) then
        changed = true
      else
        table.insert(description.energies, i, energy)
      end
    end
  end
  local index = 1
  while true do
    local place = places(description)[index]
    if not place then break end
    local before = place.owner[place.key]
    for _, candidate in ipairs(candidates(before)) do
      place.owner[place.key] = candidate
      if still(description, devices, kind) then
        changed = true
        break
      end
      place.owner[place.key] = before
    end
    index = index + 1
  end
  return changed
end

local function text_of(description)
  local lines = {}
  for i, space in ipairs(description.spaces) do
    lines[#lines + 1] = ("  space %d: mesh %d, %d instances%s"):format(i, space.mesh, space.count,
      space.members and ", union of " .. table.concat(space.members, " ") or "")
  end
  for i, connectivity in ipairs(description.connectivities) do
    local rows = {}
    for k, row in ipairs(connectivity.rows) do rows[k] = table.concat(row, ",") end
    lines[#lines + 1] = ("  connectivity %d: %d to %d, arity %d: %s"):format(i, connectivity.from,
      connectivity.to, connectivity.arity, table.concat(rows, " | "))
  end
  for i, array in ipairs(description.arrays) do
    local rows = {}
    for k, row in ipairs(array.values or {}) do
      rows[k] = table.concat(row, ",")
    end
    lines[#lines + 1] = ("  array %d of %d: %s %dx%d %s%s"):format(i, array.space, array.kind,
      array.rows, array.cols, table.concat(rows, " | "), array.tree and terms.text(array.tree)
        or "")
  end
  for i, energy in ipairs(description.energies) do
    lines[#lines + 1] = ("  energy %d, %s, %s: %s"):format(i, energy.projection, energy.project,
      terms.text(energy.tree))
  end
  return table.concat(lines, "\n")
end

--- The description in words, after it has been made as small as it gets in 20 processor seconds.
function M.smallest(description, devices, problem)
  local kind, stop = kind_of(problem), os.clock() + 20
  while os.clock() < stop and pass(description, devices, kind) do end
  local last = still(description, devices, kind)
  return ("  smaller: %s\n%s"):format(last or problem, text_of(description))
end

return M
