-- The coordinate of a hinge or a slider: its name, its limit, its drive.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local parameters = require "basin.std.parameters"
local frame = require "basin.std.joint.frame"
local limit = require "basin.std.joint.limit"
local target = require "basin.std.constraint.target"

local OVERSHOOT <const> = 1e3 -- strength of limits over weight times size

---Names the coordinate of a joint and adds the options limit and drive for it.
return function(self, name, value)
  self.joint:add_attribute(name, value)
  local bounds, drive = self.options.limit, self.options.drive
  if bounds then
    local checked = options.check(self.where .. ": limit", bounds,
      { lower = "number", upper = "number", strength = "positive" }, { "lower", "upper" })
    if checked.lower >= checked.upper then
      errors.fail("RANGE", "%s: limit: 'lower' must lie below 'upper'", self.where)
    end
    local strength = checked.strength or OVERSHOOT * self.weight * self.size
    frame.add(self, "limit", limit(value, parameters.store(self.mesh, "lower", checked.lower),
      parameters.store(self.mesh, "upper", checked.upper),
      parameters.store(self.mesh, "strength", strength)), "clamp")
  end
  if drive then
    local checked = options.check(self.where .. ": drive", drive,
      { target = "number", stiffness = "positive" }, { "target", "stiffness" })
    local goal = self.joint:add_constant("target", { value = checked.target })
    frame.add(self, "drive", target(value, goal,
      parameters.store(self.mesh, "drive_stiffness", checked.stiffness)), "clamp")
  end
end
