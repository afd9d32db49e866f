-- A soft box falls on a floor with contact and friction, on a CUDA device that may fail at any
-- call. After a failure the state is that of the last whole step, which is tried again; once the
-- device is lost, the CPU goes on from that state. The states are those of a run that never left
-- the CPU.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local bodies = require "basin.body".bodies
local std = require "basin.std"

local steps <const>, most_failures <const>, tolerance <const> = 3, 6, 1e-8
local options <const> = { dt = 0.005, steps = 1, gravity = { 0, -9.8, 0 }, newton = {
  tolerance = 1e-3,
  linear = { solver = "pcg", preconditioner = "schwarz", tolerance = 1e-10 } } }

local function box(width, height, surface)
  return basin.mesh.box { nx = 1, ny = 1, nz = 1, width = width, height = height, depth = width,
    surface = surface }
end

local function make(device)
  local scene = basin.scene("fall", { device = device })
  local floor = std.body.fixed(scene, "floor",
    { mesh = box(0.6, 0.1, true), copies = { { 0, -0.05, 0 } } })
  local soft = std.body.soft(scene, "soft", { mesh = box(0.1, 0.1), density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.36 },
    copies = { { 0.04, 0.053, 0 } } })
  std.contact.barrier(scene, { bodies = { floor, soft }, distance = 5e-3, stiffness = 100,
    friction = 0.2 })
  return scene
end

-- ---- the state: values and velocities of all unknowns ----

local function parts_of(scene)
  local list = {}
  for _, body in ipairs(bodies(scene)) do
    for _, part in ipairs(body.unknowns) do
      list[#list + 1] = part.value
      list[#list + 1] = part.velocity
    end
  end
  return list
end

local function state_of(scene)
  local state = {}
  for i, part in ipairs(parts_of(scene)) do state[i] = part:value() end
  return state
end

local function expect_state(found, expected, what)
  for i in ipairs(expected) do
    local apart = (found[i] - expected[i]):max_abs()
    assert(apart < tolerance, ("%s: part %d of the state is off by %g"):format(what, i, apart))
  end
end

local function expected_states()
  local scene = make "cpu"
  local states = { [0] = state_of(scene) }
  for i = 1, steps do
    basin.simulate(scene, options)
    states[i] = state_of(scene)
  end
  return states
end

-- ---- failures ----

local problems <const> = {}

local function try(action)
  local ok, problem = pcall(action)
  if not ok then problems[#problems + 1] = tostring(problem) end
  assert(#problems <= most_failures, "it never succeeds:\n" .. table.concat(problems, "\n"))
  return ok
end

local function is_lost()
  return #problems > 0 and problems[#problems]:find "the device was lost" ~= nil
end

local device = "cuda"
local scene

local function go_on_with_cpu(state)
  scene, device = make "cpu", "cpu"
  for i, part in ipairs(parts_of(scene)) do part:update(state[i]) end
end

local expected <const> = expected_states()
for _ = 1, 3 do
  if not scene and not is_lost() then try(function() scene = make "cuda" end) end
end
if not scene then go_on_with_cpu(expected[0]) end
local done = 0
while done < steps do
  if try(function() basin.simulate(scene, options) end) then
    done = done + 1
  else
    -- What a lost device alone had is lost with it: the script must have kept it.
    local state = expected[done]
    local known = try(function() state = state_of(scene) end)
    assert(known or is_lost(), problems[#problems])
    expect_state(state, expected[done], "after the failure of step " .. done + 1)
    if is_lost() then go_on_with_cpu(state) end
  end
end
expect_state(state_of(scene), expected[steps], "in the end")
for _, problem in ipairs(problems) do print((problem:gsub("\n.*", ""))) end
print(("%d failures, the end on %s"):format(#problems, device))
