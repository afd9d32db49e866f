-- Steppers: explicit and constraint-based integrators of a scene.
-- SPDX-License-Identifier: Apache-2.0
--
-- A stepper is one file that returns define { ... } of a table with
--   name         the file's name
--   doc          what a step does, in formulas: a = M^-1 f, J = dc/dx, W = M^-1
--   reference    where the method comes from
--   options      its options beside dt, gravity and hold, in order: { name, kind as options.check
--                takes it, default, what it is }
--   constraints  whether it keeps the constraints of the scene (true by default)
--   soft         whether it knows compliance
--   step         function(self, h): moves self.system by one step; returns the iterations
local body_module = require "basin.body"
local core = require "basin.core"
local errors = require "basin.errors"
local held = require "basin.std.integrate.held"
local options = require "basin.options"
local rows = require "basin.std.integrate.rows"
local simulation = require "basin.simulation"
local system = require "basin.std.integrate.system"
local M = {}

local Stepper = { __name = "basin.std.stepper" }

-- ---- what a scene has that no explicit step can respect ----

local function check_hooks(self)
  for _, hook in ipairs(body_module.hooks(self.scene)) do
    if hook.refresh or hook.solved or hook.planes then
      errors.fail_hint("UNSUPPORTED", "basin.simulate's own integrators keep bodies apart",
        "%s: the scene has contact ('%s'), which needs steps that are cut short before a collision",
        self.where, hook.name)
    end
  end
end

local function check_constraints(self)
  local method, list = self.method, self.scene:constraints()
  for _, constraint in ipairs(list) do
    if constraint.enabled and method.constraints == false then
      errors.fail_hint("UNSUPPORTED", "std.integrate.rattle and others keep constraints",
        "%s knows no constraints, but the scene has '%s'", self.where, constraint.name)
    end
    if constraint.enabled and not method.soft and constraint:compliances() then
      errors.fail_hint("UNSUPPORTED", "std.integrate.xpbd knows compliance",
        "%s holds constraints exactly, but '%s' has a compliance", self.where, constraint.name)
    end
  end
end

-- ---- the protocol of integrators, called by the simulation ----

local methods = {}
local optional <const> = { gravity = true, history_h = true, multipliers = true, rows = true }

function Stepper.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if not optional[key] then
    errors.unknown_field("stepper", key, methods, { scene = true, name = true, options = true })
  end
end

function Stepper.__tostring(self)
  return ("stepper %s of scene '%s'"):format(self.name, self.scene.name)
end

function methods.begin_step(self)
  check_hooks(self)
  check_constraints(self)
  self.system:refresh()
  for _, part in ipairs(self.system.parts) do part.last:update(part.value:value()) end
end

local idle <const> = { "linear_iterations", "line_search_trials", "seconds_assembly",
  "seconds_solve", "seconds_line_search", "seconds_filter", "seconds_pairs", "seconds_pair_energy" }

---The report of a step that began at `start`, in the form of that of a minimization.
function M.report(start, iterations)
  local result = { reason = "explicit step", converged = true, iterations = iterations,
    seconds = core.seconds() - start }
  for _, key in ipairs(idle) do result[key] = 0 end
  return result
end

---One step in place of a minimization. Returns its report.
function methods.advance(self, state)
  local start = core.seconds()
  self.rows = rows.new(self.where, self.system)
  local iterations = self.method.step(self, state.time_step) or 1
  held.move(self.where, self.system, state.time, state.time_step)
  return M.report(start, iterations)
end

function methods.end_step() end

-- ---- for methods ----

---New positions and velocities.
function methods.move(self, x, v)
  if not (x:is_finite() and v:is_finite()) then
    errors.fail_hint("NOT_FINITE", "a shorter time step, or an integrator of basin.simulate",
      "%s: positions are no longer finite: the step is too long for these forces", self.where)
  end
  self.system:set_position(x)
  self.system:set_velocity(v)
end

-- ---- for scripts ----

---One step of time. Returns its report.
function methods.step(self) return self.simulation:step() end

---The energy of motion of all that is not held, J.
function methods.kinetic_energy(self) return self.system:kinetic_energy() end

---The energy of everything else, J.
function methods.potential_energy(self) return self.system:potential_energy() end

---Forces of the constraints in the last step by name, one number a row: M a = f + J^T force.
function methods.forces(self)
  return rows.by_name(self.rows, self.multipliers)
end

---The largest |c| of the present positions.
function methods.constraint_error(self)
  return rows.new(self.where, self.system):values():max_abs()
end

---The largest |dc/dt| of the present positions and velocities.
function methods.velocity_error(self)
  local present = rows.new(self.where, self.system)
  return (present:jacobian() * self.system:velocity()):max_abs()
end

local spec <const> = { dt = "positive", gravity = "vector", hold = "table" }

local function check_options(where, method, given)
  local kinds = {}
  for key, kind in pairs(spec) do kinds[key] = kind end
  for _, option in ipairs(method.options or {}) do kinds[option[1]] = option[2] end
  local checked = options.check(where, given, kinds, { "dt" })
  for _, option in ipairs(method.options or {}) do
    checked[option[1]] = options.default(checked, option[1], option[3])
  end
  return checked
end

---Whether a value is a method that `define` made.
function M.is_method(value)
  return type(value) == "table" and getmetatable(value)
    and getmetatable(value).__name == "basin.std.integrator"
end

---Makes a stepper ready to step: a simulation of its own, of which nothing is printed.
function M.ready(self)
  self.simulation = simulation.new(self.scene, { integrator = self })
  self.simulation.report.shown = true
  return self
end

---A function (scene, options) -> stepper.
function M.define(method)
  local where = "std.integrate." .. method.name
  local function new(_, scene, given)
    if not require("basin.scene").is(scene) then
      errors.fail_hint("ARGUMENT", where .. "(scene, { dt = 0.01 })",
        "%s: the first argument must be a scene, got a %s", where, options.type_name(scene))
    end
    local checked = check_options(where, method, given)
    local self = { scene = scene, name = method.name, where = where, method = method,
      options = checked, dt = checked.dt, gravity = checked.gravity, history = {},
      system = system.new(where, scene, checked.hold) }
    setmetatable(self, Stepper)
    return M.ready(self)
  end
  return setmetatable(method, { __call = new, __name = "basin.std.integrator",
    __tostring = function() return ("%s: %s"):format(where, method.doc) end })
end

return M
