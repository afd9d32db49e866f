-- The coordinate of a hinge or a slider: its name, its limit, its drive.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local parameters = require "basin.std.parameters"
local frame = require "basin.std.joint.frame"
local limit = require "basin.std.joint.limit"
local target = require "basin.std.constraint.target"

local OVERSHOOT <const> = 1e3 -- strength of limits over weight times size

local function check_limit(self, turn)
  local checked = options.check(self.where .. ": limit", self.options.limit,
    { lower = "number", upper = "number", strength = "positive" }, { "lower", "upper" })
  if checked.lower >= checked.upper then
    errors.fail("RANGE", "%s: limit: 'lower' must lie below 'upper'", self.where)
  end
  if turn and math.max(-checked.lower, checked.upper) > turn.bound then
    errors.fail_hint("RANGE", "angles are in radians: 90 degrees are math.rad(90)",
      "%s: limit: angles lie between -pi and pi, got %g to %g", self.where, checked.lower,
      checked.upper)
  end
  return checked
end

local function add_limit(self, value, turn)
  local checked = check_limit(self, turn)
  local strength = checked.strength or OVERSHOOT * self.weight * self.size
  frame.add(self, "limit", limit(value, parameters.store(self.mesh, "lower", checked.lower),
    parameters.store(self.mesh, "upper", checked.upper),
    parameters.store(self.mesh, "strength", strength)), "clamp")
end

local function add_drive(self, value, turn)
  local checked = options.check(self.where .. ": drive", self.options.drive,
    { target = "number", stiffness = "positive" }, { "target", "stiffness" })
  local goal = self.joint:add_constant("target", { value = checked.target })
  if turn then
    goal = basin.max(basin.min(goal, turn.last + turn.reach), turn.last - turn.reach)
  end
  frame.add(self, "drive", target(value, goal,
    parameters.store(self.mesh, "drive_stiffness", checked.stiffness)), "clamp")
end

---Names the coordinate of a joint and adds the options limit and drive for it. An angle comes with
---`turn`: { bound = of its limits, last = angle at the start of the step, reach = how far from it
---the target of the drive may seem }.
return function(self, name, value, turn)
  self.joint:add_attribute(name, value)
  if self.options.limit then add_limit(self, value, turn) end
  if self.options.drive then add_drive(self, value, turn) end
end
