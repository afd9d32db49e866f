-- A hinge: two bodies turn about a common axis.
-- SPDX-License-Identifier: Apache-2.0
local coincidence = require "basin.std.joint.coincidence"
local coordinate = require "basin.std.joint.coordinate"
local frame = require "basin.std.joint.frame"

---std.joint.hinge(a, b, options). a and b: affine bodies, { body, copy } or "world". Returns the
---primitive of the joint; its attribute `angle` is that of b against a about the axis, 0 now, in
---(-pi, pi]. Options:
---  at         a point on the axis
---  axis       its direction
---  limit      { lower =, upper =, strength = J }: angles that b stays between
---  drive      { target =, stiffness = N m/rad }: a spring of the angle; the constant `target` of
---             the joint may be updated
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
  coordinate(self, "angle", axis:dot(from:cross(to)):atan2(from:dot(to)))
  return self.joint
end
