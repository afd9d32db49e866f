-- What the full-size contact scenes share: they run under the witness of the tests and print one
-- JSON line each. Settings: pictures (every so many steps; 0: none), verbose, only (one scene).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local guard = require "physics.guard"

local M = {}

local every <const> = basin.setting("pictures", 0)
local verbose <const> = basin.setting("verbose", false)
local only <const> = basin.setting("only", "")

M.meshes = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "../../data/meshes/"

---A mesh of tests/data/meshes.
function M.read(name) return basin.mesh.read(M.meshes .. name) end

---Whether a scene is to be run.
function M.wanted(name) return only == "" or only == name end

local function ended(reasons)
  local parts = {}
  for reason, count in basin.sorted(reasons) do
    parts[#parts + 1] = ('"%s":%d'):format(reason, count)
  end
  return table.concat(parts, ",")
end

local function merged(first, second)
  local all = {}
  for key, value in pairs(first) do all[key] = value end
  for key, value in pairs(second) do all[key] = value end
  return all
end

---Simulates with the options of basin.simulate, without output; returns its report. Options with
---text keys are added: camera, and print, which gets more to print at the end.
function M.run(name, scene, contact, bodies, given)
  local witness, own, most = guard.new(contact, bodies), given.on_step, 0
  local all = merged({ dt = 0.01, gravity = { 0, -9.8, 0 } }, given)
  all.newton = merged({ tolerance = 1e-2, max_iterations = 500, linear = { solver = "direct" } },
    given.newton or {})
  if every > 0 then
    all.output = { folder = "out/contact/" .. name, pictures = "png", every = every,
      camera = given.camera }
  end
  all.camera = nil
  all.on_step = witness:on_step(function(state)
    local report = state.report
    most = math.max(most, report.iterations)
    if verbose then
      print(("%s %d: %s, %d iterations, distance %.3g"):format(name, state.step, report.reason,
        report.iterations, witness.closest))
    end
    return own and own(state)
  end)
  local report = basin.simulate(scene, all)
  report.shown = true
  assert(contact.most_pairs > 0, "nothing ever came near")
  print(('{"bench":"contact","scene":"%s","steps":%d,"iterations":%d,"most_iterations":%d,' ..
    '"ended":{%s},"most_pairs":%d,"smallest_distance":%.4g,"passed_through":0,' ..
    '"seconds":%.1f,"seconds_witness":%.1f}'):format(name, report.steps, report.iterations, most,
    ended(report.reasons), contact.most_pairs, witness.smallest, report.seconds - witness.seconds,
    witness.seconds))
  return report
end

return M
