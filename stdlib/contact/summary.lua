-- What contact did: counts, distances, times.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

function M.init(contact)
  contact.most_pairs, contact.smallest, contact.steps = 0, math.huge, 0
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
