-- What the output of simulate shows when a script does not say: the surfaces of all bodies in one.
-- SPDX-License-Identifier: Apache-2.0
local body_module = require "basin.body"
local core = require "basin.core"
local errors = require "basin.errors"

local M = {}

local kinds <const> = { "triangles", "edges", "tets" }

-- Shifted indices of all surfaces, one array a kind.
local function join_cells(surfaces, checked)
  for _, kind in ipairs(kinds) do
    local parts, shift = {}, 0
    for _, part in ipairs(surfaces) do
      if part[kind] ~= nil then
        local cells = core.array(part[kind])
        if cells.count > 0 then parts[#parts + 1] = cells + shift end
      end
      shift = shift + part.positions:owner():instances()
    end
    if #parts > 0 and checked[kind] == nil then checked[kind] = core.array_join(parts) end
  end
end

-- One expression for the positions of several bodies: a union made for it.
local function join_positions(scene, surfaces)
  if #surfaces == 1 then return surfaces[1].positions, surfaces[1].labels end
  local owners, labels, next_label = {}, {}, 0
  for i, part in ipairs(surfaces) do
    owners[i] = part.positions:owner()
    local own = part.labels or core.array_filled(owners[i]:instances(), 0)
    labels[i] = own + next_label
    next_label = next_label + own:max() + 1
  end
  local name = "output_surface"
  local mesh = scene:find(name) or scene:add_mesh(name)
  local union = mesh:find("points") or mesh:add_primitive_union("points", owners)
  return union:find("position") or union:add_attribute("position"), core.array_join(labels)
end

--- Fills in positions, cells, labels and planes of output options that lack them.
function M.complete(scene, checked, planes)
  if checked.planes == nil and #planes > 0 then checked.planes = planes end
  if checked.positions ~= nil then return end
  local surfaces = {}
  for _, hook in ipairs(body_module.hooks(scene)) do
    if hook.surface then surfaces[#surfaces + 1] = hook.surface end
  end
  if #surfaces == 0 then
    errors.fail("ARGUMENT", "simulate: output needs 'positions', as no body says what to show")
  end
  local positions, labels = join_positions(scene, surfaces)
  checked.positions, checked.labels = positions, checked.labels or labels
  join_cells(surfaces, checked)
end

return M
