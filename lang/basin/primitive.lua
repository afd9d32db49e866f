-- Primitives, unions of primitives, and the connectivities between them.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local data = require "basin.data"
local errors = require "basin.errors"
local expression = require "basin.expression"
local hold = require "basin.hold"
local options = require "basin.options"
local owner = require "basin.owner"

local M = {}

-- ---- connectivities ----

local connectivity_methods = {}
local Connectivity = { __name = "basin.connectivity" }

function Connectivity.__index(_, key)
  local method = connectivity_methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("connectivity", key, connectivity_methods)
  end
  return nil
end

function Connectivity.__tostring(self)
  return ("connectivity %s: %s to %s, arity %d"):format(self:full_name(), self._from:full_name(),
    self._to:full_name(), self._arity)
end

function connectivity_methods.full_name(self)
  return self._from:_child_name(self._name)
end

--- Indices an instance; 0 for a variable number.
function connectivity_methods.arity(self)
  return self._arity
end

--- The primitives it leads from and to.
function connectivity_methods.from(self)
  return self._from
end

function connectivity_methods.to(self)
  return self._to
end

--- JOIN: reads an expression of the target primitive at every instance named. r x c through arity k
--- gives k rows of r*c; arity 1 keeps r x c.
function connectivity_methods.gather(self, source)
  local scene = self._from._scene
  source = expression.to_expression(source, "gather")
  if self._arity == 0 then
    errors.fail_hint("UNSUPPORTED",
      "connectivity:sum(expression) and connectivity:mean(expression) reduce over it",
      "%s has a variable number of indices an instance and cannot be gathered", self:full_name())
  end
  return expression.new(scene, scene._system:join(self._id, expression.ref(source, scene)))
end

local function reduce(self, source, mean)
  local scene = self._from._scene
  source = expression.to_expression(source, mean and "mean" or "sum")
  if not rawget(source, "_scene") or source:owner() ~= self._to then
    local own = source:owner()
    errors.fail { code = "OWNER", expression = source:text(),
      message = ("%s leads to '%s', but the expression lives on '%s'"):format(self:full_name(),
        self._to:full_name(),
                                                                            own and own:full_name()
                                                                              or "nothing") }
  end
  return scene:_add_reduction(self, source, mean)
end

--- The sum of an expression over the instances named; differentiable.
function connectivity_methods.sum(self, source)
  return reduce(self, source, false)
end

--- The mean of an expression over the instances named (zero where there are none); differentiable.
function connectivity_methods.mean(self, source)
  return reduce(self, source, true)
end

local function set_indices(self, value)
  local scene, name = self._from._scene, self:full_name()
  if self._arity == 0 then
    local indices, offsets = data.rows(name, value)
    scene._system:set_connectivity(self._id, name, indices, offsets)
  else
    scene._system:set_connectivity(self._id, name,
      data.indices(name, value, self._arity, self._from:instances()))
  end
end

--- Replaces the indices; their number must fit the instances (resize the primitive first).
function connectivity_methods.update(self, indices)
  set_indices(self, indices)
  return self
end

--- The indices, one instance a row; for variable arity also the offsets.
function connectivity_methods.value(self)
  return self._from._scene._system:connectivity(self._id, self._arity, self._from._space)
end

-- ---- what primitives and unions share ----

local shared = {}

--- add_connectivity(name, to, indices, arity): arity indices an instance into another primitive,
--- counted from 0; arity 0: rows of any length, as {{0, 1}, {2}} or {indices=, offsets=}.
function shared.add_connectivity(self, name, to, indices, arity)
  owner.check_name(self, name, "add_connectivity")
  local where = self:_child_name(name)
  if not M.is(to) then
    errors.fail("ARGUMENT", "%s: a connectivity leads to a primitive or union, got a %s", where,
      options.type_name(to))
  end
  if to._scene ~= self._scene then
    errors.fail("OWNER", "%s: the two primitives belong to different scenes", where)
  end
  local number = math.tointeger(arity)
  if not number or number < 0 or number > 255 then
    errors.fail("ARGUMENT", "%s: arity must be a whole number from 0 to 255, got %s", where,
      tostring(arity))
  end
  local scene = self._scene
  local id = scene._system:add_connectivity(name, where, self._space, to._space, number)
  local result = setmetatable({ _id = id, _name = name, _from = self, _to = to, _arity = number },
    Connectivity)
  scene._connectivities[id] = result
  if not (indices == nil and self:instances() == 0) then set_indices(result, indices or {}) end
  return owner.enter(self, name, result)
end

--- {through = connectivity, source = expression, reduce = nil, "sum" or "mean"}
function shared._add_join(self, name, given)
  local where = ("add_attribute('%s')"):format(name)
  local checked = options.check(where, given,
    { through = "any", source = "any", reduce = { "sum", "mean" } }, { "through", "source" })
  local through = checked.through
  if getmetatable(through) ~= Connectivity then
    errors.fail("ARGUMENT", "%s: 'through' must be a connectivity, got a %s", where,
      options.type_name(through))
  end
  if through._from ~= self then
    errors.fail_hint("OWNER", ("add the attribute to '%s'"):format(through._from:full_name()),
      "%s: '%s' leads from '%s', not from '%s'", where, through:full_name(),
      through._from:full_name(), self:full_name())
  end
  local value
  if checked.reduce then
    value = through[checked.reduce](through, checked.source)
  else
    value = through:gather(checked.source)
  end
  local kind = checked.reduce and "reduction" or "join"
  local array = checked.reduce and self._scene:_array_of(value) or nil
  return owner.enter(self, name,
    attribute.new(self, name, kind, expression.ref(value, self._scene), value.rows, value.cols,
    array))
end

--- The values of an expression of this primitive, as an array.
function shared.evaluate(self, value)
  value = expression.to_expression(value, "evaluate")
  local own = value:owner()
  if own ~= self then
    errors.fail { code = "OWNER", expression = value:text(),
      message = ("evaluate: the expression lives on '%s', not on '%s'"):format(
      own and own:full_name() or "nothing", self:full_name()) }
  end
  return self._scene:_compute(value)
end

function shared.full_name(self)
  return self._parent.name .. "." .. self.name
end

-- ---- primitives ----

local primitive_methods = {}
for name, method in pairs(shared) do primitive_methods[name] = method end
local Primitive = owner.class("basin.primitive", primitive_methods)

function primitive_methods._describe(self)
  return ("primitive %s: %d instances"):format(self:full_name(), self:instances())
end

--- Changes the number of instances of a dynamic primitive. Common leading data stays, new data is
--- zero, its connectivities are empty until updated.
function primitive_methods.resize(self, count)
  local number = math.tointeger(count)
  if not number or number < 0 then
    errors.fail("ARGUMENT", "%s: a count is a whole number from 0, got %s", self:full_name(),
      tostring(count))
  end
  if not rawget(self, "_dynamic") then
    errors.fail_hint("STATE", "mesh:add_primitive(name, count, { dynamic = true })",
      "%s is not dynamic and cannot be resized", self:full_name())
  end
  self._scene._system:resize(self._space, number)
  for _, child in pairs(rawget(self, "_children")) do
    if attribute.is(child) then hold.trim(child, number) end
  end
  return self
end

--- Makes a primitive of a mesh.
function M.new(mesh, name, count, dynamic)
  local scene = mesh._scene
  local space = scene._system:add_space(name, mesh.name .. "." .. name, mesh._space, false,
    dynamic, count)
  local self = owner.fields(scene, mesh, name, space)
  self._dynamic = dynamic
  scene._spaces[space] = setmetatable(self, Primitive)
  return self
end

-- ---- unions ----

local union_methods = {}
for name, method in pairs(shared) do union_methods[name] = method end
local Union = owner.class("basin.union", union_methods)

function union_methods._describe(self)
  local names = {}
  for i, member in ipairs(self._members) do names[i] = member:full_name() end
  return ("union %s: %d instances of %s"):format(self:full_name(), self:instances(),
    table.concat(names, ", "))
end

--- The members, in order.
function union_methods.members(self)
  return table.move(self._members, 1, #self._members, 1, {})
end

--- add_attribute(name) of a union: the attribute of that name of every member, one after the other.
function union_methods._add_union_attribute(self, name)
  local scene, where = self._scene, self:_child_name(name)
  local arrays, differentiable, rows, cols = {}, false, nil, nil
  local members = {}
  for i, member in ipairs(self._members) do
    local part = member:find(name)
    if not attribute.is(part) then
      errors.fail_hint("NAME", errors.suggestion(name,
        errors.sorted_keys(rawget(member, "_children"))), "%s: member '%s' has no attribute '%s'",
        where, member:full_name(), name)
    end
    rows, cols = rows or part.rows, cols or part.cols
    if part.rows ~= rows or part.cols ~= cols then
      errors.fail("SHAPE", "%s: the members differ, '%s' is %dx%d, '%s' is %dx%d", where,
        self._members[1]:_child_name(name), rows, cols, part:full_name(), part.rows, part.cols)
    end
    arrays[i] = scene:_array_of(part)
    members[i] = arrays[i]
    differentiable = differentiable or scene._arrays[arrays[i]].differentiable
  end
  local id = scene._system:add_union_array(name, where, self._space, arrays, differentiable)
  scene:_register_array(id, { differentiable = differentiable, members = members })
  local result = attribute.new(self, name, "union", scene._system:read(id), rows, cols, id)
  scene._arrays[id].attribute = result
  return owner.enter(self, name, result)
end

--- Makes a union of primitives and unions.
function M.new_union(mesh, name, members)
  local scene, where = mesh._scene, mesh.name .. "." .. name
  if type(members) ~= "table" or getmetatable(members) or #members == 0 then
    errors.fail("ARGUMENT", "%s: a union needs a list of primitives", where)
  end
  local spaces = {}
  for i, member in ipairs(members) do
    if not M.is(member) then
      errors.fail("ARGUMENT", "%s: member %d is a %s, not a primitive", where, i,
        options.type_name(member))
    end
    if member._scene ~= scene then
      errors.fail("OWNER", "%s: member '%s' belongs to another scene", where, member:full_name())
    end
    for k = 1, i - 1 do
      if members[k] == member then
        errors.fail("NAME", "%s: '%s' is a member twice", where, member:full_name())
      end
    end
    spaces[i] = member._space
  end
  local space = scene._system:add_union(name, where, mesh._space, spaces)
  local self = owner.fields(scene, mesh, name, space)
  self._members = table.move(members, 1, #members, 1, {})
  scene._spaces[space] = setmetatable(self, Union)
  return self
end

--- Whether a value is a primitive or a union.
function M.is(value)
  local class = getmetatable(value)
  return class == Primitive or class == Union
end

function M.is_connectivity(value)
  return getmetatable(value) == Connectivity
end

M.primitive_methods, M.union_methods, M.connectivity_methods = primitive_methods, union_methods,
  connectivity_methods

--- Rows of neighbours from edges: adjacency{edges = …, count = …} gives {indices=, offsets=} for a
--- connectivity of arity 0.
function M.adjacency(given)
  local checked = options.check("basin.adjacency", given, { edges = "any", count = "integer" },
    { "edges", "count" })
  local rows = {}
  for i = 1, checked.count do rows[i] = {} end
  local list = core.array(checked.edges, 2):table()
  for _, edge in ipairs(list) do
    for k = 1, 2 do
      local row = rows[edge[k] + 1]
      if not row then
        errors.fail("RANGE", "basin.adjacency: index %g of %d", edge[k], checked.count)
      end
      row[#row + 1] = edge[3 - k]
    end
  end
  local indices, offsets = {}, { 0 }
  for i, row in ipairs(rows) do
    table.sort(row)
    table.move(row, 1, #row, #indices + 1, indices)
    offsets[i + 1] = #indices
  end
  return { indices = core.array(indices), offsets = core.array(offsets) }
end

return M
