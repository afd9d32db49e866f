-- Time integrators: where bodies would go without forces, how inertia is weighed, and the
-- velocities after a step.
-- SPDX-License-Identifier: Apache-2.0
local body_module = require "basin.body"
local core = require "basin.core"
local errors = require "basin.errors"
local hold = require "basin.hold"
local options = require "basin.options"

local M = {}

local function each_unknown(scene, visit)
  for _, body in ipairs(body_module.bodies(scene)) do
    for i, part in ipairs(body.unknowns) do visit(part, body.name .. "." .. i) end
  end
end

local function prepare(scene, weight, predict)
  body_module.motion(scene).inertia_weight:update(weight)
  for _, body in ipairs(body_module.bodies(scene)) do body.inertia:enable(weight > 0) end
  each_unknown(scene, function(part, key)
    local value = part.value:value()
    part.last:update(value)
    part.predicted:update(predict(value, part.velocity:value(), key))
  end)
end

-- Implicit Euler: q~ = q + h v, v' = (q' - q) / h.
local implicit_euler = {}

function implicit_euler.begin_step(self, scene, h)
  prepare(scene, 1 / h ^ 2, function(q, v) return q + h * v end)
  self.h = h
end

function implicit_euler.end_step(self, scene)
  each_unknown(scene, function(part) part.velocity:update((part.value:value()
    - part.last:value()) / self.h) end)
end

-- BDF2 (Curtiss and Hirschfelder 1952): q' = 4/3 q - 1/3 q_ + 2/3 h v', v' = 4/3 v - 1/3 v_ + 2/3 h
-- a'; the first step is implicit Euler.
local bdf2 = {}

function bdf2.begin_step(self, scene, h)
  self.h = h
  self.two_step = next(self.history) ~= nil and self.history_h == h
  self.values, self.velocities = {}, {}
  local weight = self.two_step and 9 / (4 * h ^ 2) or 1 / h ^ 2
  prepare(scene, weight, function(q, v, key)
    self.values[key], self.velocities[key] = q, v
    if not self.two_step then return q + h * v end
    local q_, v_ = self.history[key .. ".value"], self.history[key .. ".velocity"]
    return (4 * q - q_) / 3 + (2 * h / 9) * (4 * v - v_)
  end)
end

function bdf2.end_step(self, scene)
  local h = self.h
  each_unknown(scene, function(part, key)
    local q, q_ = self.values[key], self.history[key .. ".value"]
    local new = part.value:value()
    part.velocity:update(self.two_step and (3 * new - 4 * q + q_) / (2 * h) or (new - q) / h)
  end)
  for key, value in pairs(self.values) do
    self.history[key .. ".value"], self.history[key .. ".velocity"] = value, self.velocities[key]
  end
  self.history_h = h
end

-- Newmark (1959): q' = q + h v + h^2 ((1/2 - beta) a + beta a'), v' = v + h ((1 - gamma) a + gamma
-- a'); a' balances the forces at q', which makes q' the minimum with weight 1/(beta h^2).
local newmark = {}

-- M^-1 f at the present state, a list of arrays: what the first step begins with.
local function accelerations(scene)
  local unknowns, inertia, result = {}, {}, {}
  each_unknown(scene, function(part)
    unknowns[#unknowns + 1] = part.value
    part.predicted:update(part.value:value()) -- inertia then has no gradient
  end)
  for _, body in ipairs(body_module.bodies(scene)) do
    inertia[#inertia + 1] = body.inertia:enable()
  end
  body_module.motion(scene).inertia_weight:update(1)
  local forces = { scene:minimizer { targets = unknowns }:gradient { drop_held = true } }
  for i, part in ipairs(forces) do forces[i] = core.array(part, 1) end
  local all = #forces == 1 and forces[1] or core.array_join(forces)
  local solved, first = all, 1
  if all.count > 0 and all:max_abs() > 0 then
    local mass = scene:minimizer { targets = unknowns, energies = inertia }
      :hessian { projection = "none", drop_held = true }
    solved = core.array(mass:solve(-all), 1)
  end
  for i, unknown in ipairs(unknowns) do
    local size = forces[i].count
    result[i] = core.array(solved:slice(first, first + size - 1), unknown.rows, unknown.cols)
    first = first + size
  end
  return result
end

function newmark.begin_step(self, scene, h)
  local beta = self.options.beta
  self.h, self.before = h, {}
  if next(self.history) == nil and #body_module.bodies(scene) > 0 then
    local list, i = accelerations(scene), 0
    each_unknown(scene, function(_, key)
      i = i + 1
      self.history[key .. ".acceleration"] = list[i]
    end)
  end
  prepare(scene, 1 / (beta * h ^ 2), function(q, v, key)
    local a = self.history[key .. ".acceleration"]
    self.before[key] = v + h * (1 - self.options.gamma) * a
    return q + h * v + (0.5 - beta) * h ^ 2 * a
  end)
end

-- What is held moves evenly in a step, without acceleration: the formula would let its velocity
-- swing about the one it has, as nothing damps it.
local function even_where_held(part, h, value, velocity, acceleration)
  local held = hold.mask(part.value)
  if not held then return velocity, acceleration end
  local even = (value - part.last:value()) / h
  return velocity + held * (even - velocity), acceleration - held * acceleration
end
function newmark.end_step(self, scene)
  local h = self.h
  each_unknown(scene, function(part, key)
    local value = part.value:value()
    local a = (value - part.predicted:value()) / (self.options.beta * h ^ 2)
    local v = self.before[key] + self.options.gamma * h * a
    v, a = even_where_held(part, h, value, v, a)
    part.velocity:update(v)
    self.history[key .. ".acceleration"] = a
  end)
end

function newmark.check(given)
  local checked = options.check("simulate: newmark", given,
    { beta = "positive", gamma = "positive" })
  checked.beta, checked.gamma = checked.beta or 0.25, checked.gamma or 0.5
  if checked.gamma < 0.5 then
    errors.fail_hint("ARGUMENT", "gamma = 0.5 conserves energy, more damps",
      "simulate: newmark: 'gamma' below 0.5 adds energy in every step, got %g", checked.gamma)
  end
  return checked
end

-- Quasi-static: equilibrium of the potentials, no inertia.
local quasistatic = {}

function quasistatic.begin_step(_, scene, _)
  prepare(scene, 0, function(q) return q end)
end

function quasistatic.end_step(_, scene)
  each_unknown(scene, function(part) part.velocity:update(0) end)
end

local known <const> = { implicit_euler = implicit_euler, bdf2 = bdf2, newmark = newmark,
  quasistatic = quasistatic }

M.names = errors.sorted_keys(known)

-- Objects that step a scene by themselves: std.integrate makes them.
local function is_stepper(value)
  return type(value) == "table" and type(value.advance) == "function"
end

--- Raises unless a value can be the integrator of a scene.
function M.check(scene, value)
  if type(value) ~= "table" or not getmetatable(value) then
    options.check("basin.simulate", { integrator = value }, { integrator = M.names })
  elseif not is_stepper(value) then
    errors.fail_hint("ARGUMENT", "integrator = std.integrate.rattle(scene, { dt = 0.01 })",
      "basin.simulate: 'integrator' must be a name or a stepper, got a %s",
      options.type_name(value))
  elseif value.scene ~= scene then
    errors.fail("OWNER", "basin.simulate: the stepper belongs to scene '%s', this is '%s'",
      value.scene.name, scene.name)
  end
end

--- An integrator of that name, or a stepper. begin_step(scene, h) sets predictions and weight;
--- end_step(scene) sets velocities; history: arrays that a checkpoint must keep. Steppers have
--- advance(state), which moves the unknowns in place of a minimization.
function M.new(value, given)
  local own = known[value]
  if given.newmark and own ~= newmark then
    errors.fail("ARGUMENT", "basin.simulate: option 'newmark' is for integrator = \"newmark\"")
  end
  if not own then return value end
  return setmetatable({ name = value, history = {},
    options = own.check and own.check(given[value]) }, { __index = own })
end

return M
