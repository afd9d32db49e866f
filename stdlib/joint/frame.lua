-- What all joints have in common: names, places, stiffness.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local parameters = require "basin.std.parameters"
local side = require "basin.std.joint.side"
local M = {}

local SAG <const> = 1e-5 -- of the size, under the weight of both bodies, with the default stiffness
local GRAVITY <const> = 9.8

-- Extent and mass of a copy of a body.
local function measure(body)
  if not body then return 0, 0 end
  local copies, size = body.bodies.count, 0
  local points = body.vertices.rest_position:value():slice(1, body.vertices.count // copies)
  for i = 1, 3 do
    local x = points:component(i)
    size = math.max(size, x:max() - x:min())
  end
  return size, body.mass / copies
end

local spec <const> = { at = "vector", stiffness = "positive", name = "string" }

local function free_name(scene, wanted)
  local name, k = wanted, 1
  while scene:find(name) do
    k = k + 1
    name = ("%s_%d"):format(wanted, k)
  end
  return name
end

local function check(where, given, more, required)
  local known = {}
  for key, kind in pairs(spec) do known[key] = kind end
  for key, kind in pairs(more) do known[key] = kind end
  local checked = options.check(where, given, known, required)
  for _, key in ipairs { "at", "axis" } do
    local v = checked[key]
    if v and (#v ~= 3 or (key == "axis" and v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2 == 0)) then
      errors.fail("LENGTH", "%s: '%s' needs 3 numbers%s", where, key,
        key == "axis" and ", not all 0" or "")
    end
  end
  return checked
end

---Starts a joint of one kind: { where, options (checked), scene, mesh, joint (the primitive), a, b
---(sides), size, weight, stiffness (constant) }.
function M.new(kind, a, b, given, more, required)
  local where = "std.joint." .. kind
  local checked = check(where, given, more, required)
  local first, copy_a = side.read(where, a)
  local second, copy_b = side.read(where, b)
  if not (first or second) or (first and second and first.scene ~= second.scene)
    or (first == second and copy_a == copy_b) then
    errors.fail("ARGUMENT", "%s: a joint needs two bodies of one scene, or one and \"world\"",
      where)
  end
  local scene = (first or second).scene
  local mesh = scene:add_mesh(free_name(scene, checked.name or kind))
  local joint = mesh:add_primitive("joint", 1)
  local size_a, mass_a = measure(first)
  local size_b, mass_b = measure(second)
  local size = checked.width or math.max(size_a, size_b)
  local weight = GRAVITY * (mass_a + mass_b)
  local stiffness = parameters.store(mesh, "stiffness",
    checked.stiffness or weight / (SAG * size))
  return { where = where, options = checked, scene = scene, mesh = mesh, joint = joint,
    a = side.new(joint, "a", first, copy_a), b = side.new(joint, "b", second, copy_b),
    size = size, weight = weight, stiffness = stiffness }
end

---Adds an energy of the joint.
function M.add(self, name, energy, projection)
  self.scene:add_energy(self.joint:add_attribute(name .. "_energy", energy),
    { name = ("%s.%s"):format(self.mesh.name, name), projection = projection })
end

---Two directions across an axis; all three of unit length.
function M.across(axis)
  local n, e = {}, {}
  local size = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
  for i = 1, 3 do n[i] = axis[i] / size end
  local x, y, z = math.abs(n[1]), math.abs(n[2]), math.abs(n[3])
  local least = x <= y and x <= z and 1 or y <= z and 2 or 3
  for i = 1, 3 do e[i] = (i == least and 1 or 0) - n[least] * n[i] end
  size = math.sqrt(e[1] ^ 2 + e[2] ^ 2 + e[3] ^ 2)
  for i = 1, 3 do e[i] = e[i] / size end
  local f = { n[2] * e[3] - n[3] * e[2], n[3] * e[1] - n[1] * e[3], n[1] * e[2] - n[2] * e[1] }
  return n, e, f
end

---The point `at` moved along a direction.
function M.moved(self, direction, length)
  local at, x = self.options.at, {}
  for i = 1, 3 do x[i] = at[i] + length * direction[i] end
  return x
end

return M
