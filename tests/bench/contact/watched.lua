-- Runs a script as it stands and watches its contact with the witness of the tests (tests/physics)
-- at every step: that of std.contact.barrier under basin.simulate, or that of a loop written out
-- with one detector, whenever it writes a frame. Prints one JSON line at the end.
-- Settings: script (its path), and those of the script.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local seconds = require("basin.core").seconds

local script = basin.setting("script", "examples/dropping_short.lua")
local REACH <const> = 4e-3 -- distances that a loop written out is interested in

local witness
local counts = { steps = 0, iterations = 0, most = 0, last = 0, reasons = {} }

local function add_step(iterations, reason)
  counts.steps, counts.iterations = counts.steps + 1, counts.iterations + iterations
  counts.most = math.max(counts.most, iterations)
  counts.reasons[reason] = (counts.reasons[reason] or 0) + 1
  if basin.setting("verbose", false) then
    print(("step %d: %s, %d iterations, distance %.3g"):format(counts.steps, reason, iterations,
      witness.closest))
  end
end

-- ---- scenes of bodies ----

local barrier, simulate = std.contact.barrier, basin.simulate

std.contact.barrier = function(scene, given)
  local contact = barrier(scene, given)
  witness = guard.new(contact, given.bodies)
  return contact
end

basin.simulate = function(scene, given)
  local own = given.on_step
  given.on_step = witness:on_step(function(state)
    add_step(state.report.iterations, state.report.reason)
    return own and own(state)
  end)
  return simulate(scene, given)
end

-- ---- loops written out ----

local detector_of, output_of = basin.contact.detector, basin.output

basin.contact.detector = function(given)
  if given.body and not witness then
    local numbers = basin.array.from(given.body)
    witness = guard.of { position = given.positions, reach = REACH, numbers = numbers:table(),
      parts = { { count = numbers.count, triangles = given.triangles, edges = given.edges } } }
  end
  return detector_of(given)
end

local methods = require("basin.scene").methods
local minimize_energy = methods.minimize_energy

methods.minimize_energy = function(...)
  counts.last = counts.last + 1
  return minimize_energy(...)
end

basin.output = function(given)
  local output = output_of(given)
  local write = output.write
  rawset(output, "write", function(...)
    witness:check()
    add_step(counts.last, "solved")
    counts.last = 0
    return write(...)
  end)
  return output
end

local start = seconds()
dofile(script)

local reasons = {}
for reason, count in basin.sorted(counts.reasons) do
  reasons[#reasons + 1] = ('"%s":%d'):format(reason, count)
end
print(('{"bench":"contact","scene":"%s","steps":%d,"iterations":%d,"most_iterations":%d,' ..
  '"ended":{%s},"smallest_distance":%.4g,"passed_through":0,"seconds":%.1f,"seconds_witness":%.1f}')
  :format(script:match("([^/]*)%.lua$"), counts.steps, counts.iterations, counts.most,
  table.concat(reasons, ","), witness.smallest, seconds() - start - witness.seconds,
  witness.seconds))
