-- Rigid bodies with joints: velocity time-stepping with quaternions.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local core = require "basin.core"
local errors = require "basin.errors"
local hold = require "basin.hold"
local options = require "basin.options"
local quaternion = require "basin.std.rotation.quaternion"
local rows = require "basin.std.integrate.rows"
local stepper = require "basin.std.integrate.stepper"

local WHERE <const> = "std.integrate.rigid"
local spec <const> = { dt = "positive", gravity = "vector", beta = "nonnegative", bodies = "any" }

local Stepper = { __name = "basin.std.stepper" }
Stepper.__index = Stepper

function Stepper.__tostring(self) return ("stepper rigid of scene '%s'"):format(self.scene.name) end

local function flat(array) return basin.array.from(array, { rows = 1 }) end

-- d (velocity, angular velocity) / d (momentum, angular momentum), from compiled derivatives.
local function inverse_inertia(self)
  local b = self.bodies
  local inverse = {}
  for i, mass in ipairs(b.mass:value():table()) do
    for k = 1, 3 do inverse[3 * i - 3 + k] = 1 / mass end
  end
  return basin.sparse.diagonal(inverse), basin.jacobian(self.spin_of, { self.momentum })
end

-- c and dc / d (velocity, angular velocity): a turn w changes q by E(q)^T w / 2.
local function joint_rows(self)
  local b, values, linear, angular = self.bodies, {}, {}, {}
  for _, constraint in ipairs(self.scene:constraints()) do
    if constraint.enabled then
      values[#values + 1] = flat(constraint:compute())
      linear[#linear + 1] = { constraint:jacobian { b.position } }
      angular[#angular + 1] = { constraint:jacobian { b.orientation } }
    end
  end
  if #values == 0 then return nil end
  local c = #values == 1 and values[1] or basin.array.joined(values)
  local turn = basin.jacobian(self.rate, { self.turn })
  return c, basin.sparse.blocks(linear), basin.sparse.blocks(angular) * turn
end

-- The impulses y with J u' = -(beta/h) c, and the inverse masses.
local function impulses(self, h, c, A, B, u, w)
  local inverse_mass, inverse = inverse_inertia(self)
  local matrix = A * inverse_mass * A:T() + B * inverse * B:T()
  local b = A * u + B * w + self.options.beta / h * c
  return rows.solve(WHERE, matrix, "cholesky", -b), inverse_mass
end

function Stepper.begin_step(self)
  for _, energy in ipairs(self.scene:energies()) do
    if energy.enabled then
      errors.fail_hint("UNSUPPORTED", "energy:disable(), or another integrator",
        "%s moves bodies by joints and gravity alone, but the scene has energy '%s'", WHERE,
        energy.name)
    end
  end
  for _, unknown in ipairs { self.bodies.position, self.bodies.orientation } do
    if #(hold.numbers(unknown) or {}) > 0 then
      errors.fail_hint("UNSUPPORTED", "a constraint holds a body: scene:add_constraint( … )",
        "%s cannot leave '%s' as it is, which is held", WHERE, unknown:full_name())
    end
  end
end

function Stepper.end_step() end

---One step in place of a minimization. Returns its report.
function Stepper.advance(self, state)
  local b, h, start = self.bodies, state.time_step, core.seconds()
  local g = state.gravity
  local v = flat(b.velocity:value() + basin.array.filled(b.count, { h * g[1], h * g[2], h * g[3] }))
  local L = self.momentum:value()
  local c, A, B = joint_rows(self)
  if c then
    local y, inverse_mass = impulses(self, h, c, A, B, v, flat(self.spin_of:compute()))
    v = v + inverse_mass * flat(A:apply_transposed(y))
    L = basin.array.from(flat(L) + flat(B:apply_transposed(y)), { rows = 3 })
    self.multipliers = y / h
  end
  b.velocity:update(basin.array.from(v, { rows = 3 }))
  self.momentum:update(L)
  b.angular_velocity:update(self.spin_of:compute())
  b.position:update(b.position:value() + h * b.velocity:value())
  b.orientation:update(b:evaluate(self.turned))
  return stepper.report(start, 1)
end

---One step of time. Returns its report.
function Stepper.step(self) return self.simulation:step() end

---The energy of motion of all bodies, J.
function Stepper.kinetic_energy(self)
  local b = self.bodies
  return 0.5 * (b.mass:value() * (b.velocity:value():lengths() ^ 2)):sum()
    + 0.5 * flat(b.angular_velocity:value()):dot(flat(b.angular_momentum:value()))
end

---The largest |c| of the joints.
function Stepper.constraint_error(self)
  local c = joint_rows(self)
  return c and c:max_abs() or 0
end

local function check_bodies(scene, given)
  local good = type(given) == "table" and rawget(given, "_children")
    and rawget(given, "_children").angular_momentum
  if not good then
    errors.fail_hint("ARGUMENT", "bodies = std.body.rigid(scene, \"parts\", { … })",
      "%s: 'bodies' must be what std.body.rigid returns, got a %s", WHERE,
      options.type_name(given))
  end
  if given._scene ~= scene then
    errors.fail("OWNER", "%s: the bodies belong to another scene", WHERE)
  end
  return given
end

---std.integrate.rigid(scene, options): L' = L + J^T y and v' = v + h g + J^T y / m with J u' =
----(beta/h) c, x' = x + h v', q' = exp(h w') q, with inverse inertias and J at the start of the
---step. A stepper with `step`, `kinetic_energy`, `constraint_error`. Joints are constraints of the
---positions and orientations, for example of std.rotation.hinge. Energies and held unknowns are
---refused. Options:
---  dt       of a step, s
---  bodies   what std.body.rigid returned
---  gravity  3 numbers
---  beta     the part of the joints' error that a step takes back, 0.2
return function(scene, given)
  if not require("basin.scene").is(scene) then
    errors.fail_hint("ARGUMENT", WHERE .. "(scene, { dt = 0.01, bodies = bodies })",
      "%s: the first argument must be a scene, got a %s", WHERE, options.type_name(scene))
  end
  local checked = options.check(WHERE, given, spec, { "dt", "bodies" })
  checked.beta = checked.beta or 0.2
  local b = check_bodies(scene, checked.bodies)
  local q, L = b.orientation, b.angular_momentum
  local R = quaternion.matrix(q)
  local turn = b:add_attribute("turn", { rows = 3, value = { 0, 0, 0 } })
  local self = { scene = scene, name = "rigid", where = WHERE, options = checked, bodies = b,
    dt = checked.dt, gravity = checked.gravity, history = {}, momentum = L, turn = turn,
    spin_of = R * (b.inertia ^ -1):hadamard(R:T() * L),
    rate = quaternion.rate(q, turn),
    turned = quaternion.product(quaternion.exponential(scene:motion().time_step
      * b.angular_velocity), q):normalized() }
  return stepper.ready(setmetatable(self, Stepper))
end
