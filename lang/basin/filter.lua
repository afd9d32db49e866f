-- basin.filter: what limits a Newton step: planes that may not be crossed, elements that may not
-- invert, functions.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local core = require "basin.core"
local errors = require "basin.errors"
local map = require "basin.map"
local options = require "basin.options"
local primitive = require "basin.primitive"

local M = {}

local Filter = { __name = "basin.filter" }
Filter.__index = Filter

function Filter.__tostring(self)
  return "filter: " .. self.name
end

local KEEP <const> = 0.9 -- of the way to the plane, or to zero volume, a step may go

local function check_positions(where, positions)
  if not attribute.is(positions) then
    errors.fail("ARGUMENT", "%s: 'positions' must be an attribute, got a %s", where,
      options.type_name(positions))
  end
  return positions
end

--- Keeps positions on the positive side of the plane normal . x = offset.
function M.plane(given)
  local checked = options.check("basin.filter.plane", given,
    { positions = "any", normal = "any", offset = "number", keep = "positive" },
      { "positions", "normal" })
  local positions = check_positions("basin.filter.plane", checked.positions)
  local normal, offset, keep = core.array(checked.normal), checked.offset or 0, checked.keep or KEEP
  local array = positions._scene:_array_of(positions)
  return setmetatable({ name = "plane for " .. positions:full_name(), _positions = positions,
    _run = function(minimizer, direction, alpha)
    return minimizer:filter_plane(array, normal, offset, keep, direction, alpha)
  end }, Filter)
end

--- Keeps the signed volumes of simplices (tets in space, triangles in the plane) from changing
--- sign.
function M.inversion(given)
  local checked = options.check("basin.filter.inversion", given,
    { positions = "any", simplices = "any", keep = "positive" }, { "positions", "simplices" })
  local positions = check_positions("basin.filter.inversion", checked.positions)
  if not primitive.is_connectivity(checked.simplices) then
    errors.fail("ARGUMENT", "basin.filter.inversion: 'simplices' must be a connectivity, got a %s",
      options.type_name(checked.simplices))
  end
  local array, id, keep = positions._scene:_array_of(positions), checked.simplices._id,
    checked.keep or KEEP
  return setmetatable({ name = "inversion of " .. checked.simplices:full_name(),
    _positions = positions,
    _run = function(minimizer, direction, alpha) return minimizer:filter_inversion(array, id, keep,
      direction, alpha) end }, Filter)
end

--- A filter of another module: run(minimizer core, direction handle, alpha) -> alpha.
function M._make(name, positions, run)
  return setmetatable({ name = name .. " of " .. positions:full_name(), _positions = positions,
    _run = run }, Filter)
end

--- Gives computed positions of filters the map by which directions reach them.
function M.prepare(list, minimizer)
  for _, item in ipairs(list) do
    if getmetatable(item) == Filter then
      local scene = item._positions._scene
      map.ensure(scene, scene:_array_of(item._positions), minimizer._block)
    end
  end
end

-- "step filter 2 (scene.lua:12)", "step filter 1 (plane for ball.vertices.position)"
local function name_of(item, i)
  if type(item) ~= "function" then return ("step filter %d (%s)"):format(i, item.name) end
  local info = debug.getinfo(item, "S")
  return ("step filter %d (%s:%d)"):format(i, info.short_src, info.linedefined)
end

--- One function of (minimizer core, direction handle, alpha) for a list of filters. Functions in
--- the list are called with (alpha, direction of target 1, …) and return the step they allow.
function M._combine(list)
  if #list == 0 then return nil end
  for i, item in ipairs(list) do
    if getmetatable(item) ~= Filter and type(item) ~= "function" then
      errors.fail_hint("ARGUMENT",
        "use basin.filter.plane { … }, basin.filter.inversion { … } or a function",
        "filter %d is a %s", i, options.type_name(item))
    end
  end
  return function(minimizer, direction, alpha)
    for i, item in ipairs(list) do
      local allowed
      if type(item) == "function" then
        allowed = item(alpha, table.unpack(minimizer:direction(direction)))
      else
        allowed = item._run(minimizer, direction, alpha)
      end
      if type(allowed) ~= "number" or allowed ~= allowed then
        errors.fail("ARGUMENT", "%s must return a number, the step it allows; got %s",
          name_of(item, i), type(allowed) == "number" and "NaN" or "a " .. type(allowed))
      end
      alpha = math.min(alpha, allowed)
    end
    return alpha
  end
end

return M
