-- What scenes, meshes, primitives and unions have in common: names, attributes, constants.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local data = require "basin.data"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"

local M = {}

local methods = {}
M.methods = methods

local position_text = function()
  local script, line = core.origin()
  return script and (script .. ":" .. line) or "?"
end

--- Makes the class of an owner: its methods, then the children of an object by name; other names
--- raise.
function M.class(name, own_methods)
  local class = { __name = name, __methods = own_methods }
  setmetatable(own_methods, { __index = methods })
  function class.__index(self, key)
    local method = own_methods[key]
    if method ~= nil then return method end
    if type(key) ~= "string" or key:sub(1, 1) == "_" then return nil end
    local children = rawget(self, "_children")
    local child = children[key]
    if child then return child end
    if key == "count" then return self:instances() end
    errors.unknown_field(name:gsub("^basin%.", "") .. (" '%s'"):format(self:full_name()), key,
      own_methods, methods, children)
  end
  function class.__newindex(self, key, value)
    if type(key) == "string" and key:sub(1, 1) == "_" then
      rawset(self, key, value)
      return
    end
    errors.fail_hint("STATE", "add attributes with add_attribute(name, …)",
      "cannot assign field '%s' of %s", tostring(key), self:full_name())
  end
  function class.__tostring(self) return self:_describe() end
  return class
end

--- Raises unless `name` can be the name of a new child of the owner.
function M.check_name(owner, name, what)
  if type(owner) ~= "table" or not rawget(owner, "_children") then
    errors.fail_hint("ARGUMENT", ("methods are called with a colon: object:%s(…)"):format(what),
      "%s: called on a %s instead of a scene, mesh or primitive", what, options.type_name(owner))
  end
  if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") then
    errors.fail_hint("NAME", "names are letters, digits and _, and do not start with a digit",
      "%s: %s is no name", what, type(name) == "string" and "'" .. name .. "'" or "a "
      .. options.type_name(name))
  end
  local known = rawget(owner, "_children")[name]
  if known then
    errors.fail_hint("NAME", "it was added at " .. tostring(rawget(owner, "_added")[name]),
      "%s already has '%s'", owner:full_name() == "" and "the scene" or owner:full_name(), name)
  end
  local class = getmetatable(owner)
  if name:sub(1, 1) == "_" or name == "count" or name == "name" or class.__methods[name] then
    errors.fail("NAME", "'%s' is the name of a method or field of every %s; choose another", name,
      class.__name:gsub("^basin%.", ""))
  end
end

--- Enters a child under its name.
function M.enter(owner, name, child)
  rawget(owner, "_children")[name] = child
  rawget(owner, "_added")[name] = position_text()
  local order = rawget(owner, "_order")
  order[#order + 1] = name
  return child
end

--- Fields that every owner starts with.
function M.fields(scene, parent, name, space)
  return { _scene = scene, _parent = parent, name = name, _space = space, _children = {},
    _added = {}, _order = {} }
end

-- ---- attributes ----

local SHAPE_LIMIT <const> = 255

local function check_shape(where, given)
  local rows, cols = math.tointeger(given.rows or 1), math.tointeger(given.cols or 1)
  for key, value in pairs { rows = rows, cols = cols } do
    if value < 1 or value > SHAPE_LIMIT then
      errors.fail("SHAPE", "%s: %s must be 1 to %d, got %d", where, key, SHAPE_LIMIT, value)
    end
  end
  return rows, cols
end

--- Adds stored data of a role ("data" or "constant").
local function add_stored(owner, name, role, given)
  local scene = owner._scene
  local full = owner:_child_name(name)
  local rows, cols = check_shape(full, given)
  local id = scene._system:add_array(name, full, owner._space, rows, cols, role == "data")
  local ref = scene._system:read(id)
  local result = attribute.new(owner, name, role, ref, rows, cols, id)
  scene:_register_array(id, { attribute = result, differentiable = role == "data", stored = true,
    parameter = given.parameter })
  if given.value ~= nil then data.set(result, given.value) end
  return M.enter(owner, name, result)
end

--- Names an expression that lives on this owner.
local function add_named(owner, name, value)
  local scene = owner._scene
  local where = owner:_child_name(name)
  if not rawget(value, "_scene") then
    errors.fail_hint("OWNER", "store it with add_constant(name, { rows =, cols =, value = })",
      "%s: a literal belongs to no owner", where)
  end
  local ref = expression.ref(value, scene)
  local own = value:owner()
  if own ~= owner then
    errors.fail { code = "OWNER", expression = value:text(),
      hint = own and "add it there, or read it through a connectivity: connectivity:gather(it)",
      message = ("%s: the expression lives on '%s', not on '%s'"):format(where, own
        and own:full_name() or "nothing", owner:full_name()) }
  end
  local result = attribute.new(owner, name, "named", ref, value.rows, value.cols, nil)
  return M.enter(owner, name, result)
end

--- add_attribute(name, {rows=, cols=, value=}): differentiable data. add_attribute(name,
--- expression): a name for it.
--- On primitives also {through = connectivity, source = expression, reduce = nil, "sum" or "mean"}.
function methods.add_attribute(self, name, given)
  M.check_name(self, name, "add_attribute")
  if expression.is(given) then return add_named(self, name, given) end
  if type(given) == "table" and not getmetatable(given)
    and (given.through ~= nil or given.source ~= nil) then
    return self:_add_join(name, given)
  end
  if given == nil and self._add_union_attribute then return self:_add_union_attribute(name) end
  local where = ("add_attribute('%s')"):format(name)
  return add_stored(self, name, "data",
    options.check(where, given, { rows = "integer", cols = "integer", value = "any" }))
end

--- add_constant(name, {rows=, cols=, value=, parameter=}): data whose derivative is zero. With
--- parameter = true it is a setting of the script, which checkpoints neither hold nor restore.
function methods.add_constant(self, name, given)
  M.check_name(self, name, "add_constant")
  local where = ("add_constant('%s')"):format(name)
  return add_stored(self, name, "constant",
    options.check(where, given, { rows = "integer", cols = "integer", value = "any",
      parameter = "boolean" }))
end

--- Joins name and the owner's full name.
function methods._child_name(self, name)
  local full = self:full_name()
  return full == "" and name or full .. "." .. name
end

function methods._add_join(_, name)
  errors.fail("OWNER", "add_attribute('%s'): only primitives have connectivities to read through",
    name)
end

--- The names of its children in the order they were added.
function methods.names(self)
  return table.move(rawget(self, "_order"), 1, #rawget(self, "_order"), 1, {})
end

--- The child of that name, or nil.
function methods.find(self, name)
  return rawget(self, "_children")[name]
end

function methods.instances(self)
  return self._scene._system:space_count(self._space)
end

return M
