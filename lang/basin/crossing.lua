-- basin.contact.crossings, winding and rays: how two surfaces of triangles cross, and what lies
-- inside of one.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

-- Points and triangles of a mesh, or of a table that has them.
local function surface_of(where, value)
  local kind = options.type_name(value)
  if kind == "basin.mesh" then return value.points, value.triangles end
  if type(value) ~= "table" or getmetatable(value) or not value.points or not value.triangles then
    errors.fail_hint("ARGUMENT", "{ points = …, triangles = … }",
      "%s: a mesh, or points and triangles, are needed, got a %s", where, kind)
  end
  return core.array(value.points), core.array(value.triangles)
end

-- Which triangles use an edge; which one has three corners.
local function index_triangles(rows, offset)
  local by_edge, by_corners = {}, {}
  for number, row in ipairs(rows) do
    for k = 1, 3 do
      local i, j = row[k] + offset, row[k % 3 + 1] + offset
      local key = math.min(i, j) << 32 | math.max(i, j)
      by_edge[key] = by_edge[key] or {}
      table.insert(by_edge[key], number - 1)
    end
    local corners = { row[1] + offset, row[2] + offset, row[3] + offset }
    table.sort(corners)
    by_corners[table.concat(corners, " ")] = number - 1
  end
  return by_edge, by_corners
end

-- The triangles as rows of three whole numbers, vertices from 0.
local function triangle_rows(where, points, triangles)
  if points.count > 0 and points.size ~= 3 or triangles.count > 0 and triangles.size ~= 3 then
    errors.fail("SHAPE", "%s: points are 3 numbers each, triangles 3 vertices", where)
  end
  local rows = triangles:table()
  for number, row in ipairs(rows) do
    for k = 1, 3 do
      local vertex = math.tointeger(row[k])
      if not vertex or vertex < 0 or vertex >= points.count then
        errors.fail("RANGE", "%s: triangle %d names vertex %s of %d", where, number - 1,
          tostring(vertex or row[k]), points.count)
      end
      row[k] = vertex
    end
  end
  return rows
end

local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
local function volume(a, b, c, p)
  local u, v, w = minus(a, p), minus(b, p), minus(c, p)
  return u[1] * (v[2] * w[3] - v[3] * w[2]) + u[2] * (v[3] * w[1] - v[1] * w[3])
    + u[3] * (v[1] * w[2] - v[2] * w[1])
end

-- Where the edge p q goes through the plane of a, b, c.
local function pierce(p, q, a, b, c)
  local from, to = volume(a, b, c, p), volume(a, b, c, q)
  local t = from ~= to and from / (from - to) or 0.5
  return { p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]), p[3] + t * (q[3] - p[3]) }
end

local function by_rows(x, y)
  for k = 1, #x do
    if x[k] ~= y[k] then return x[k] < y[k] end
  end
  return false
end

-- Piercings of one surface's edges: {edge vertices, triangle of the other, point}, sorted.
local function piercings(rows, side, all, count_a)
  local list = {}
  local own = side == 1 and 0 or count_a
  for _, row in ipairs(rows) do
    local i, j = math.tointeger(row[1]), math.tointeger(row[2])
    if (i < count_a) == (side == 1) then
      local corners = { math.tointeger(row[3]), math.tointeger(row[4]), math.tointeger(row[5]) }
      local p, q = all.points[i + 1], all.points[j + 1]
      local point = pierce(p, q, all.points[corners[1] + 1], all.points[corners[2] + 1],
        all.points[corners[3] + 1])
      table.sort(corners)
      local low, high = math.min(i, j), math.max(i, j)
      local triangle = all.by_corners[3 - side][table.concat(corners, " ")]
      list[#list + 1] = { low - own, high - own, triangle, point = point,
        triangles = all.by_edge[side][low << 32 | high] }
    end
  end
  table.sort(list, by_rows)
  return list
end

-- Chains of points along pairs that have two of them.
local function chains(point_count, links)
  local seen, result = {}, {}
  local function walk(start)
    local chain, at, came = { start - 1 }, start, nil
    seen[start] = true
    while true do
      local follow
      for _, link in ipairs(links[at]) do
        if link.pair ~= came and not seen[link.to] then follow = follow or link end
      end
      if not follow then
        for _, link in ipairs(links[at]) do
          if link.pair ~= came and link.to == start and #chain > 2 then chain.closed = true end
        end
        return chain
      end
      at, came = follow.to, follow.pair
      seen[at] = true
      chain[#chain + 1] = at - 1
    end
  end
  for pass = 1, 2 do -- open chains from their ends, then loops
    for k = 1, point_count do
      if not seen[k] and (pass == 2 or #links[k] < 2) then result[#result + 1] = walk(k) end
    end
  end
  return result
end

local function join(points, pairs_of)
  local links, length = {}, 0
  for k = 1, #points do links[k] = {} end
  for pair, ends in pairs(pairs_of) do
    if #ends == 2 then
      local i, j = ends[1], ends[2]
      table.insert(links[i], { to = j, pair = pair })
      table.insert(links[j], { to = i, pair = pair })
    end
  end
  for k = 1, #points do table.sort(links[k], function(x, y) return x.to < y.to end) end
  local result = chains(#points, links)
  for _, chain in ipairs(result) do
    for k = 1, chain.closed and #chain or #chain - 1 do
      local d = minus(points[chain[k] + 1], points[chain[k % #chain + 1] + 1])
      length = length + math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
    end
  end
  return result, length
end

-- Pairs of triangles with the piercing points that they share, in order.
local function collect(lists)
  local points, ends, rows = {}, {}, {}
  for side, list in ipairs(lists) do
    for _, item in ipairs(list) do
      points[#points + 1] = item.point
      for _, own in ipairs(item.triangles) do
        local a, b = side == 1 and own or item[3], side == 1 and item[3] or own
        local key = a << 32 | b
        if not ends[key] then
          ends[key] = {}
          rows[#rows + 1] = { a, b }
        end
        table.insert(ends[key], #points)
      end
    end
  end
  table.sort(rows, by_rows)
  return points, ends, rows
end

local function edge_rows(list)
  local rows = {}
  for k, item in ipairs(list) do rows[k] = { item[1], item[2], item[3] } end
  return rows
end

-- Edges of either surface that meet triangles of the other.
local function meetings(a, triangles_a, b, triangles_b)
  local detector = require("basin.contact").detector
  local positions, triangles, bodies = a:table(), {}, {}
  for _, p in ipairs(b:table()) do positions[#positions + 1] = p end
  for k = 1, #positions do bodies[k] = k <= a.count and 0 or 1 end
  for _, t in ipairs(triangles_a) do triangles[#triangles + 1] = t end
  for _, t in ipairs(triangles_b) do
    triangles[#triangles + 1] = { t[1] + a.count, t[2] + a.count, t[3] + a.count }
  end
  if #triangles_a == 0 or #triangles_b == 0 then return {}, positions end
  local made = detector { positions = positions, triangles = triangles, body = bodies,
    table = { { 0, 1 }, { 1, 0 } } }
  local rows, count = made:intersections { limit = 1000 }
  if count > 1000 then rows = made:intersections { limit = count } end
  return count > 0 and rows:table() or {}, positions
end

--- How two surfaces cross (meshes, or {points =, triangles =}): {points =, pairs =, edges_a =,
--- edges_b =, loops =, length =}. points: where edges of a go through triangles of b, then edges of
--- b through a; edges_a, edges_b: rows of two vertices and the other surface's triangle for each of
--- them; pairs: rows of a triangle of a and one of b that cross; loops: lists of points in order,
--- from 0, whose field `closed` says whether the last leads to the first; length: of all loops.
function M.crossings(a, b)
  local where = "basin.contact.crossings"
  local points_a, given_a = surface_of(where, a)
  local points_b, given_b = surface_of(where, b)
  local triangles_a = triangle_rows(where, points_a, given_a)
  local triangles_b = triangle_rows(where, points_b, given_b)
  local edges_a, corners_a = index_triangles(triangles_a, 0)
  local edges_b, corners_b = index_triangles(triangles_b, points_a.count)
  local rows, positions = meetings(points_a, triangles_a, points_b, triangles_b)
  local all = { points = positions, by_edge = { edges_a, edges_b },
    by_corners = { corners_a, corners_b } }
  local lists = { piercings(rows, 1, all, points_a.count),
    piercings(rows, 2, all, points_a.count) }
  local points, ends, pair_rows = collect(lists)
  local loops, length = join(points, ends)
  return { points = core.array(points), pairs = core.array(pair_rows),
    edges_a = core.array(edge_rows(lists[1])), edges_b = core.array(edge_rows(lists[2])),
    loops = loops, length = length }
end

--- How often a surface winds around each of some points: 1 inside of a closed surface whose
--- triangles look outwards, 0 outside, between the two where it is open.
function M.winding(surface, points)
  local own, triangles = surface_of("basin.contact.winding", surface)
  return core.surface_winding(own, triangles,
    options.check_finite("basin.contact.winding", "points", core.array(points)))
end

--- How far each ray goes to the surface, in lengths of its direction; infinite where it misses.
function M.rays(surface, origins, directions)
  local where <const> = "basin.contact.rays"
  local own, triangles = surface_of(where, surface)
  return core.surface_rays(own, triangles,
    options.check_finite(where, "origins", core.array(origins)),
    options.check_finite(where, "directions", core.array(directions)))
end

return M
