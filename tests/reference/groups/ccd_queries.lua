-- Continuous collision queries with known answers, a line each.
-- SPDX-License-Identifier: Apache-2.0
local motion = require "groups.contact_cases.motion"

local kinds <const> = { pt = "point_triangle", ee = "edge_edge" }

return { { "", function(case, checker)
  local hits, number = 0, 0
  for line in case.inputs.text:gmatch "[^\n]+" do
    if line:sub(1, 1) ~= "#" then
      local words = {}
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      number = number + 1
      local points = {}
      for i = 0, 7 do
        points[i + 1] = {}
        for k = 1, 3 do points[i + 1][k] = tonumber(words[4 + 3 * i + k]) end
      end
      local hit = words[3] == "1"
      hits = hits + (hit and 1 or 0)
      motion.check(kinds[words[1]], table.move(points, 1, 4, 1, {}),
        table.move(points, 5, 8, 1, {}), 1, 0, hit, tonumber(words[4]), "query " .. number,
        checker)
    end
  end
  checker.notes[#checker.notes + 1] = ("%d queries, %d of them touch, none missed"):format(number,
    hits)
end } }
