-- What the smallest distance after a minimization means: stiffness grows, or trouble has a name.
-- SPDX-License-Identifier: Apache-2.0
local semi_implicit = require "basin.std.contact.semi_implicit"
local stiffness_rules = require "basin.std.contact.stiffness"
local M = {}

-- Parts of the distance: where the barrier is too weak for the load, and where Newton steps become
-- so short that meeting their tolerance says nothing.
local TINY <const> = 1e-3
local HOPELESS <const> = 1e-6
local GROWTH <const> = 100 -- most that a given stiffness grows
local FAR <const> = 1e300
local RELAGS <const> = 6   -- times that stiffness of pairs follows their gaps within a step
local STUCK <const> = "line search found no decrease"

---What must outlive a restart: the stiffness was balanced (0 or 1), and the last smallest gap, in
---constants of the mesh that checkpoints hold.
function M.memory(mesh)
  return { balanced = mesh:add_constant("balanced", { value = 0 }),
    gap = mesh:add_constant("last_gap", { value = FAR }) }
end

---After a minimization: lets the stiffness grow, then true to go on; or names the trouble in the
---report.
function M.judge(contact, report)
  local distance = contact.detector:counts().smallest_distance - contact.thickness
  local previous, tiny = contact.memory.gap:value()[1], TINY * contact.activation
  contact.memory.gap:update(math.min(distance, FAR))
  if contact.rule == "adaptive" or contact.rule == "growing" then
    local stiffness = contact.stiffness:value()[1]
    local most = contact.most_stiffness or GROWTH * contact.first_stiffness
    local wanted = stiffness_rules.update(stiffness, most, previous, distance, tiny)
    contact.stiffness:update(wanted)
    if wanted > stiffness then return true end
  end
  -- A stiffness belongs to a pair of features, at its distance at the start of the step. Where the
  -- closest features change the energy jumps, and a line search may end there. Taken at this place
  -- the distances of both pairs agree, and the jump is gone.
  if contact.lagged and (distance < tiny or report.reason == STUCK)
    and contact.relagged < RELAGS then
    contact.relagged = contact.relagged + 1
    semi_implicit.lag(contact)
    return true
  end
  local hopeless = not report.converged or distance < HOPELESS * contact.activation
  if distance < tiny and hopeless and not report.interrupted and not report.diverged then
    report.cause, report.reason, report.converged = report.reason, "barrier too weak", false
  end
  return false
end

return M
