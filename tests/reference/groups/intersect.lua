-- Two spheres that cross: pairs, points, the contour, inner vertices, and one of them shrunk until
-- nothing crosses.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local function inner_vertices(points, surface)
  local list = {}
  for k, number in ipairs(basin.contact.winding(surface, points):table()) do
    if number > 0.5 then list[#list + 1] = k - 1 end
  end
  return list
end

local function normals_of(points, triangles)
  return basin.mesh.new { points = points, triangles = triangles }:point_normals()
end

-- Vertices to move: inner ones, and corners of crossing triangles.
local function chosen(triangles, crossing, inner)
  local set = {}
  for _, i in ipairs(inner) do set[i] = true end
  if crossing.pairs.count > 0 then
    for _, pair in ipairs(crossing.pairs:table()) do
      local corners = triangles[math.tointeger(pair[1]) + 1]
      for k = 1, 3 do set[math.tointeger(corners[k])] = true end
    end
  end
  return set
end

local function neighbours_of(count, triangles)
  local lists = {}
  local edges = basin.mesh.new { points = count, triangles = triangles }:unique_edges()
  for k = 1, #count do lists[k] = {} end
  for _, edge in ipairs(edges:table()) do
    local i, j = math.tointeger(edge[1]) + 1, math.tointeger(edge[2]) + 1
    table.insert(lists[i], j)
    table.insert(lists[j], i)
  end
  return lists
end

-- One round: chosen vertices go inwards along their normals, then towards their neighbours' mean.
local function round(p, points, triangles, neighbours, set)
  local normals = normals_of(points, triangles):table()
  local moved, result = {}, {}
  for k, x in ipairs(points) do
    moved[k] = { x[1], x[2], x[3] }
    for i = 1, set[k - 1] and 3 or 0 do moved[k][i] = x[i] - p.step * normals[k][i] end
  end
  for k, x in ipairs(moved) do
    result[k] = { x[1], x[2], x[3] }
    for i = 1, set[k - 1] and 3 or 0 do
      local mean = 0
      for _, j in ipairs(neighbours[k]) do mean = mean + moved[j][i] / #neighbours[k] end
      result[k][i] = (1 - p.smooth) * x[i] + p.smooth * mean
    end
  end
  return result
end

local function fix(case, checker, triangles, b)
  local p, points, history = case.params, case.inputs.V_a, {}
  local neighbours, rounds = neighbours_of(points, triangles), 0
  while true do
    local crossing = basin.contact.crossings({ points = points, triangles = triangles }, b)
    local inner = inner_vertices(points, b)
    history[#history + 1] = { crossing.pairs.count, #inner }
    if crossing.pairs.count == 0 and #inner == 0 or rounds >= p.max_iter then break end
    points = round(p, points, triangles, neighbours, chosen(triangles, crossing, inner))
    rounds = rounds + 1
  end
  checker:equal("rounds", math.tointeger(case.expect.fix_iterations), rounds)
  checker:within("history", "abs", 0, case.expect.fix_history, history)
  checker:compare("positions after the fix", "fix_positions", case.expect.fix_positions, points)
end

return { { "two_spheres", function(case, checker)
  local given, expect = case.inputs, case.expect
  local a = { points = given.V_a, triangles = given.F_a }
  local b = { points = given.V_b, triangles = given.F_b }
  local crossing = basin.contact.crossings(a, b)
  checker:equal("pairs", math.tointeger(expect.n_pairs), crossing.pairs.count)
  checker:equal("points", math.tointeger(expect.n_points), crossing.points.count)
  checker:equal("edges of a", math.tointeger(expect.n_edge_a_face_b), crossing.edges_a.count)
  checker:equal("edges of b", math.tointeger(expect.n_edge_b_face_a), crossing.edges_b.count)
  checker:within("rows of pairs", "abs", 0, expect.pairs, crossing.pairs)
  checker:within("rows of edges of a", "abs", 0, expect.edge_a_face_b, crossing.edges_a)
  checker:within("rows of edges of b", "abs", 0, expect.edge_b_face_a, crossing.edges_b)
  checker:compare("points", "points", expect.points, crossing.points)
  checker:equal("loops", math.tointeger(expect.contour_loops), #crossing.loops)
  checker:equal("closed", true, crossing.loops[1].closed)
  checker:compare("contour", "contour_length", expect.contour_length, crossing.length)
  local inner = inner_vertices(given.V_a, b)
  checker:within("inner vertices of a", "abs", 0, expect.inner_a, inner)
  checker:within("inner vertices of b", "abs", 0, expect.inner_b, inner_vertices(given.V_b, a))
  local normals = normals_of(given.V_a, given.F_a)
  checker:within("normals", "abs", 1e-12, expect.vertex_normals_a, normals)
  local at = basin.array.from(given.V_a):select(inner)
  checker:compare("rays", "inner_a_ray_distance", expect.inner_a_ray_distance,
    basin.contact.rays(b, at, -normals:select(inner)))
  fix(case, checker, given.F_a, b)
end } }
