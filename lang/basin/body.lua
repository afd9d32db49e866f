-- Bodies: how unknowns that move with inertia are registered with a scene, so that basin.simulate
-- can step them.
-- SPDX-License-Identifier: Apache-2.0
--
-- The protocol, used by stdlib/body and open to scripts:
--
--   scene:motion()              constants of the scene, made on first use:
--                               time_step (h), gravity (3x1), inertia_weight (1/h^2 for implicit
--                               Euler)
--   scene:add_body { … }        registers unknowns that move:
--     name       for energies and reports
--     unknowns   list of data attributes: {x}, or {A, t}; they become minimization targets
--     velocities list of constants of the same shapes; made as "<unknown>_velocity" where absent
--     inertia    function(d1, d2, …) -> scalar expression, half of d^T M d for a change d of each
--     unknown
--     gravity    function(g) -> scalar expression, the potential of the weight; g is 3x1; optional
--     and every field of add_step_hook
--   scene:add_step_hook { … }   for constraints and contacts:
--     name, begin_step = function(state), end_step = function(state): state has scene, step, time
--                (at the end of the step), time_step, gravity, and minimize(options), which
--                minimizes at once, with these options of basin.newton; before a step also moves,
--                what held unknowns are to do in it, and limit(moves, except) (basin.moves)
--     solved     function(state, report): after a minimization; true asks for another one before
--                the step ends
--     report     function(): a line of the report of simulate, or nil
--     costs      function(): seconds of the phases of collision since it began, for the report:
--                {broad =, narrow =, steps =, fill =}
--     refresh    function(): after every change of the unknowns inside a solve
--     filters    list of basin.filter values
--     moves      list of held unknowns that follow paths: {attribute =, indices = array, path =
--                function(time) -> their values, pieces = straight pieces within a step (1)}
--     planes     list of {normal =, offset =}, drawn in pictures
--     surface    {positions = expression, triangles =, edges =, tets =, labels =}: what output
--     shows; labels from 0, one a
--                position, pick colours
--
-- add_body returns a body: body.unknowns[i] has value (the attribute), velocity, last (the unknown
-- at the start of the step), predicted (where it would go without forces), all constants but the
-- first; and body.inertia, body.gravity, the energies. Every energy is a potential in joules,
-- without powers of the time step: the integrator scales the inertia alone,
--   E = inertia_weight * 1/2 (q - predicted)^T M (q - predicted) + potentials(q).
local attribute = require "basin.attribute"
local energy = require "basin.energy"
local errors = require "basin.errors"
local expression = require "basin.expression"
local options = require "basin.options"

local M = {}

local hook_spec = { name = "string", begin_step = "function", end_step = "function",
  refresh = "function", solved = "function", report = "function", costs = "function",
  filters = "table", moves = "table", planes = "table", surface = "table" }

--- The constants of motion of a scene.
function M.motion(scene)
  local motion = rawget(scene, "_motion")
  if motion then return motion end
  motion = {
    time_step = scene:add_constant("time_step", { value = 1 }),
    gravity = scene:add_constant("gravity", { rows = 3, value = { 0, 0, 0 } }),
    inertia_weight = scene:add_constant("inertia_weight", { value = 1 }),
  }
  scene._motion = motion
  return motion
end

--- Registers what happens around steps.
function M.add_step_hook(scene, given)
  local hook = options.check("add_step_hook", given, hook_spec, { "name" })
  local hooks = rawget(scene, "_hooks") or {}
  hooks[#hooks + 1] = hook
  scene._hooks = hooks
  return hook
end

local function companion(unknown, suffix, value)
  return unknown:owner():add_constant(unknown:name() .. suffix,
    { rows = unknown.rows, cols = unknown.cols, value = value })
end

local function check_unknowns(scene, given)
  for i, unknown in ipairs(given.unknowns) do
    if not attribute.is(unknown) or unknown:kind() ~= "data" then
      errors.fail("ARGUMENT", "add_body '%s': unknown %d is no data attribute", given.name, i)
    end
    if unknown._scene ~= scene then
      errors.fail("OWNER", "add_body '%s': '%s' belongs to another scene", given.name,
        unknown:full_name())
    end
  end
  if #given.unknowns == 0 then
    errors.fail("ARGUMENT", "add_body '%s': there are no unknowns", given.name)
  end
end

local function add_parts(given)
  local parts = {}
  for i, unknown in ipairs(given.unknowns) do
    local velocity = given.velocities and given.velocities[i]
    if velocity and not (attribute.is(velocity) and velocity:kind() == "constant"
      and velocity:owner() == unknown:owner()
        and velocity.rows == unknown.rows and velocity.cols == unknown.cols) then
      errors.fail("SHAPE",
        "add_body '%s': velocity %d must be a constant of the shape and owner of '%s'", given.name,
        i, unknown:full_name())
    end
    local value = unknown:value()
    parts[i] = { value = unknown, velocity = velocity or companion(unknown, "_velocity"),
      last = companion(unknown, "_last", value),
      predicted = companion(unknown, "_predicted", value) }
  end
  return parts
end

local body_spec = { unknowns = "table", velocities = "table", inertia = "function",
  gravity = "function" }
for key, kind in pairs(hook_spec) do body_spec[key] = kind end

--- Registers a body.
function M.add_body(scene, given)
  local checked = options.check("add_body", given, body_spec, { "name", "unknowns", "inertia" })
  check_unknowns(scene, checked)
  local motion = M.motion(scene)
  local body = { name = checked.name, unknowns = add_parts(checked), surface = checked.surface }
  local changes = {}
  for i, part in ipairs(body.unknowns) do changes[i] = part.value - part.predicted end
  local kinetic = expression.to_expression(checked.inertia(table.unpack(changes)),
    "add_body: inertia")
  body.inertia = energy.add(scene, motion.inertia_weight * kinetic,
    { name = checked.name .. ".inertia", projection = "none" })
  if checked.gravity then
    local potential = expression.to_expression(checked.gravity(motion.gravity), "add_body: gravity")
    body.gravity = energy.add(scene, potential,
      { name = checked.name .. ".gravity", projection = "none" })
  end
  local hook = {}
  for key in pairs(hook_spec) do hook[key] = checked[key] end
  M.add_step_hook(scene, hook)
  local missing = {}
  for _, unknown in ipairs(checked.unknowns) do
    local known = false
    for _, target in ipairs(scene._targets) do known = known or target == unknown end
    if not known then missing[#missing + 1] = unknown end
  end
  if #missing > 0 then scene:add_minimize_target(missing) end
  local bodies = rawget(scene, "_bodies") or {}
  bodies[#bodies + 1] = body
  scene._bodies = bodies
  return body
end

--- The bodies of a scene, in order.
function M.bodies(scene)
  return rawget(scene, "_bodies") or {}
end

function M.hooks(scene)
  return rawget(scene, "_hooks") or {}
end

return M
