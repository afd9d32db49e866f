-- Two bodies as one: four points of them stay together.
-- SPDX-License-Identifier: Apache-2.0
local coincidence = require "basin.std.joint.coincidence"
local frame = require "basin.std.joint.frame"

---std.joint.weld(a, b, options). a and b: affine bodies, { body, copy } or "world". Returns the
---primitive of the joint. Options:
---  at         a point near both
---  width      distance of the points that are held, m; the size of the larger body by default
---  stiffness  N/m, of each point; by default so that the weight of both moves them by a
---             hundred-thousandth of their size
---  name       of its mesh
return function(a, b, given)
  local self = frame.new("weld", a, b, given, { width = "positive" }, { "at" })
  local energy = 0
  for i, direction in ipairs { { -0.5, -0.3, -0.3 }, { 0.5, -0.3, -0.3 }, { 0, 0.6, -0.3 },
    { 0, 0, 0.9 } } do
    local x, name = frame.moved(self, direction, self.size), "point_" .. i
    energy = energy + coincidence(self.a.point(name, x), self.b.point(name, x), self.stiffness)
  end
  frame.add(self, "weld", energy, "none")
  return self.joint
end
