-- A ball joint: a point of one body stays at a point of another.
-- SPDX-License-Identifier: Apache-2.0
local coincidence = require "basin.std.joint.coincidence"
local frame = require "basin.std.joint.frame"

---std.joint.ball(a, b, options). a and b: affine bodies, { body, copy } or "world". Returns the
---primitive of the joint. Options:
---  at         the point they share now
---  stiffness  N/m; by default so that the weight of both moves them by a hundred-thousandth of
---             their size
---  name       of its mesh
return function(a, b, given)
  local self = frame.new("ball", a, b, given, {}, { "at" })
  local at = self.options.at
  frame.add(self, "ball", coincidence(self.a.point("point", at), self.b.point("point", at),
    self.stiffness), "none")
  return self.joint
end
