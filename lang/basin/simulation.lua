-- basin.simulate: steps of time over the bodies and hooks of a scene (protocol: body.lua).
-- SPDX-License-Identifier: Apache-2.0
local body_module = require "basin.body"
local checkpoint = require "basin.checkpoint"
local core = require "basin.core"
local errors = require "basin.errors"
local integrator = require "basin.integrator"
local minimize = require "basin.minimize"
local monitor = require "basin.monitor"
local moves = require "basin.moves"
local newton = require "basin.newton"
local options = require "basin.options"
local output = require "basin.output"
local report_module = require "basin.report"
local scene_module = require "basin.scene"
local session = require "basin.session"
local surface = require "basin.surface"

local M = {}

local Simulation = { __name = "basin.simulation" }
Simulation.__index = Simulation

local spec = { dt = "positive", steps = "whole", gravity = "vector",
  integrator = "any", newmark = "table", newton = "table", solve = "table", output = "table",
  checkpoint = "table", restart = "string", on_step = "function", log = "any", progress = "any" }

local function check_gravity(gravity)
  if gravity == nil then return { 0, 0, 0 } end
  if #gravity ~= 2 and #gravity ~= 3 then
    errors.fail_hint("LENGTH", "gravity = { 0, -9.8, 0 }, in the plane { 0, -9.8 }",
      "basin.simulate: 'gravity' needs 2 or 3 numbers, got %d", #gravity)
  end
  return { gravity[1], gravity[2], gravity[3] or 0 }
end

-- Steps with much contact and friction take many short iterations before they end as they should.
local MAX_ITERATIONS <const> = { newton = 400, first_order = 4000 }

-- Checked options of the minimization of a step, those of Newton's method or of the one that
-- `solve` names.
local function solve_options(checked)
  if checked.newton and checked.solve then
    errors.fail_hint("ARGUMENT", 'solve = { method = "newton", … } takes the options of newton',
      "basin.simulate: give 'newton' or 'solve', not both")
  end
  local given
  if checked.solve then
    given = minimize.check("simulate: solve", checked.solve)
  else
    given = newton.check("simulate: newton", checked.newton)
    given.method = "newton"
  end
  local static = checked.integrator == "quasistatic"
  given.rule = given.rule or "step"
  if given.rule == "step" then
    given.step_scale = given.step_scale or (static and 1 or checked.dt)
  end
  given.tolerance = given.tolerance or (static and 1e-6 or 1e-2)
  given.max_iterations = given.max_iterations
    or MAX_ITERATIONS[given.method == "newton" and "newton" or "first_order"]
  return given
end

-- A stepper has a time step and gravity of its own, which options of simulate replace.
local function settle_stepper(checked)
  local own = type(checked.integrator) == "table" and checked.integrator
  if own then
    local minimizing = checked.newton and "newton" or checked.solve and "solve"
    if minimizing then
      errors.fail("ARGUMENT", "basin.simulate: '%s' is explicit and takes no option '%s'", own.name,
        minimizing)
    end
    checked.dt, checked.gravity = checked.dt or own.dt, checked.gravity or own.gravity
  end
  if not checked.dt then errors.fail("ARGUMENT", "basin.simulate: option 'dt' is missing") end
end

--- Checks the options of simulate and makes a simulation that has not stepped yet.
function M.new(scene, given)
  if not scene_module.is(scene) then
    errors.fail("ARGUMENT", "basin.simulate: a scene is needed, got a %s", options.type_name(scene))
  end
  local checked = options.check("basin.simulate", given, spec)
  checked.integrator = checked.integrator or "implicit_euler"
  integrator.check(scene, checked.integrator)
  settle_stepper(checked)
  checked.checkpoint = checked.checkpoint and
    options.check("simulate: checkpoint", checked.checkpoint,
      { file = "string", every = "count" }, { "file" })
  if #body_module.bodies(scene) == 0 and #scene._targets == 0 then
    errors.fail_hint("STATE",
      "std.body.soft, std.body.cloth, … register bodies; or call scene:add_minimize_target",
      "basin.simulate: the scene has nothing that moves")
  end
  local self = setmetatable({ scene = scene, options = checked, step_number = 0, time = 0,
    dt = checked.dt, gravity = check_gravity(checked.gravity),
    integrator = integrator.new(checked.integrator, checked), solve = solve_options(checked),
      report = report_module.new(scene, checked) }, Simulation)
  scene._simulation = self
  if self.integrator.advance then self.integrator.simulation = self end -- it goes on from there
  self:_set_constants()
  if checked.restart then self:_restart(checked.restart) end
  return self
end

-- Also before the first step: checks and host programs look at energies there.
function Simulation:_set_constants()
  local motion = body_module.motion(self.scene)
  motion.time_step:update(self.dt)
  motion.gravity:update(self.gravity)
end

function Simulation:_state()
  return { scene = self.scene, step = self.step_number, time = self.time, time_step = self.dt,
    gravity = self.gravity, moves = self.moves,
    minimize = function(given) return self:_minimize(given) end,
    limit = function(list, except) return self:_limit(list, except) end }
end

local function call_hooks(self, name)
  local state = self:_state()
  for _, hook in ipairs(body_module.hooks(self.scene)) do
    if hook[name] then hook[name](state) end
  end
end

local function gather(self, field)
  local list = {}
  for _, hook in ipairs(body_module.hooks(self.scene)) do
    for _, item in ipairs(hook[field] or {}) do list[#list + 1] = item end
  end
  return list
end

local function refresh_of(self)
  local functions = { self.solve.refresh }
  for _, hook in ipairs(body_module.hooks(self.scene)) do
    functions[#functions + 1] = hook.refresh
  end
  if #functions == 0 then return nil end
  return function()
    for _, call in ipairs(functions) do call() end
  end
end

-- ---- what a step changes, to undo it ----

-- The arrays whose values are kept, in the runtime: on a device they stay there.
local function save_state(scene)
  local saved = {}
  local function keep(attribute)
    local array = rawget(attribute, "_array")
    scene._system:keep(array)
    saved[#saved + 1] = array
  end
  for _, target in ipairs(scene:targets()) do keep(target) end
  for _, body in ipairs(body_module.bodies(scene)) do
    for _, part in ipairs(body.unknowns) do keep(part.velocity) end
  end
  return saved
end

-- Puts unknowns and velocities back to where the step began.
local function undo(self, saved)
  self.step_number = self.step_number - 1
  self.time = self.step_number * self.dt
  for _, array in ipairs(saved) do self.scene._system:restore(array) end
end

local function monitor_of(self)
  local own, log, report = self.solve.monitor, self.log, self.report
  return function(iteration)
    if iteration.alpha < report.smallest_alpha then report.smallest_alpha = iteration.alpha end
    if log then log:iteration(self.step_number, iteration) end
    if own then return own(iteration) end
  end
end

-- One minimization with the options of the simulation, of which `given` replaces some.
function Simulation:_minimize(given)
  local call = {}
  for key, value in pairs(self.solve) do call[key] = value end
  for key, value in pairs(given or {}) do call[key] = value end
  call.refresh, call.monitor = refresh_of(self), monitor_of(self)
  return minimize.run(self.scene:main_minimizer(), call, gather(self, "filters"))
end

-- How far held unknowns may go at once, by all filters but one.
function Simulation:_limit(list, except)
  local filters = {}
  for _, item in ipairs(self.solve.filters or {}) do filters[#filters + 1] = item end
  for _, item in ipairs(gather(self, "filters")) do
    if item ~= except then filters[#filters + 1] = item end
  end
  return moves.limit(self.scene:main_minimizer(), list, filters)
end

-- Whether a hook asks to minimize again from the present values, with other constants.
local function wants_more(self, result)
  local state, more = self:_state(), false
  for _, hook in ipairs(body_module.hooks(self.scene)) do
    if hook.solved then more = hook.solved(state, result) or more end
  end
  return more
end

local added <const> = { "iterations", "linear_iterations", "line_search_trials", "seconds",
  "seconds_assembly", "seconds_solve", "seconds_line_search", "seconds_filter",
  "seconds_pairs", "seconds_pair_energy" }

-- Minimizes, again as long as hooks ask for it; the counts and times of all are added.
local function solve(self)
  local result = self:_minimize()
  while not result.interrupted and wants_more(self, result) do
    local before = result
    result = self:_minimize()
    for _, key in ipairs(added) do result[key] = result[key] + before[key] end
  end
  return result
end

local function fail_diverged(self, result)
  errors.fail_hint("NOT_FINITE", self.integrator.name == "quasistatic"
    and "without inertia nothing holds a body that no pin or contact does"
    or "an energy that has no minimum (look at its sign), or a time step so long that rounding "
      .. "hides the inertia",
    "basin.simulate: step %d: %s", self.step_number, result.reason)
end

local function advance(self)
  local scene = self.scene
  self:_set_constants()
  self.integrator:begin_step(scene, self.dt)
  self.moves = moves.begin(body_module.hooks(scene), self.time, self.dt)
  call_hooks(self, "begin_step")
  local stepper = self.integrator
  moves.finish(self.moves, function(list) return stepper.advance and 1 or self:_limit(list) end,
    function(given) return self:_minimize(given) end)
  self.moves = nil
  local result = stepper.advance and stepper:advance(self:_state()) or solve(self)
  if result.diverged then fail_diverged(self, result) end
  if not result.interrupted then
    self.integrator:end_step(scene)
    call_hooks(self, "end_step")
  end
  return result
end

-- Errors of the core know where they happened, others get a traceback.
local function keep_place(value)
  if errors.is_error(value) then return value end
  return debug.traceback(tostring(value), 2)
end

--- One step of time. Returns the report of its minimization. A step that is interrupted or raises
--- an error is undone: unknowns and velocities are those before it.
function Simulation:step()
  local saved = save_state(self.scene)
  self.step_number = self.step_number + 1
  self.time = self.step_number * self.dt
  local ok, result = xpcall(advance, keep_place, self)
  if not ok then
    pcall(undo, self, saved) -- the error is the one to report
    error(result, 0)
  end
  if result.interrupted then undo(self, saved) end
  self.report:add_step(result)
  return result
end

-- ---- files ----

local function frames_of(self)
  local given = self.options.output
  if not given then return nil end
  local more = { every = "count" }
  for key, kind in pairs(output.spec) do more[key] = kind end
  local checked = options.check("simulate: output", given, more, { "folder" })
  self.frame_every = checked.every or 1
  checked.every = nil
  surface.complete(self.scene, checked, gather(self, "planes"))
  return output.new(checked)
end

-- The camera is chosen before, from the state that the first frame of the first run showed.
function Simulation:_restart(file)
  if session.mode ~= "declare" then
    self.frames = frames_of(self)
    if self.frames then self.frames:aim() end
  end
  checkpoint.restore(self.scene, file)
end

local function write_frame(self, frames, first)
  if not frames or (not first and self.step_number % self.frame_every ~= 0) then return end
  local start = core.seconds()
  frames:write(self.time)
  self.report.seconds_output = self.report.seconds_output + core.seconds() - start
end

local function save_now(self, why)
  local given = self.options.checkpoint
  local file = given and session.output_file(given.file) or self.frames
    and (self.frames.folder .. "/" .. why .. ".npz") or why .. ".npz"
  checkpoint.save(self.scene, file)
  return file
end

local function interrupted(self)
  local file = save_now(self, "interrupted")
  self.report.interrupted = true
  if session.command then
    errors.fail("INTERRUPTED", "interrupted after step %d of %d; the state is in %s",
      self.step_number, self.options.steps, file)
  end
end

-- The checkpoint comes last: it holds what on_step updates.
local function after_step(self, result)
  write_frame(self, self.frames, false)
  local given, go_on = self.options.checkpoint, true
  if self.options.on_step then
    local state = self:_state()
    state.report = result
    go_on = self.options.on_step(state) ~= false
  end
  if given and self.step_number % (given.every or 1) == 0 then save_now(self, "checkpoint") end
  return go_on
end

local function run_steps(self, progress, start)
  while self.step_number < self.options.steps do
    local result = self:step()
    if result.interrupted then return interrupted(self) end
    local go_on = after_step(self, result)
    self.report.seconds = core.seconds() - start
    progress:update(self.step_number, self.time, result)
    if self.scene._context:interrupted() then return interrupted(self) end
    if not go_on then break end
  end
end

--- Steps to the end with output, log, progress and checkpoints. Returns the report.
function Simulation:run()
  if not self.options.steps then
    errors.fail("ARGUMENT", "basin.simulate: option 'steps' is missing")
  end
  local start = core.seconds()
  self.report.ran = true
  self.frames = self.frames or frames_of(self)
  self.log = monitor.log(self.options.log, self.frames and self.frames.folder, self.scene,
    self.step_number)
  local progress = monitor.progress(self.options.progress, self.scene.name, self.options.steps)
  if self.step_number == 0 then
    write_frame(self, self.frames, true)
  elseif self.frames then
    self.frames:continue_at(self.step_number // self.frame_every + 1)
  end
  if session.command then session.command.saving(true) end
  local ok, problem = xpcall(run_steps, keep_place, self, progress, start)
  if session.command then session.command.saving(false) end
  self.report.seconds = core.seconds() - start
  progress:close()
  local lost = self.log and self.log:close(self.report:text())
  self.log = nil
  if not ok then error(problem, 0) end
  if lost then errors.fail("IO", "cannot write the log: %s", lost) end
  return self.report
end

--- basin.simulate(scene, {dt=, steps=, gravity=, integrator=, newmark={…}, newton={…},
--- solve={method=, …}, output={…}, checkpoint={file=, every=}, restart=, on_step=, log=,
--- progress=}). `solve` takes the options of basin.minimize in the place of `newton`. In a host
--- program, and under `basin check`, it only records what was asked.
function M.simulate(scene, given)
  local simulation = M.new(scene, given)
  if session.mode == "declare" then return simulation.report end
  return simulation:run()
end

return M
