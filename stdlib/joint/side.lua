-- One side of a joint: points and directions fixed in an affine body, or in the world.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local common = require "basin.std.body.common"
local M = {}

---Body and number of the copy that a joint names: body, { body, copy } or "world" (nil, nil).
function M.read(where, value)
  if value == "world" then return end
  local body, copy = value, 1
  if type(value) == "table" and getmetatable(value) == nil then body, copy = value[1], value[2] end
  common.check(where, body)
  if not body.bodies then
    errors.fail_hint("ARGUMENT", "std.body.affine makes them; soft ones take std.constraint.attach",
      "%s: joints hold affine bodies, '%s' is none", where, body.name)
  end
  if not math.tointeger(copy) or copy < 1 or copy > body.bodies.count then
    errors.fail("RANGE", "%s: body '%s' has copies 1 to %d, not %s", where, body.name,
      body.bodies.count, tostring(copy))
  end
  return body, math.tointeger(copy)
end

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

-- The solution of A y = x, by Cramer's rule; columns of A.
local function solve(a, b, c, x)
  local det = dot(a, cross(b, c))
  return { dot(x, cross(b, c)) / det, dot(a, cross(x, c)) / det, dot(a, cross(b, x)) / det }
end

-- Columns of the present matrix of a copy, and its translation.
local function placement(body, copy)
  local A, t, columns = body.bodies.affine_matrix:value(), body.bodies.translation:value(), {}
  for k = 1, 3 do columns[k] = { A:at(copy, 1, k), A:at(copy, 2, k), A:at(copy, 3, k) } end
  return columns, { t:at(copy, 1), t:at(copy, 2), t:at(copy, 3) }
end

local function world(joint, label)
  local function place(name, x)
    return joint:add_constant(("%s_%s"):format(label, name), { rows = 3, value = x })
  end
  return { point = place, direction = place }
end

---The side `label` of a joint (a primitive of one instance): functions point(name, x) and
---direction(name, n) give what is at x and points along n now, as expressions that move.
function M.new(joint, label, body, copy)
  if not body then return world(joint, label) end
  local of = joint:add_connectivity(label, body.bodies, { copy - 1 }, 1)
  local A, t = of:gather(body.bodies.affine_matrix), of:gather(body.bodies.translation)
  local columns, origin = placement(body, copy)
  local function fixed(name, v)
    return joint:add_constant(("%s_%s"):format(label, name),
      { rows = 3, value = solve(columns[1], columns[2], columns[3], v) })
  end
  return {
    point = function(name, x)
      return A * fixed(name, { x[1] - origin[1], x[2] - origin[2], x[3] - origin[3] }) + t
    end,
    direction = function(name, n) return A * fixed(name, n) end,
  }
end

return M
