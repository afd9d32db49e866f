-- Attributes: named expressions of an owner. Stored ones hold data; the others are computed.
-- SPDX-License-Identifier: Apache-2.0
local data = require "basin.data"
local errors = require "basin.errors"
local expression = require "basin.expression"
local hold = require "basin.hold"

local M = {}

--- An expression with a name and an owner. Private: _array (id of stored data, a union or a
--- reduction), _kind.
local Attribute = { __name = "basin.attribute" }
local methods = setmetatable({}, { __index = expression.methods })

function Attribute.__index(self, key)
  local method = methods[key]
  if method ~= nil then return method end
  return expression.Expression.__index(self, key)
end

function Attribute.__tostring(self)
  return ("%s %s: %d x %dx%d"):format(rawget(self, "_kind"), self:full_name(),
    rawget(self, "_owner"):instances(), self.rows, self.cols)
end

expression.install(Attribute)

function M.is(value)
  return getmetatable(value) == Attribute
end

--- kind: "data", "constant" (stored), "union", "reduction" (arrays of their own), "join", "named"
--- (expressions).
function M.new(owner, name, kind, ref, rows, cols, array)
  return setmetatable({ _scene = owner._scene, _owner = owner, _name = name, _kind = kind,
    _ref = ref, rows = rows, cols = cols, _array = array }, Attribute)
end

--- The name given when it was added.
function methods.name(self)
  return rawget(self, "_name")
end

--- owner's full name and the name: "cloth.vertices.position".
function methods.full_name(self)
  local owner = rawget(self, "_owner"):full_name()
  return owner == "" and rawget(self, "_name") or owner .. "." .. rawget(self, "_name")
end

--- "data", "constant", "union", "reduction", "join" or "named".
function methods.kind(self)
  return rawget(self, "_kind")
end

function methods.owner(self)
  return rawget(self, "_owner")
end

--- Whether it stores data of its own.
function methods.is_stored(self)
  local kind = rawget(self, "_kind")
  return kind == "data" or kind == "constant"
end

--- Replaces the data: an array, mesh data, a table, or a number for all instances.
function methods.update(self, value)
  if not self:is_stored() then
    errors.fail_hint("STATE", "update what it is computed from",
      "%s is computed (%s) and has no data to update", self:full_name(), rawget(self, "_kind"))
  end
  if value == nil then errors.fail("ARGUMENT", "%s: update needs a value", self:full_name()) end
  data.set(self, value)
  return self
end

--- A copy of the present values, as an array.
function methods.value(self)
  local scene, array = rawget(self, "_scene"), rawget(self, "_array")
  if array then return scene._system:get(array) end
  return scene:_compute(self)
end

methods.compute = methods.value

--- Holds instances: every minimization that has this attribute as an unknown leaves them exactly as
--- they are. indices: a number, list or array, from 0; nil: all. {entries = {2}}: these entries of
--- them alone, by number from 1 or as {row, column}. What was held before stays held.
function methods.hold(self, indices, given)
  return hold.hold(self, indices, given)
end

--- The opposite of hold, with the same arguments; without any, nothing is held.
function methods.release(self, indices, given)
  return hold.release(self, indices, given)
end

--- The instances of which something is held, as an array; and a mask in the shape of the attribute,
--- 1 where an entry is held.
function methods.held(self)
  return hold.held(self)
end

M.methods = methods

return M
