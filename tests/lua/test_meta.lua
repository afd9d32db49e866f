-- meta.lua against the modules: every public function is annotated, every annotation exists, and
-- its parameters are named.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local core = require "basin.core"
local h = require "harness"

local path = package.searchpath("basin.meta", package.path)

-- Functions by class or module: {["Array:at"] = {"instance", …}}, and the names of parameters that
-- are annotated.
local function read_meta()
  local functions, annotated, params, described = {}, {}, {}, false
  for line in io.lines(path) do
    local param = line:match("^%-%-%-@param ([%w_.]+)")
    local owner, name, list = line:match("^function ([%w_.]+)[.:]([%w_]+)%((.-)%) end$")
    if param then
      params[#params + 1] = param
    elseif owner then
      local key = owner .. "." .. name
      h.equal(functions[key], nil, "annotated twice: " .. key)
      functions[key], annotated[key] = list, table.concat(params, ", ")
      if not described then error(key .. " has no description") end
      params, described = {}, false
    elseif line:match("^%-%-%-[^@]") then
      described = true
    elseif line == "" then
      params, described = {}, false
    end
  end
  return functions, annotated
end

local functions, annotated = read_meta()

-- Public functions of a table, its own and those it inherits up to `base`.
local function public(methods)
  local names = {}
  for name, value in pairs(methods) do
    local callable = type(value) == "function"
    if callable and type(name) == "string" and name:sub(1, 1) ~= "_" then names[name] = true end
  end
  return names
end

local scene_module = require "basin.scene"
local primitive = require "basin.primitive"
local minimizer = require "basin.minimizer"

local tables = {
  Array = core.methods "basin.array",
  Matrix = core.methods "basin.matrix",
  Factor = core.methods "basin.factor",
  Saddle = require("basin.saddle").methods,
  Projection = require("basin.projection").methods,
  Subspace = require("basin.subspace").methods,
  Mesh = core.methods "basin.mesh",
  Expression = require("basin.expression").methods,
  Attribute = require("basin.attribute").methods,
  Owner = require("basin.owner").methods,
  SceneMesh = scene_module.mesh_methods,
  Scene = scene_module.methods,
  Primitive = primitive.primitive_methods,
  Union = primitive.union_methods,
  Connectivity = primitive.connectivity_methods,
  Energy = require("basin.energy").methods,
  Constraint = require("basin.constraint").methods,
  Minimizer = minimizer.methods,
  Solver = minimizer.solver_methods,
  Output = require("basin.output").methods,
  basin = basin,
  ["basin.array"] = basin.array,
  ["basin.mesh"] = basin.mesh,
  ["basin.filter"] = basin.filter,
  ["basin.sparse"] = basin.sparse,
  ["basin.dense"] = basin.dense,
  ["basin.quasi_newton"] = basin.quasi_newton,
  ["basin.contact"] = basin.contact,
  ContactDetector = basin.contact.methods,
}

h.test("everything public is annotated", function()
  for owner, methods in basin.sorted(tables) do
    for name in pairs(public(methods)) do
      h.equal(functions[owner .. "." .. name] ~= nil, true,
        ("%s.%s is not in meta.lua"):format(owner, name))
    end
  end
end)

h.test("everything annotated exists", function()
  for key in pairs(functions) do
    local owner, name = key:match("^(.*)%.([%w_]+)$")
    h.equal(tables[owner] ~= nil, true, "class " .. owner)
    local found = rawget(tables[owner], name)
    h.equal(type(found), "function", key)
  end
end)

h.test("parameters are annotated in order", function()
  for key, list in pairs(functions) do h.equal(annotated[key], list, key) end
end)

h.test("fields of arrays, meshes and matrices are annotated", function()
  local text = assert(io.open(path)):read("a")
  for class, name in pairs { Array = "basin.array", Mesh = "basin.mesh",
    Matrix = "basin.matrix" } do
    local block = text:match("%-%-%-@class basin%." .. class .. "\n(.-)local " .. class .. " = ")
    local _, getters = core.methods(name)
    for field in pairs(getters) do
      h.equal(block:find("@field " .. field .. " ", 1, true) ~= nil, true, class .. "." .. field)
    end
    for field in block:gmatch("@field ([%w_]+)") do
      h.equal(getters[field] ~= nil, true, class .. "." .. field)
    end
  end
end)

h.test("help describes values", function()
  h.equal(basin.help(basin.array.zeros(2)):find("max_abs", 1, true) ~= nil, true)
  h.equal(basin.help():find("simulate", 1, true) ~= nil, true)
end)

h.finish()
