-- What libbasin calls: one scene of a script, stepped by a host program.
-- SPDX-License-Identifier: Apache-2.0
local attribute = require "basin.attribute"
local checkpoint = require "basin.checkpoint"
local errors = require "basin.errors"
local files = require "basin.files"
local session = require "basin.session"

local M = {}

session.mode = "declare"

os.exit = function() -- luacheck: ignore 122
  errors.fail("STATE", "os.exit is not available in a host program")
end

local scene

-- The scene that was simulated, else the last one made.
local function choose_scene()
  local list = session.scenes()
  for i = #list, 1, -1 do
    if rawget(list[i], "_simulation") then return list[i] end
  end
  return list[#list]
end

--- Runs a script that declares a scene.
function M.load(path)
  files.load_script(path)()
  scene = choose_scene()
  if not scene then errors.fail("STATE", "%s made no scene", path) end
end

--- One step; returns its report with step and time.
function M.step()
  local simulation = rawget(scene, "_simulation")
  if not simulation then
    errors.fail("STATE",
      "scene '%s': the script did not call basin.simulate, so there is no step to take", scene.name)
  end
  local result = simulation:step()
  result.step, result.time = simulation.step_number, simulation.time
  return result
end

--- An attribute by full name.
local function find_attribute(name)
  local at = scene
  for part in name:gmatch "[^.]+" do
    local find = type(at) == "table" and not attribute.is(at) and at.find
    local child = find and at:find(part)
    if not child then
      local hint = find and errors.suggestion(part, at:names()) or nil
      errors.fail { code = "NAME", hint = hint,
        message = ("no attribute '%s' in scene '%s'"):format(name, scene.name) }
    end
    at = child
  end
  if not attribute.is(at) then
    errors.fail { code = "NAME", message = ("'%s' is no attribute"):format(name) }
  end
  return at
end

--- The core system and the array of an attribute.
function M.find(name)
  return scene._system, scene:_array_of(find_attribute(name))
end

function M.save(path)
  checkpoint.save(scene, path)
end

function M.restore(path)
  checkpoint.restore(scene, path)
end

function M.energy()
  return scene:main_minimizer():compute_total_energy()
end

return M
