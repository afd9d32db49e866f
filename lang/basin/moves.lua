-- What moves within a step as a script says: held unknowns, and in contacts bodies without
-- unknowns. Nothing may be jumped over: filters limit each move, and others are given room in
-- between.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local filter = require "basin.filter"
local hold = require "basin.hold"

local M = {}

local TRIES <const> = 400    -- times others are given room within a step
local ITERATIONS <const> = 5 -- of Newton's method each time
local STALLED <const> = 20   -- tries in a row without room after which a move is late
local LEAST <const> = 1e-3   -- part of the way left: less is no room

-- ---- one step's moves ----

-- Those of `given` that are still held, and a mask over their entries, nil where all are held.
local function still_held(given)
  local attribute, kept, places, partial = given.attribute, {}, {}, false
  local size = attribute.rows * attribute.cols
  local list, mask = core.array(given.indices, 1):table(), {}
  for i, index in ipairs(list) do
    index = math.tointeger(index)
    local held, any = {}, false
    for e = 1, size do
      held[e] = hold.is_held(attribute, index * size + e - 1) and 1 or 0
      any, partial = any or held[e] == 1, partial or held[e] == 0
    end
    if any then
      kept[#kept + 1], places[#places + 1] = index, i - 1
      table.move(held, 1, size, #mask + 1, mask)
    end
  end
  return core.array(kept, 1), core.array(places, 1),
    partial and core.array(mask, attribute.rows, attribute.cols) or nil
end

-- A move of a hook for the step that ends at `time`: {attribute, now(), place(values), wanted,
-- path, pieces, moved}.
local function start(given, time, step)
  local indices, places, mask = still_held(given)
  local attribute = given.attribute
  local move = { attribute = attribute, indices = indices, pieces = given.pieces or 1 }
  function move.now() return attribute:value():select(indices) end
  local from = move.now()
  local function target(at)
    local values = given.path(at):select(places)
    if mask then values = values * mask + from * (1 - mask) end
    return values
  end
  function move.place(values) attribute:update(attribute:value():replaced(indices, values)) end
  move.wanted = indices.count > 0 and target(time) or from
  if move.pieces > 1 then
    move.path = function(part) return target(time - (1 - part) * step) end
  end
  move.moved = indices.count > 0
    and (move.path ~= nil or (move.wanted - from):max_abs() > 0)
  return move
end

--- The moves of this step, of the hooks of a scene.
function M.begin(hooks, time, step)
  local list = {}
  for _, hook in ipairs(hooks) do
    for _, given in ipairs(hook.moves or {}) do
      list[#list + 1] = start(given, time, step)
    end
  end
  return list
end

--- How much of the way from here to their aims filters let held unknowns go at once.
function M.limit(minimizer, list, filters)
  if #filters == 0 then return 1 end
  local directions = {}
  for i, target in ipairs(minimizer:targets()) do
    local motion = core.array_filled(target:owner():instances(), 0, target.rows, target.cols)
    for _, move in ipairs(list) do
      if move.attribute == target and move.moved then
        motion = motion:replaced(move.indices, move.now() - move.to)
      end
    end
    directions[i] = motion
  end
  filter.prepare(filters, minimizer)
  return minimizer:_synchronize():filtered(directions, filter._combine(filters))
end

-- ---- the way ----

-- Chooses the end of a piece of the way, which is a straight line for every point.
local function aim(list, piece, pieces)
  local part = piece / pieces
  for _, move in ipairs(list) do
    move.from, move.to = move.now(), move.wanted
    if part < 1 then
      move.to = move.path and move.path(part) or move.start + (move.wanted - move.start) * part
    end
  end
end

local function place(list, part)
  for _, move in ipairs(list) do
    if move.moved then
      move.place(part == 1 and move.to or move.from + (move.to - move.from) * part)
    end
  end
end

--- Moves all of a list to where they should be, in `pieces` straight pieces, as far as nothing is
--- in the way. approach(place, part): how much of what is left of the piece may be gone at once,
--- and whether there is room; place(part) puts them somewhere along it. `minimize` makes room in
--- between. False if they did not arrive: they stay where they are until the next step.
function M.advance(list, pieces, approach, minimize)
  local piece, part, stalled = 1, 0, 0
  local function place_at(where) place(list, where) end
  for _, move in ipairs(list) do move.start = move.now() end
  aim(list, piece, pieces)
  for try = 1, TRIES * pieces do
    place_at(part)
    local step, room = approach(place_at, part)
    part = step >= 1 and 1 or part + step * (1 - part)
    stalled = room and 0 or stalled + 1
    place_at(part)
    if part == 1 then
      if piece == pieces then return true end
      piece, part = piece + 1, 0
      aim(list, piece, pieces)
    else
      local late = try == TRIES * pieces or stalled == STALLED
      minimize { max_iterations = ITERATIONS }
      if late then return false end
    end
  end
  return false
end

--- Moves those that no hook took. limit(list): as M.limit with the filters of the simulation.
function M.finish(list, limit, minimize)
  local rest, pieces = {}, 1
  for _, move in ipairs(list) do
    if move.moved and not move.taken then
      rest[#rest + 1] = move
      pieces = math.max(pieces, move.pieces)
    end
  end
  if #rest == 0 then return end
  M.advance(rest, pieces, function()
    local step = limit(rest)
    return step, step > LEAST
  end, minimize)
end

M.LEAST = LEAST

return M
