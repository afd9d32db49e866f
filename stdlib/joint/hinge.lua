-- A hinge: two bodies turn about a common axis.
-- SPDX-License-Identifier: Apache-2.0
local coincidence = require "basin.std.joint.coincidence"
local coordinate = require "basin.std.joint.coordinate"
local frame = require "basin.std.joint.frame"

local REACH <const> = 2.5 -- rad, below pi: how far drives look in a step

-- The angle of this sine and cosine that is nearest to the angle `last`: no jump at pi.
local function turned(last, sine, cosine)
  local s, c = last:sin(), last:cos()
  return last + (sine * c - cosine * s):atan2(cosine * c + sine * s)
end

---std.joint.hinge(a, b, options). a and b: affine bodies, { body, copy } or "world". Returns the
---primitive of the joint; its attribute `angle` is that of b against a about the axis in radians, 0
---now. Turns are counted: a step of time may change the angle by less than pi. Options:
---  at         a point on the axis
---  axis       its direction
---  limit      { lower =, upper =, strength = J }: angles that b stays between, from -pi to pi
---  drive      { target =, stiffness = N m/rad }: a spring of the angle; the constant `target` of
---             the joint may be updated, also to whole turns away; it pulls as if it were at most
---             2.5 rad from where the step began
---  width      distance of the two points on the axis that are held, m; the size of the larger body
---             by default
---  stiffness  N/m, of both points; by default so that the weight of both bodies moves them by a
---             hundred-thousandth of their size
---  name       of its mesh
return function(a, b, given)
  local self = frame.new("hinge", a, b, given, { axis = "vector", width = "positive",
    limit = "table", drive = "table" }, { "at", "axis" })
  local n, e = frame.across(self.options.axis)
  local energy = 0
  for i, place in ipairs { -0.5, 0.5 } do
    local x, name = frame.moved(self, n, place * self.size), "point_" .. i
    energy = energy + coincidence(self.a.point(name, x), self.b.point(name, x), self.stiffness)
  end
  frame.add(self, "hinge", energy, "none")
  local axis = self.a.direction("axis", n):normalized()
  local from, to = self.a.direction("zero", e), self.b.direction("zero", e)
  local last = self.joint:add_constant("last_angle", { value = 0 })
  local angle = turned(last, axis:dot(from:cross(to)), from:dot(to))
  coordinate(self, "angle", angle, { bound = math.pi, reach = REACH, last = last })
  self.scene:add_step_hook { name = self.mesh.name,
    begin_step = function() last:update(self.joint.angle:compute()) end }
  return self.joint
end
