-- Two free bodies joined by a lock or a hinge.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local function build(case)
  local p = case.params
  local scene = basin.scene "pair"
  -- The start is off by the rotation vector e0.
  local e = p.e0
  local angle = math.sqrt(e[1] ^ 2 + e[2] ^ 2 + e[3] ^ 2)
  local factor = angle > 0 and math.sin(angle / 2) / angle or 0
  local bodies = std.body.rigid(scene, "pair", {
    position = { { 0, 0, 0 }, { 1, 0, 0 } }, mass = 1, inertia = { p.I1, p.I2 },
    spin = { p.w1, p.w2 },
    orientation = { { 1, 0, 0, 0 }, { math.cos(angle / 2), factor * e[1], factor * e[2],
      factor * e[3] } },
  })
  local momenta = { {}, {} }
  for i = 1, 3 do momenta[1][i], momenta[2][i] = p.I1[i] * p.w1[i], p.I2[i] * p.w2[i] end
  bodies.angular_momentum:update(momenta) -- the case gives them along unturned axes
  local joint = scene.pair:add_primitive("joint", 1)
  local q = joint:add_connectivity("bodies", bodies, { { 0, 1 } }, 2):gather(bodies.orientation)
  local p1, p2 = q:row(1):T(), q:row(2):T()
  local rotation = std.rotation
  scene:add_constraint(p.hinge and rotation.hinge.error(p1, p2, case.inputs.a, case.inputs.b)
    or rotation.locked.error(p1, p2), { name = "joint" })
  local twist = rotation.quaternion.product(rotation.quaternion.conjugate(p1), p2)
  return scene, bodies, joint, twist
end

return function(case, checker)
  local p, expect = case.params, case.expect
  local scene, bodies, joint, twist = build(case)
  local stepper = std.integrate.rigid(scene, { dt = p.h, bodies = bodies, beta = p.beta })
  local drift, kinetic, angles, largest = {}, {}, {}, 0
  for k = 1, p.steps do
    stepper:step()
    local off = stepper:constraint_error()
    largest = math.max(largest, off)
    if k % 10 == 1 then
      local q = joint:evaluate(twist):table()[1]
      local turn = q[2] * p.axis[1] + q[3] * p.axis[2] + q[4] * p.axis[3]
      drift[#drift + 1], kinetic[#kinetic + 1] = off, stepper:kinetic_energy()
      angles[#angles + 1] = 2 * math.atan(turn, q[1])
    end
    local expected = expect.states[tostring(k)]
    if expected then
      local fields = { q = bodies.orientation, w = bodies.angular_velocity,
        L = bodies.angular_momentum }
      for name, attribute in pairs(fields) do
        local rows = attribute:value():table()
        for i = 1, 2 do
          checker:compare(("%s%d after %d"):format(name, i, k), "states", expected[name .. i],
            rows[i])
        end
      end
    end
  end
  checker:compare("joint error", "drift", expect.drift_every_10, drift)
  checker:compare("largest joint error", "drift", expect.drift_max, largest)
  checker:compare("kinetic energy", "states", expect.kinetic_every_10, kinetic)
  checker:compare("angle", "states", expect.angle_every_10, angles)
  local total = bodies.angular_momentum:value()
  checker:compare("angular momentum", "momentum", expect.total_angular_momentum,
    { total:component(1):sum(), total:component(2):sum(), total:component(3):sum() })
end
