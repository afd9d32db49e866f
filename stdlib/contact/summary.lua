-- What contact did: counts, distances, times; and what to do about stiffness.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

-- Parts of the distance: where the barrier is too weak for the load, and where Newton steps become
-- so short that meeting their tolerance says nothing.
local TINY <const> = 1e-3
local HOPELESS <const> = 1e-6
local GROWTH <const> = 100 -- most that the stiffness grows

function M.init(contact, given)
  contact.most_pairs, contact.smallest, contact.steps = 0, math.huge, 0
  contact.first_stiffness, contact.last_distance = given.stiffness, math.huge
end

---Looks at the distances after a minimization: names the trouble in the report; with `adaptive`,
---doubles the stiffness and returns true to go on.
function M.judge(contact, report)
  local distance = contact.detector:counts().smallest_distance
  local weak = distance < TINY * contact.reach and distance <= contact.last_distance
  contact.last_distance = distance
  if not weak then return false end
  local stiffness = contact.stiffness:value()[1]
  if contact.adaptive and stiffness < GROWTH * contact.first_stiffness then
    contact.stiffness:update(math.min(2 * stiffness, GROWTH * contact.first_stiffness))
    return true
  end
  if not report.interrupted and (not report.converged or distance < HOPELESS * contact.reach) then
    report.reason, report.converged = "barrier too weak, " .. report.reason, false
  end
  return false
end

---Counts an accepted step.
function M.add_step(contact)
  local counts = contact.detector:counts()
  contact.steps = contact.steps + 1
  contact.most_pairs = math.max(contact.most_pairs, counts.total)
  contact.smallest = math.min(contact.smallest, counts.smallest_distance)
end

---The line of the report.
function M.text(contact)
  local detector = contact.detector
  local text = ("  %s: at most %d pairs, smallest distance %s; detection %.3f s, steps %.3f s, "
    .. "pairs %.3f s"):format(contact.name, contact.most_pairs,
    contact.smallest < math.huge and ("%.3g m"):format(contact.smallest) or "beyond reach",
    detector.seconds_detect, detector.seconds_step, detector.seconds_fill)
  local stiffness = contact.stiffness:value()[1]
  if stiffness ~= contact.first_stiffness then
    text = text .. (", stiffness grew to %.3g N/m"):format(stiffness)
  end
  if contact.moving.late > 0 then
    text = text .. (", moving bodies were held up %d times"):format(contact.moving.late)
  end
  return text
end

return M
