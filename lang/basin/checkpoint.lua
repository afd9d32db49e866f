-- Checkpoints: every stored array, dynamic sizes and indices, time and step, in one .npz that NumPy
-- reads.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local files = require "basin.files"
local hold = require "basin.hold"

local M = {}

local VERSION <const> = 1

-- Visits the stored attributes of a scene in a fixed order, the order they were added, without
-- settings of the script.
local function each_stored(scene, visit)
  local ids = {}
  for id, record in pairs(scene._arrays) do
    if record.stored and not record.parameter then ids[#ids + 1] = id end
  end
  table.sort(ids)
  for _, id in ipairs(ids) do visit(scene._arrays[id].attribute, id) end
end

local function each_dynamic(scene, visit)
  local spaces = {}
  for space, owner in pairs(scene._spaces) do
    if rawget(owner, "_dynamic") then spaces[#spaces + 1] = space end
  end
  table.sort(spaces)
  for _, space in ipairs(spaces) do visit(scene._spaces[space]) end
end

local function connectivities_from(scene, primitive)
  local list = {}
  for _, connectivity in pairs(scene._connectivities) do
    if connectivity._from == primitive then list[#list + 1] = connectivity end
  end
  table.sort(list, function(a, b) return a._id < b._id end)
  return list
end

--- Writes the state of a scene.
function M.save(scene, path)
  local file = core.checkpoint()
  file:add("basin.format", { VERSION })
  file:add("basin.version", core.version)
  file:add("basin.scene", scene.name)
  local simulation = rawget(scene, "_simulation")
  if simulation then
    file:add("basin.step", { simulation.step_number })
    file:add("basin.time", { simulation.time })
    file:add("basin.dt", { simulation.dt })
    file:add("basin.integrator", simulation.integrator.name)
    file:add("basin.history_step", { simulation.integrator.history_h or 0 })
    for _, key in ipairs(errors.sorted_keys(simulation.integrator.history)) do
      file:add("history." .. key, simulation.integrator.history[key])
    end
  end
  each_dynamic(scene, function(primitive)
    file:add("count." .. primitive:full_name(), { primitive:instances() })
    for _, connectivity in ipairs(connectivities_from(scene, primitive)) do
      local indices, offsets = connectivity:value()
      file:add("indices." .. connectivity:full_name(), indices)
      if offsets then file:add("offsets." .. connectivity:full_name(), offsets) end
    end
  end)
  each_stored(scene, function(attribute) file:add("array." .. attribute:full_name(),
    attribute:value()) end)
  for _, target in ipairs(scene:targets()) do
    file:add("held." .. target:full_name(), core.array(hold.numbers(target) or {}, 1))
  end
  local parent = path:match("^(.*)/[^/]*$")
  if parent and parent ~= "" then scene._context:make_folders(parent) end
  file:write(path)
end

local function number_of(file, name)
  local array = file:get(name)
  return array and array[1]
end

local function restore_dynamic(scene, file)
  each_dynamic(scene, function(primitive)
    local count = number_of(file, "count." .. primitive:full_name())
    if not count then return end
    primitive:resize(math.tointeger(count))
    for _, connectivity in ipairs(connectivities_from(scene, primitive)) do
      local indices, offsets = file:get("indices." .. connectivity:full_name()),
        file:get("offsets." .. connectivity:full_name())
      if indices then
        connectivity:update(offsets and { indices = indices, offsets = offsets } or indices)
      end
    end
  end)
end

local function restore_simulation(simulation, file)
  simulation.step_number = math.tointeger(number_of(file, "basin.step") or 0)
  simulation.time = number_of(file, "basin.time") or 0
  if file:get("basin.integrator") ~= simulation.integrator.name then return end
  local history = {}
  for _, name in ipairs(file:names()) do
    local key = name:match("^history%.(.+)$")
    if key then history[key] = file:get(name) end
  end
  simulation.integrator.history = history
  simulation.integrator.history_h = number_of(file, "basin.history_step")
end

-- Constants that simulate makes on first use: a scene that has not stepped may lack them.
local made_late <const> = { time_step = true, gravity = true, inertia_weight = true }

-- What the file of a scene holds, by name in the file.
local function names_in_file(scene)
  local names = {}
  each_stored(scene, function(attribute) names["array." .. attribute:full_name()] = true end)
  each_dynamic(scene, function(primitive) names["count." .. primitive:full_name()] = true end)
  return names
end

local SHOWN <const> = 3

-- Names of `a` that are not in `b`, as text; nil if there are none.
local function missing_text(a, b)
  local list, shown = {}, {}
  for name in pairs(a) do
    local plain = name:match("^%l+%.(.*)$")
    if not b[name] and not made_late[plain] then list[#list + 1] = plain end
  end
  table.sort(list)
  for i = 1, math.min(SHOWN, #list) do shown[i] = ("'%s'"):format(list[i]) end
  if #list == 0 then return nil end
  return table.concat(shown, ", ") .. (#list > SHOWN and (" and %d more"):format(#list - SHOWN)
    or "")
end

local function check_same(scene, file, path)
  local saved_by = file:get("basin.scene")
  if saved_by ~= scene.name then
    errors.fail("FORMAT", "%s belongs to another scene: '%s' saved it, this is '%s'", path,
      tostring(saved_by), scene.name)
  end
  local wanted, found = names_in_file(scene), {}
  for _, name in ipairs(file:names()) do
    if name:match("^array%.") or name:match("^count%.") then found[name] = true end
  end
  local lacks, extra = missing_text(wanted, found), missing_text(found, wanted)
  if lacks or extra then
    errors.fail("FORMAT", "%s belongs to another scene: it %s%s%s", path,
      lacks and "has no data for " .. lacks or "", lacks and extra and ", and " or "",
      extra and "has data for " .. extra .. ", which this scene lacks" or "")
  end
end

--- Reads a state back. The scene must have the name and the arrays of the one that was saved. A
--- relative name is looked up in the working directory, then beside the script.
function M.restore(scene, path)
  local file = core.checkpoint_read(files.find(path))
  if number_of(file, "basin.format") ~= VERSION then
    errors.fail("FORMAT", "%s is no checkpoint of this version of Basin", path)
  end
  check_same(scene, file, path)
  restore_dynamic(scene, file)
  each_stored(scene, function(attribute)
    local value = file:get("array." .. attribute:full_name())
    if value then attribute:update(value) end
  end)
  for _, target in ipairs(scene:targets()) do
    local numbers = file:get("held." .. target:full_name())
    if numbers then hold.set_numbers(target, numbers:table()) end
  end
  local simulation = rawget(scene, "_simulation")
  if simulation then restore_simulation(simulation, file) end
end

return M
