-- Cases of contact: distances, barriers, friction, motion, intersections, meshes.
-- SPDX-License-Identifier: Apache-2.0
local modules = { "distances", "barriers", "friction", "sticking", "stiffness", "motion", "steps",
  "meshes", "bodies", "joints" }

-- Handlers by kind: function(cases, checker), all cases of a kind at once.
local handlers = {}
for _, name in ipairs(modules) do
  for kind, handler in pairs(require("groups.contact_cases." .. name).kinds) do
    handlers[kind] = handler
  end
end

return { { "", function(case, checker)
  local kinds, order, left = {}, {}, {}
  for _, item in ipairs(case.inputs.cases) do
    if not kinds[item.kind] then
      kinds[item.kind] = {}
      order[#order + 1] = item.kind
    end
    table.insert(kinds[item.kind], item)
  end
  table.sort(order)
  for _, kind in ipairs(order) do
    if handlers[kind] then
      handlers[kind](kinds[kind], checker)
    else
      left[#left + 1] = ("%s (%d)"):format(kind, #kinds[kind])
    end
  end
  if #left > 0 then
    checker.notes[#checker.notes + 1] = "no handler for " .. table.concat(left, ", ")
  end
end } }
