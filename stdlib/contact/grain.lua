-- The direction of friction of a body: it turns, and stretches, with the body's surface.
-- SPDX-License-Identifier: Apache-2.0
-- At each vertex the direction is a sum a (x1 - x0) + b (x2 - x0) + c: x0, x1, x2 are the corners
-- of the triangle there that it lies in best; a vertex of edges has b = 0, a lone one only c.
local basin = require "basin"
local errors = require "basin.errors"
local common = require "basin.std.body.common"
local M = {}

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function difference(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end

-- Coefficients a, b of the part of direction d in the triangle, and the square of its length.
local function in_triangle(points, corners, d)
  local e = difference(points[corners[2] + 1], points[corners[1] + 1])
  local f = difference(points[corners[3] + 1], points[corners[1] + 1])
  local ee, ef, ff, de, df = dot(e, e), dot(e, f), dot(f, f), dot(d, e), dot(d, f)
  local area = ee * ff - ef ^ 2
  if area <= 1e-12 * ee * ff then return 0, 0, -1 end
  local a, b = (ff * de - ef * df) / area, (ee * df - ef * de) / area
  return a, b, a * de + b * df
end

local function in_edge(points, corners, d)
  local e = difference(points[corners[2] + 1], points[corners[1] + 1])
  local ee = dot(e, e)
  if ee == 0 then return 0, 0, -1 end
  return dot(d, e) / ee, 0, dot(d, e) ^ 2 / ee
end

local function rows_of(cells, arity)
  return cells and basin.array.from(cells, { rows = arity }):table() or {}
end

-- For each vertex of a body its three corners, a, b and c: { corners, a, b, c }, lists.
local function frames(body, d)
  local points, best = basin.array.from(body.mesh.points):table(), {}
  local function offer(corners, solve)
    local a, b, size = solve(points, corners, d)
    for _, vertex in ipairs(corners) do
      local own = best[vertex + 1]
      if size >= 0 and (not own or size > own.size * (1 + 1e-9)) then
        best[vertex + 1] = { size = size, a = a, b = b,
          corners = { corners[1], corners[2], corners[3] or corners[1] } }
      end
    end
  end
  for _, triangle in ipairs(rows_of(body.surface.triangles, 3)) do offer(triangle, in_triangle) end
  local sides = {}
  for i = 1, #points do sides[i] = best[i] ~= nil end
  for _, edge in ipairs(rows_of(body.surface.edges, 2)) do
    if not (sides[edge[1] + 1] or sides[edge[2] + 1]) then offer(edge, in_edge) end
  end
  local corners, a, b, c = {}, {}, {}, {}
  for i = 1, #points do
    local own = best[i] or { corners = { i - 1, i - 1, i - 1 }, a = 0, b = 0 }
    corners[i], a[i], b[i], c[i] = own.corners, own.a, own.b, best[i] and { 0, 0, 0 } or d
  end
  return corners, a, b, c
end

local function find(where, starts, body)
  local name = common.is(body) and body.name or body
  local known = {}
  for _, start in ipairs(starts) do
    if start.body.name == name then return start end
    known[start.body.name] = true
  end
  errors.fail_hint("NAME", errors.suggestion(tostring(name), errors.sorted_keys(known)),
    "%s: friction: 'body' is '%s', which is none of the bodies", where, tostring(name))
end

---For a direction that belongs to a body: a constant of all vertices, 0 on those of other bodies,
---and a function that renews it from the present positions.
function M.add(contact, where, body, direction)
  local start = find(where, contact.rules.starts, body)
  local corners, a, b, c = frames(start.body, direction)
  local count, all = #corners, contact.vertices:instances()
  local grain = contact.mesh:add_primitive("grain", count)
  local at = grain:add_connectivity("corners", contact.vertices,
    basin.array.from(corners, { rows = 3 }) + start.first, 3)
  local x = at:gather(contact.position)
  local present = grain:add_constant("a", { value = a }) * (x:row(2) - x:row(1)):T()
    + grain:add_constant("b", { value = b }) * (x:row(3) - x:row(1)):T()
    + grain:add_constant("c", { rows = 3, value = c })
  local stored = contact.vertices:add_constant("friction_grain", { rows = 3, value = { 0, 0, 0 } })
  local before = basin.array.zeros(start.first, { rows = 3 })
  local after = basin.array.zeros(all - start.first - count, { rows = 3 })
  local function renew()
    stored:update(basin.array.joined { before, grain:evaluate(present), after })
  end
  renew()
  return stored, renew
end

---The direction of a pair, `direction` where none of its vertices is of the body.
function M.of_pair(stored, corners, coefficients, direction)
  local sum = corners:gather(stored):T() * basin.vector { coefficients:at(1) ^ 2,
    coefficients:at(2) ^ 2, coefficients:at(3) ^ 2, coefficients:at(4) ^ 2 }
  local own, parts = sum:squared_norm():gt(0), {}
  for i = 1, 3 do parts[i] = basin.where(own, sum:at(i), direction:at(i)) end
  return basin.vector(parts)
end

return M
