-- Bars between points: lengths, their Jacobian, and the Hessian of weighted lengths.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local array = basin.array

local M = {}

---Free points of a net of bars; `fixed`: points (from 0) that stay.
function M.net(points, edges, lengths, fixed)
  local x = array.from(points)
  local scene = basin.scene("bars")
  local mesh = scene:add_mesh("bars")
  local verts = mesh:add_primitive("vertices", x.count)
  local place = verts:add_attribute("place", { rows = 2, value = x })
  local bars = mesh:add_primitive("bars", #edges)
  local ends = bars:add_connectivity("ends", verts, edges, 2)
  local p = ends:gather(place)
  local rest = bars:add_constant("rest", { value = lengths })
  local tension = bars:add_constant("tension", { value = array.zeros(#edges) })
  local phi = (p:row(2) - p:row(1)):norm() - rest
  scene:add_energy(tension * phi, { name = "lengths", projection = "none" })
  scene:add_minimize_target { place }
  local held, free = {}, {}
  for _, i in ipairs(fixed) do held[math.tointeger(i)] = true end
  for i = 0, x.count - 1 do
    if not held[i] then
      free[#free + 1] = 2 * i
      free[#free + 1] = 2 * i + 1
    end
  end
  return { place = place, free = free, lengths = function() return bars:evaluate(phi) end,
    jacobian = function() return basin.jacobian(phi, { place }):select(nil, free) end,
    ---sum tension Hessian(length), of the free points.
    curvature = function(values)
      tension:update(values)
      return scene:hessian({ projection = "none" }):select(free, free)
    end,
    move = function(d)
      local all = array.from(place:value(), { rows = 1 }):table()
      for k, i in ipairs(free) do all[i + 1] = all[i + 1] + d:at(k) end
      place:update(array.from(array.from(all), { rows = 2 }))
    end }
end

return M
