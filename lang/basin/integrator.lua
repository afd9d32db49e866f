-- Time integrators: where bodies would go without forces, how inertia is weighed, and the
-- velocities after a step.
-- SPDX-License-Identifier: Apache-2.0
local body_module = require "basin.body"
local errors = require "basin.errors"

local M = {}

local function each_unknown(scene, visit)
  for _, body in ipairs(body_module.bodies(scene)) do
    for i, part in ipairs(body.unknowns) do visit(part, body.name .. "." .. i) end
  end
end

local function prepare(scene, weight, predict)
  body_module.motion(scene).inertia_weight:update(weight)
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

-- Quasi-static: equilibrium of the potentials, no inertia.
local quasistatic = {}

function quasistatic.begin_step(_, scene, _)
  prepare(scene, 0, function(q) return q end)
  for _, body in ipairs(body_module.bodies(scene)) do body.inertia:disable() end
end

function quasistatic.end_step(_, scene)
  each_unknown(scene, function(part) part.velocity:update(0) end)
end

local known <const> = { implicit_euler = implicit_euler, bdf2 = bdf2, quasistatic = quasistatic }

M.names = errors.sorted_keys(known)

--- An integrator of that name. begin_step(scene, h) sets predictions and weight; end_step(scene)
--- sets velocities; history: arrays that a checkpoint must keep.
function M.new(name)
  return setmetatable({ name = name, history = {} }, { __index = known[name] })
end

return M
