-- Random sequences of calls on random scenes: data, sizes and indices change, energies are switched
-- and added, minimizations run, their callbacks call back, fail and yield, garbage is collected in
-- the midst. What the scene then tells is what a fresh scene of the same data tells.
-- Settings: first and count (of the seeds), seconds, device, verbose.
-- SPDX-License-Identifier: Apache-2.0
local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "../scenes/?.lua;" .. package.path
local basin = require "basin"
local build = require "build"
local compare = require "compare"
local describe = require "describe"
local random = require "random"

local first <const> = math.tointeger(tonumber(basin.setting("first", 1)))
local count <const> = math.tointeger(tonumber(basin.setting("count", 1000000)))
local seconds <const> = tonumber(basin.setting("seconds", 5))
local device <const> = basin.setting("device", "cpu:interp")
local verbose <const> = basin.setting("verbose", false)

local actions = {}

local function random_values(r, rows, size)
  local values = {}
  for i = 1, rows do
    values[i] = {}
    for k = 1, size do values[i][k] = r:pick { 0, 1, -1, 0.5, r:real(-2, 2) } end
  end
  return values
end

local function instances(s, space)
  return space > 0 and s.description.spaces[space].count or 1
end

local function set_array(s, r, i)
  local array = s.description.arrays[i]
  if not array.values then return end
  array.values = random_values(r, instances(s, array.space), array.rows * array.cols)
  if #array.values > 0 then s.context.arrays[i]:update(array.values) end
end

function actions.update(s, r)
  set_array(s, r, r:integer(1, #s.description.arrays))
end

local function set_connectivity(s, r, i)
  local c = s.description.connectivities[i]
  local from, to = s.description.spaces[c.from], s.description.spaces[c.to]
  c.rows = {}
  for k = 1, from.count do
    c.rows[k] = {}
    local length = c.arity > 0 and c.arity or to.count > 0 and r:integer(0, 4) or 0
    for m = 1, length do c.rows[k][m] = r:integer(0, to.count - 1) end
  end
  s.context.connectivities[i]:update(c.rows)
end

local function possible(s, c)
  return c.arity == 0 or s.description.spaces[c.from].count == 0
    or s.description.spaces[c.to].count > 0
end

function actions.connect(s, r)
  local i = r:integer(1, #s.description.connectivities)
  if possible(s, s.description.connectivities[i]) then set_connectivity(s, r, i) end
end

local function count_unions(s)
  for _, space in ipairs(s.description.spaces) do
    if space.members then
      space.count = 0
      for _, member in ipairs(space.members) do
        space.count = space.count + s.description.spaces[member].count
      end
    end
  end
end

-- Another number of instances; what is asked in between, with indices that are gone, may be
-- refused.
function actions.resize(s, r)
  local i = r:integer(1, #s.description.spaces)
  local space = s.description.spaces[i]
  if not space.dynamic then return end
  local before = space.count
  space.count = r:integer(0, 6)
  count_unions(s)
  for _, c in ipairs(s.description.connectivities) do
    if not possible(s, c) then -- an index into nothing
      space.count = before
      count_unions(s)
      return
    end
  end
  s.context.spaces[i]:resize(space.count)
  for _ = 1, r:integer(0, 2) do pcall(actions.measure, s, r) end
  for k in ipairs(s.description.connectivities) do set_connectivity(s, r, k) end
  for k in ipairs(s.description.arrays) do set_array(s, r, k) end
end

function actions.measure(s, r)
  local minimizer = s.context.minimizer or s.context.scene:minimizer { targets = s.context.targets }
  s.context.minimizer = minimizer
  local what = r:integer(1, 5)
  if what == 1 then minimizer:compute_total_energy() end
  if what == 2 then minimizer:gradient() end
  if what == 3 then minimizer:hessian { projection = r:pick { "none", "clamp", "abs" } } end
  if what == 4 then s.context.energies[1]:compute() end
  if what == 5 then basin.jacobian(s.context.energies[1]:expression(), s.context.targets) end
end

function actions.switch(s, r)
  local energy = r:pick(s.context.energies)
  energy:enable(false)
  pcall(actions.measure, s, r)
  energy:enable(true)
end

function actions.collect(_, r)
  local what = r:integer(1, 4)
  if what == 1 then collectgarbage() end
  if what == 2 then collectgarbage("step", r:integer(0, 100)) end
  if what == 3 then collectgarbage "generational" end
  if what == 4 then collectgarbage "incremental" end
end

function actions.wrong(s, r)
  local i = r:integer(1, #s.description.arrays)
  assert(not pcall(s.context.arrays[i].update, s.context.arrays[i], "nonsense"))
  local c = r:pick(s.context.connectivities)
  pcall(c.update, c, { { 99 } })
  local bad = s.context.energies[1]
  assert(not pcall(s.context.scene.add_energy, s.context.scene, bad, {}))
  -- The refused indices must not have been taken.
end

local function inner_step(s, r)
  local what = r:integer(1, 6)
  if what == 1 then error "thrown in a callback" end
  if what == 2 then error(setmetatable({}, { __tostring = function() error "no text" end })) end
  if what == 3 then coroutine.yield() end
  if what == 4 then actions.measure(s, r) end
  if what == 5 then s.context.minimizer:minimize_energy() end
  if what == 6 then actions.collect(s, r) end
end

-- A minimization whose callbacks do what they should not.
function actions.newton(s, r)
  actions.measure(s, r)
  local function restore()
    for i, array in ipairs(s.description.arrays) do
      if array.values and #array.values > 0 then s.context.arrays[i]:update(array.values) end
    end
  end
  local function maybe()
    if r:one_in(2) then inner_step(s, r) end
  end
  local given = { max_iterations = r:integer(0, 4) }
  if r:one_in(2) then given.monitor = maybe end
  if r:one_in(2) then given.refresh = maybe end
  if r:one_in(2) then
    given.filters = { function(_, alpha)
      maybe()
      return r:pick { alpha, alpha / 2, 0 }
    end }
  end
  local function run() return basin.newton(s.context.minimizer, given) end
  if r:one_in(2) then
    local thread = coroutine.wrap(run)
    pcall(thread)
    pcall(thread)
  else
    pcall(run)
  end
  restore()
end

local names = {}
for name in basin.sorted(actions) do names[#names + 1] = name end

local function round(seed)
  local r = random(seed + 100000)
  local description = describe.scene(seed)
  local made, context = pcall(build.build, description, { device = device, threads = 2 })
  if not made then return nil end
  local s = { description = description, context = context }
  for k = 1, 25 do
    local name = r:pick(names)
    if verbose then io.stderr:write("  ", k, " ", name, "\n") end
    if name == "update" or name == "connect" or name == "resize" or name == "wrong" then
      actions[name](s, r)
    else
      pcall(actions[name], s, r)
    end
  end
  local fresh = build.build(description, { device = device, threads = 2 })
  local expected, found = build.measure(fresh, true), build.measure(context, true)
  for i, list in ipairs(expected) do
    local worst, where = compare.deviation(list, found[i])
    -- What "adaptive" does depends on the last line search.
    local remembers = list.name:find "as given"
    if (list.problem ~= nil) ~= (found[i].problem ~= nil) or worst > 1e-12 and not remembers then
      return ("%s: a fresh scene and one of many changes deviate by %g, %s"):format(list.name,
        worst, where)
    end
  end
end

local failures, scenes = 0, 0
for seed = first, first + count - 1 do
  if os.clock() > seconds then break end
  if verbose then io.stderr:write("seed ", seed, "\n") end
  local ok, problem = pcall(round, seed)
  if problem then
    failures = failures + 1
    print(("seed %d: %s%s"):format(seed, ok and "" or "error: ", tostring(problem)))
  end
  scenes = scenes + 1
end
print(("%d scenes, %d failures"):format(scenes, failures))
if failures > 0 then os.exit(1) end
