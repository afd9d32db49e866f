-- A door on a hinge line, against the exact compound pendulum.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local function build(case)
  local p = case.params
  local scene = basin.scene "door"
  local door = std.body.rigid(scene, "door", { position = { p.arm }, mass = p.m,
    inertia = { p.I } })
  local quaternion = std.rotation.quaternion
  local x, q = door.position, door.orientation
  scene:add_constraint(x - quaternion.rotate(q, p.arm), { name = "point" })
  scene:add_constraint(std.rotation.hinge.error({ 1, 0, 0, 0 }, q, case.inputs.a, case.inputs.b),
    { name = "hinge" })
  return scene, door
end

-- The angle of the exact motion: theta'' = -(m g r / (I + m r^2)) cos theta, by Runge-Kutta.
local function exact_angles(p)
  local r = p.arm[1]
  local factor = p.m * p.g * r / (p.I[3] + p.m * r ^ 2)
  local function slope(theta, omega) return omega, -factor * math.cos(theta) end
  local theta, omega, list = 0, 0, {}
  local parts = 8
  for k = 1, p.steps do
    local h = p.h / parts
    for _ = 1, parts do
      local a1, b1 = slope(theta, omega)
      local a2, b2 = slope(theta + h / 2 * a1, omega + h / 2 * b1)
      local a3, b3 = slope(theta + h / 2 * a2, omega + h / 2 * b2)
      local a4, b4 = slope(theta + h * a3, omega + h * b3)
      theta = theta + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
      omega = omega + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    end
    list[k] = theta
  end
  return list
end

return function(case, checker)
  local p, expect = case.params, case.expect
  local scene, door = build(case)
  local stepper = std.integrate.rigid(scene, { dt = p.h, bodies = door, beta = p.beta,
    gravity = { 0, -p.g, 0 } })
  local list, exact, angles, energy, exact_angle = scene:constraints(), exact_angles(p), {}, {}, {}
  local point, hinge, off, turns, last = 0, 0, 0, 0, 0
  for k = 1, p.steps do
    stepper:step()
    point = math.max(point, basin.array.from(list[1]:compute(), { rows = 1 }):norm())
    hinge = math.max(hinge, list[2]:compute():max_abs())
    local q = door.orientation:value():table()[1]
    local angle = 2 * math.atan(q[4], q[1])
    if angle - last > math.pi then turns = turns - 1 elseif last - angle > math.pi then
      turns = turns + 1
    end
    last = angle
    angle = angle + 2 * math.pi * turns
    off = math.max(off, math.abs(angle - exact[k]))
    if k % 20 == 1 then
      angles[#angles + 1], exact_angle[#exact_angle + 1] = angle, exact[k]
      energy[#energy + 1] = stepper:kinetic_energy() + p.m * p.g * door.position:value()[1][2]
    end
    local expected = expect.states[tostring(k)]
    if expected then
      checker:compare("x after " .. k, "states", expected.x, door.position:value())
      checker:compare("q after " .. k, "states", expected.q, door.orientation:value())
      checker:compare("v after " .. k, "states", expected.v, door.velocity:value())
      checker:compare("w after " .. k, "states", expected.w, door.angular_velocity:value())
    end
  end
  checker:compare("angle", "angle", expect.angle_every_20, angles)
  checker:compare("exact angle", "exact_angle", expect.exact_angle_every_20, exact_angle)
  checker:compare("energy", "states", expect.energy_every_20, energy)
  checker:compare("point drift", "drift", expect.point_drift_max, point)
  checker:within("hinge drift", "abs", 1e-12, expect.hinge_drift_max, hinge)
  checker:compare("largest error of the angle", "angle", expect.angle_error_max, off)
end
