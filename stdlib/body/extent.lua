-- Cells whose rest shape has no length, area or volume, in which no strain can be measured.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local M = {}

local ROUNDING <const> = 1e-14 -- of a measure, relative to that power of the mean edge

local kinds <const> = {
  edges = { one = "edge", size = "length", corners = 2, dimension = 1 },
  triangles = { one = "triangle", size = "area", corners = 3, dimension = 2 },
  tets = { one = "tet", size = "volume", corners = 4, dimension = 3 },
}

-- The mean edge of each cell.
local function mean_edges(points, cells, corners)
  local places, sum, count = {}, basin.array.zeros(cells.count), 0
  for k = 1, corners do places[k] = points:select(cells:component(k)) end
  for i = 1, corners do
    for k = i + 1, corners do
      sum, count = sum + (places[i] - places[k]):lengths(), count + 1
    end
  end
  return sum / count
end

-- The 0-based number of the first cell that has no extent, or nil.
local function first_flat(mesh, kind, about)
  local cells = basin.array.from(mesh[kind], { rows = about.corners })
  local measures = mesh:measure(kind):abs()
  local left = measures - ROUNDING * mean_edges(mesh.points, cells, about.corners)
    ^ about.dimension
  if left:min() > 0 then return nil end
  for c, value in ipairs(left:table()) do
    if value <= 0 or value ~= value then return c - 1, cells:table()[c] end
  end
end

---Raises if a cell of a kind ("edges", "triangles" or "tets") has no extent.
function M.check(where, mesh, kind)
  local about = kinds[kind]
  local cell, corners = first_flat(mesh, kind, about)
  if not cell then return end
  for k = 1, #corners do corners[k] = ("%d"):format(corners[k]) end
  local hint = ("mesh:measure(\"%s\") lists all; a mesh without such cells is needed"):format(kind)
  errors.fail_hint("ARGUMENT", hint, "%s: %s %d has no %s (its corners are %s)", where, about.one,
    cell, about.size, table.concat(corners, ", "))
end

return M
