-- Two tetrahedra: assembly after projection, and held vertices.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"
local terms = require "groups.elements.terms"

local function listed(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
  return false
end

-- Free and held vertices: attributes, or constants for held ones if `constant`. Returns the place
-- of
-- each vertex: { primitive, index there }.
local function add_vertices(case, mesh, held, constant)
  local place, kinds = {}, { free = { x = {}, X = {} }, held = { x = {}, X = {} } }
  for v, x in ipairs(case.inputs.x) do
    local kind = listed(held, v - 1) and "held" or "free"
    table.insert(kinds[kind].x, x)
    table.insert(kinds[kind].X, case.inputs.X[v])
    place[v] = { kind, #kinds[kind].x - 1 }
  end
  for kind, data in pairs(kinds) do
    if #data.x > 0 then
      local vertices = mesh:add_primitive(kind, #data.x)
      local add = kind == "held" and constant and vertices.add_constant or vertices.add_attribute
      add(vertices, "position", { rows = 3, value = data.x })
      vertices:add_constant("rest", { rows = 3, value = data.X })
    end
  end
  for _, at in ipairs(place) do at[1] = mesh[at[1]] end
  return place
end

-- Held vertices are data: elements read all vertices through a union and are projected whole.
local function build_projected_whole(case, law, held)
  local scene = basin.scene "two_tets"
  local mesh = scene:add_mesh "solid"
  local place = add_vertices(case, mesh, held, false)
  local free = mesh.free
  local union = mesh:add_primitive_union("vertices", #held > 0 and { free, mesh.held } or { free })
  local cells = {}
  for i, tet in ipairs(case.inputs.T) do
    cells[i] = {}
    for k, v in ipairs(tet) do
      local primitive, index = table.unpack(place[v + 1])
      cells[i][k] = primitive == free and index or free.count + index
    end
  end
  local tets = mesh:add_primitive("tets", #cells)
  local corner = tets:add_connectivity("corner", union, cells, 4)
  local x, X = union:add_attribute "position", union:add_attribute "rest"
  local F, volume = std.elastic.deformation.gradient(corner:gather(x), corner:gather(X))
  local energy = scene:add_energy(volume * terms.density(law, F, case.params),
    { name = "elastic", project = "unknowns" })
  return probe.new(scene, { free.position }, { energy })
end

-- Held vertices are constants: each element is projected in its free corners alone. Elements differ
-- in which corners those are, so each is a primitive of its own.
local function build_projected_free(case, law, held)
  local scene = basin.scene "two_tets"
  local mesh = scene:add_mesh "solid"
  local place = add_vertices(case, mesh, held, true)
  local energies = {}
  for i, tet in ipairs(case.inputs.T) do
    local element = mesh:add_primitive("tet_" .. i, 1)
    local x, X = {}, {}
    for k, v in ipairs(tet) do
      local primitive, index = table.unpack(place[v + 1])
      local corner = element:add_connectivity("corner_" .. k, primitive, { index }, 1)
      x[k], X[k] = corner:gather(primitive.position), corner:gather(primitive.rest)
    end
    local F, volume = std.elastic.deformation.gradient(basin.rows(x), basin.rows(X))
    energies[i] = scene:add_energy(volume * terms.density(law, F, case.params),
      { name = "elastic_" .. i, project = "unknowns" })
  end
  return probe.new(scene, { mesh.free.position }, energies)
end

-- The rows and columns of vertices that are not held: the others must be those of the identity.
local function without(rows, held)
  local result = {}
  for i, row in ipairs(rows) do
    if listed(held, (i - 1) // 3) then
      for j, value in ipairs(row) do
        assert(value == (i == j and 1 or 0), "no row of the identity")
      end
    else
      local rest = {}
      for j, value in ipairs(row) do
        if not listed(held, (j - 1) // 3) then rest[#rest + 1] = value end
      end
      result[#result + 1] = rest
    end
  end
  return result
end

-- The same with one primitive of which vertices are held.
local function held_by_attribute(case, law, held)
  local p = build_projected_whole(case, law, {})
  p.targets[1]:hold(held)
  return without(p:hessian("clamp", true), held)
end

return function(case, checker)
  for law, expected in pairs(case.expect) do
    if not terms.is_law(law) then
      checker:fail(law, "the standard library has no such law")
    else
      local p = build_projected_whole(case, law, {})
      local none = p:hessian "none"
      probe.compare(checker, law, expected, { energy = p:energy(), gradient = p:gradient(),
        none = none,
        clamp = p:hessian "clamp", abs = p:hessian "abs" })
      local held = case.params.held
      local first = build_projected_whole(case, law, held):hessian "clamp"
      local second = build_projected_free(case, law, held):hessian "clamp"
      local size = 1e3 * golden.norm(none)
      checker:compare(law .. " project, then drop", "projected", expected.held_project_then_drop,
        first, size)
      checker:compare(law .. " projected, then held", "projected", expected.held_project_then_drop,
        held_by_attribute(case, law, held), size)
      checker:compare(law .. " drop, then project", "projected", expected.held_drop_then_project,
        second, size)
      local difference, a, b = 0, golden.flat(first), golden.flat(second)
      for i, value in ipairs(a) do difference = math.max(difference, math.abs(value - b[i])) end
      checker:compare(law .. " largest difference of the two", "projected",
        expected.held_difference, difference, size)
    end
  end
end
