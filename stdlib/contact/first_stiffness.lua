-- The stiffness that a contact begins with.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local forms = require "basin.std.contact.forms"
local M = {}

-- Holds the heaviest body on a fiftieth of its surface at half the distance.
local function holding(bodies, form, distance)
  local most = 0
  for _, body in ipairs(bodies) do
    local count = body.mesh.surface_points and body.mesh.surface_points.count or body.vertices.count
    most = math.max(most, body.mass * 9.8 / math.max(1, count / 50))
  end
  return most > 0 and most / (forms.half_force(form) * distance) or 1
end

---The stiffness to begin with, N/m.
function M.of(where, checked)
  if checked.stiffness == "semi_implicit" then return 1 end
  if checked.stiffness == "adaptive" and checked.form == forms.by_name.cubic then
    errors.fail_hint("ARGUMENT", "stiffness = \"semi_implicit\"",
      "%s: a cubic barrier is finite at contact, so \"adaptive\" finds no bounds", where)
  end
  if type(checked.stiffness) == "number" then return checked.stiffness end
  return holding(checked.bodies, checked.form, checked.distance)
end

return M
