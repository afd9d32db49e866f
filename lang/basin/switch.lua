-- What can be switched on and off: energies and constraints.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"

local M = {}

--- Switches on (or, with false, off); returns the object.
function M.enable(self, on)
  if on ~= nil and type(on) ~= "boolean" then
    errors.fail("ARGUMENT", "enable: true or false is needed, got a %s", type(on))
  end
  rawset(self, "enabled", on == nil or on)
  return self
end

--- Switches off.
function M.disable(self)
  return self:enable(false)
end

return M
