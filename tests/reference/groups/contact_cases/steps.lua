-- Rules for the length of a step.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

-- Lone points at these places that move by minus the displacements.
local function points_detector(positions, more)
  local all = { positions = positions, points = basin.array.range(0, #positions) }
  for key, value in pairs(more or {}) do all[key] = value end
  return basin.contact.detector(all)
end

local function reversed(rows)
  local list = {}
  for i, p in ipairs(rows) do list[i] = { -p[1], -p[2], -p[3] } end
  return list
end

local function check_cfl(cases, checker)
  for _, case in ipairs(cases) do
    local positions = {}
    for i in ipairs(case.inputs.displacements) do positions[i] = { 100 * i, 0, 0 } end
    local step = points_detector(positions):cfl_step { distance = case.inputs.d_hat,
      direction = reversed(case.inputs.displacements) }
    checker:within(case.id, "rel", case.tol.rel, case.expected.alpha, step)
  end
end

-- A pair of points for each time, head on, so that they meet at that time or not at all.
local function check_collision_free(cases, checker)
  for _, case in ipairs(cases) do
    local positions, motion = {}, {}
    for i, time in ipairs(case.inputs.toi) do
      local there = type(time) == "number" and 1 / time or -1
      positions[2 * i - 1], motion[2 * i - 1] = { 0, 100 * i, 0 }, { there, 0, 0 }
      positions[2 * i], motion[2 * i] = { 1, 100 * i, 0 }, { 0, 0, 0 }
    end
    local step = points_detector(positions):largest_step { direction = reversed(motion),
      slackness = case.inputs.s }
    checker:within(case.id, "rel", case.tol.rel, case.expected.alpha, step)
  end
end

local function check_safe_distance(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local detector = points_detector(given.x, { thickness = given.min_separation })
    checker:within(case.id, "rel", case.tol.rel, case.expected.safe,
      detector:safe_distances { reach = given.inflation })
  end
end

-- An energy with its minimum at 1 that has the given values at the trials 1, 1/2, 1/4, and whether
-- Newton's method takes one of them.
local function check_backtrack(cases, checker)
  for _, case in ipairs(cases) do
    local scene = basin.scene "steps"
    local x = scene:add_mesh("mesh"):add_primitive("point", 1):add_attribute("x", { value = 0 })
    local energy = case.inputs.E0 + 0.5 * (x - 1) ^ 2 - 0.5
    for k, value in ipairs(case.inputs.E_at_alpha_halving) do
      energy = basin.where((x - 0.5 ^ (k - 1)):abs():lt(0.01), value, energy)
    end
    scene:add_energy(energy, { name = "energy", projection = "none" })
    scene:add_minimize_target { x }
    local report = basin.newton(scene, { max_iterations = 1, sufficient_decrease = 0,
      line_search_limit = #case.inputs.E_at_alpha_halving - 1 })
    checker:equal(case.id, case.expected.accepted, report.iterations == 1)
    checker:within(case.id .. " step", "rel", case.tol.rel, case.expected.alpha, x:value()[1])
  end
end

return { kinds = { ["step.cfl"] = check_cfl, ["step.collision_free"] = check_collision_free,
  ["step.per_vertex_safe_distance"] = check_safe_distance, ["step.backtrack"] = check_backtrack } }
