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

---Seconds of every phase since the detector was made, and counts.
function M.costs(contact)
  local detector = contact.detector
  local s = detector:statistics()
  return { broad = s.seconds_broad, narrow = s.seconds_narrow, steps = s.seconds_step,
    fill = detector.seconds_fill, detections = s.detections + s.steps, collections = s.collections }
end

---The line of the report.
function M.text(contact)
  local s = contact.detector:statistics()
  local text = ("  %s: at most %d pairs, smallest distance %s; candidates collected %d times for "
    .. "%d detections and %d steps"):format(contact.name, contact.most_pairs,
    contact.smallest < math.huge and ("%.3g m"):format(contact.smallest) or "beyond reach",
    s.collections, s.detections, s.steps)
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
