-- Ten links of a chain hang in each other: stiff, then soft ones. Settings: steps, links, only.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
package.path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "?.lua;" .. package.path
local run = require "scene"

local links <const> = basin.setting("links", 10)
local link = run.read "link.msh"
local turned = link:rotated { axis = { 0, 1, 0 }, degrees = 90 }

-- Offsets of every other link, from the first.
local function offsets(first)
  local list = {}
  for i = first, links, 2 do list[#list + 1] = { 0, -1.05 * i, 0 } end
  return list
end

local makers = {
  chain = function(scene, name, mesh, copies)
    return std.body.affine(scene, name, { mesh = mesh, copies = copies, density = 1000,
      stiffness = 1e8 })
  end,
  soft_chain = function(scene, name, mesh, copies)
    return std.body.soft(scene, name, { mesh = mesh, copies = copies, density = 1000,
      material = std.elastic.stable_neo_hookean { young = 1e7, poisson = 0.4 } })
  end,
}

for _, name in ipairs { "chain", "soft_chain" } do
  if run.wanted(name) then
    local scene = basin.scene(name)
    local top = std.body.fixed(scene, "top", { mesh = link })
    local odd = makers[name](scene, "odd", turned, offsets(1))
    local even = makers[name](scene, "even", link, offsets(2))
    local bodies = { top, odd, even }
    local contact = std.contact.barrier(scene, { bodies = bodies, distance = 5e-3,
      stiffness = 1e6, friction = 0.2 })
    run.run(name, scene, contact, bodies, { steps = basin.setting("steps", 100),
      camera = { eye = { 6, -4, 12 }, target = { 0, -5, 0 } } })
    local lowest = math.min(odd.position:compute():component(2):min(),
      even.position:compute():component(2):min())
    -- One that is free falls by 4.9 m.
    assert(lowest > -1.05 * links - 3, ("the last link fell to %.3g m"):format(lowest))
    collectgarbage()
  end
end
