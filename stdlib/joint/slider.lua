-- A slider: one body moves along a line of another, without turning.
-- SPDX-License-Identifier: Apache-2.0
local coordinate = require "basin.std.joint.coordinate"
local frame = require "basin.std.joint.frame"
local rail = require "basin.std.joint.rail"

---std.joint.slider(a, b, options). a and b: affine bodies, { body, copy } or "world". Returns the
---primitive of the joint; its attribute `position` is how far b has moved along the axis of a, 0
---now. Options:
---  at         a point on the axis
---  axis       its direction
---  limit      { lower =, upper =, strength = J }: positions that b stays between, m
---  drive      { target =, stiffness = N/m }: a spring of the position; the constant `target` of
---             the joint may be updated
---  width      distance of the points that are held, m; the size of the larger body by default
---  stiffness  N/m, of each point; by default so that the weight of both bodies moves them by a
---             hundred-thousandth of their size
---  name       of its mesh
return function(a, b, given)
  local self = frame.new("slider", a, b, given, { axis = "vector", width = "positive",
    limit = "table", drive = "table" }, { "at", "axis" })
  local n, e = frame.across(self.options.axis)
  local axis = self.a.direction("axis", n)
  local energy = 0
  for i, place in ipairs { { n, -0.5 }, { n, 0.5 }, { e, 0.5 } } do
    local x, name = frame.moved(self, place[1], place[2] * self.size), "point_" .. i
    energy = energy + rail(self.a.point(name, x), self.b.point(name, x), axis, self.stiffness)
  end
  frame.add(self, "slider", energy, "clamp")
  local at = self.options.at
  local moved = self.b.point("at", at) - self.a.point("at", at)
  coordinate(self, "position", moved:dot(axis:normalized()))
  return self.joint
end
