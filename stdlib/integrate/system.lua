-- The unknowns of a scene as long vectors: positions, velocities, inverse masses, forces.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local body_module = require "basin.body"
local errors = require "basin.errors"
local held = require "basin.std.integrate.held"
local hold = require "basin.hold"
local M = {}

local System = {}
System.__index = System

local function flat(array) return basin.array.from(array, { rows = 1 }) end

-- Arrays of the parts, one after the other.
local function joined(parts, field)
  if #parts == 1 then return flat(parts[1][field]:value()) end
  local list = {}
  for i, part in ipairs(parts) do list[i] = flat(part[field]:value()) end
  return basin.array.joined(list)
end

local function spread(parts, field, values)
  for _, part in ipairs(parts) do
    local x = part.value
    part[field]:update(basin.array.from(#parts == 1 and values
      or values:slice(part.first + 1, part.first + part.size), { rows = x.rows, cols = x.cols }))
  end
end

-- What moves: the unknowns of the bodies, which must be all targets of the scene.
local function parts_of(where, scene)
  local parts, targets, known, total = {}, {}, {}, 0
  for _, body in ipairs(body_module.bodies(scene)) do
    for _, part in ipairs(body.unknowns) do
      local x = part.value
      local size = x:owner():instances() * x.rows * x.cols
      parts[#parts + 1] = { value = x, velocity = part.velocity, last = part.last, first = total,
        size = size }
      targets[#targets + 1], known[x] = x, true
      total = total + size
    end
  end
  for _, target in ipairs(scene:targets()) do
    if not known[target] then
      errors.fail_hint("STATE", "scene:add_body { unknowns = { … }, inertia = … } gives it mass",
        "%s: '%s' is a minimization target without inertia", where, target:full_name())
    end
  end
  if #parts == 0 then
    errors.fail_hint("STATE", "std.body.rope, std.body.soft, … or scene:add_body register bodies",
      "%s: the scene has nothing that moves", where)
  end
  return parts, targets, total
end

-- The diagonal of the Hessian of all inertia, which must have nothing beside it.
local function masses_of(where, self)
  local energies = {}
  for _, body in ipairs(body_module.bodies(self.scene)) do
    energies[#energies + 1] = body.inertia:enable()
  end
  body_module.motion(self.scene).inertia_weight:update(1)
  local M_ = self.scene:minimizer { targets = self.targets, energies = energies }
    :hessian { projection = "none" }
  local masses = M_:diagonal()
  if (M_ - basin.sparse.diagonal(masses)):norm "max" > 1e-12 * M_:norm "max" then
    errors.fail_hint("UNSUPPORTED", "integrators of basin.simulate such as \"newmark\" move it",
      "%s needs lumped masses, but the inertia of this scene couples its unknowns", where)
  end
  return flat(masses)
end

-- 1 / m, 0 of what is held.
local function inverse_masses(where, self)
  local values = {}
  for i, mass in ipairs(self.mass:table()) do
    local part = M.part_at(self.parts, i - 1)
    local instance = (i - 1 - part.first) // (part.value.rows * part.value.cols)
    if self.is_held[i] then
      values[i] = 0
    elseif mass > 0 then
      values[i] = 1 / mass
    else
      errors.fail_hint("STATE", "give it a mass, or hold it: hold = { { position = …, "
        .. "vertices = … } }", "%s: instance %d of '%s' has no mass", where, instance,
        part.value:full_name())
    end
  end
  return basin.array.from(values)
end

---The part that entry i (from 0) of the long vectors belongs to.
function M.part_at(parts, i)
  for _, part in ipairs(parts) do
    if i < part.first + part.size then return part end
  end
end

---Fields: scene, parts, targets, total, mass, inverse_mass, is_held (by entry, from 1).
function M.new(where, scene, given)
  local self = setmetatable({ scene = scene, where = where }, System)
  self.parts, self.targets, self.total = parts_of(where, scene)
  self.holds, self.own = held.new(where, self, given)
  self:refresh()
  return self
end

---Masses and what is held, by option and by attribute:hold, where that has changed.
function System:refresh()
  local versions = {}
  for i, target in ipairs(self.targets) do versions[i] = hold.version(target) end
  local version = table.concat(versions, ",")
  if version == self.version then return end
  self.version, self.is_held, self.free_entries = version, {}, nil
  for entry in pairs(self.own) do self.is_held[entry] = true end
  for _, part in ipairs(self.parts) do
    for _, number in ipairs(hold.numbers(part.value) or {}) do
      self.is_held[part.first + number + 1] = true
    end
  end
  self.mass = masses_of(self.where, self)
  self.inverse_mass = inverse_masses(self.where, self)
end

function System:position() return joined(self.parts, "value") end
function System:velocity() return joined(self.parts, "velocity") end
function System:set_position(x) spread(self.parts, "value", x) end
function System:set_velocity(v) spread(self.parts, "velocity", v) end

-- All energies but inertia that depend on the unknowns; nil if there are none.
local function potential(self)
  local scene = self.scene
  if self.seen ~= #scene._energies then
    local inertia, list = {}, {}
    for _, body in ipairs(body_module.bodies(scene)) do inertia[body.inertia] = true end
    local all = scene:minimizer { targets = self.targets }
    for _, energy in ipairs(all:energies()) do
      if not inertia[energy] then list[#list + 1] = energy end
    end
    self.potential = #list > 0 and scene:minimizer { targets = self.targets, energies = list }
      or nil
    self.seen = #scene._energies
  end
  return self.potential
end

---The energy of all that is not inertia, J.
function System:potential_energy()
  local energies = potential(self)
  return energies and energies:compute_total_energy() or 0
end

---Entries (from 0) of the long vectors that are not held.
function System:free()
  if not self.free_entries then
    local list = {}
    for i = 1, self.total do
      if not self.is_held[i] then list[#list + 1] = i - 1 end
    end
    self.free_entries = basin.array.from(list)
  end
  return self.free_entries
end

---A long vector without what is held.
function System:free_part(values) return values:select(self:free()) end

---m v^2 / 2 of all that is not held, J.
function System:kinetic_energy()
  local v = self:velocity()
  return 0.5 * self:free_part(self.mass):dot(self:free_part(v * v))
end

-- The gradient by part. Energies that overflow are the work of a step that was too long.
local function gradient_of(self, energies)
  local parts = table.pack(pcall(energies.gradient, energies))
  if parts[1] then return table.move(parts, 2, parts.n, 1, {}) end
  local problem = parts[2]
  if problem.code ~= "NOT_FINITE" then error(problem, 0) end
  errors.fail_hint("NOT_FINITE", "a shorter time step, or an integrator of basin.simulate",
    "%s: %s", self.where, problem.message)
end

---M^-1 f at the present positions.
function System:acceleration()
  local energies = potential(self)
  if not energies then return basin.array.zeros(self.total) end
  local parts = gradient_of(self, energies)
  for i, part in ipairs(parts) do parts[i] = flat(part) end
  local gradient = #parts == 1 and parts[1] or basin.array.joined(parts)
  return -(self.inverse_mass * gradient)
end

return M
