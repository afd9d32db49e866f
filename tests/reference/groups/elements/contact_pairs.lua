-- Squared distances, the barrier and the mollifier with their derivatives.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local function check_pair(case, checker, kind)
  local points, expected, p = case.inputs.pairs[kind], case.expect.results[kind], case.params
  local unknowns = { { "p", #points, 3, { points } } }
  local squared_distance = std.contact.squared_distance[kind]
  local distance = probe.states { unknowns = unknowns, energy = function(u)
    return squared_distance(u.p)
  end }
  checker:compare(kind .. " distance", "distance2", expected.distance2, distance[1].energy)
  checker:compare(kind .. " distance gradient", "gradient", expected.distance2_gradient,
    distance[1].gradient)
  checker:compare(kind .. " distance hessian", "hessian", expected.distance2_hessian,
    distance[1].none)
  local barrier = probe.states { unknowns = unknowns, energy = function(u)
    return std.contact.log_barrier(squared_distance(u.p), p.dhat2, p.kappa)
  end }[1]
  local want = expected.barrier
  checker:compare(kind .. " barrier", "gradient", want.energy, barrier.energy)
  checker:compare(kind .. " barrier gradient", "gradient", want.gradient, barrier.gradient)
  checker:compare(kind .. " barrier hessian", "hessian", want.hessian, barrier.none)
  checker:compare(kind .. " barrier clamp", "hessian", want.hessian_clamp, barrier.clamp)
  checker:compare(kind .. " barrier abs", "hessian", want.hessian_abs, barrier.abs)
end

-- Rows of the table: D, b, b', b''.
local function check_table(case, checker)
  local distances, values, slopes, curvatures = {}, {}, {}, {}
  local p = case.params
  for i, row in ipairs(case.expect.barrier_table) do
    distances[i], values[i], slopes[i], curvatures[i] = table.unpack(row)
  end
  local results = probe.states {
    unknowns = { { "D", 1, 1, distances } },
    energy = function(u) return std.contact.log_barrier(u.D, p.dhat2, p.kappa) end,
  }
  for i, got in ipairs(results) do
    local name = ("barrier at %g"):format(distances[i])
    -- Close to the reach D - reach cancels: the last digits of D are lost in D - reach.
    local size = p.dhat2 / math.abs(distances[i] - p.dhat2)
    checker:compare(name, "barrier_table", values[i], got.energy, 1e3 * size * values[i])
    checker:compare(name .. ", slope", "barrier_table", slopes[i], got.gradient,
      1e3 * size * slopes[i])
    checker:compare(name .. ", curvature", "barrier_table", curvatures[i], got.none,
      1e3 * size * curvatures[i])
  end
end

local function check_mollifier(case, checker)
  local got = probe.states {
    unknowns = { { "p", 4, 3, { case.inputs.near_parallel } } },
    energy = function(u)
      return std.contact.squared_distance.edge_edge_mollifier(u.p, case.params.mollifier_scale)
    end,
  }[1]
  local expected = case.expect.mollifier
  checker:compare("mollifier", "gradient", expected.value, got.energy)
  checker:compare("mollifier gradient", "gradient", expected.gradient, got.gradient)
  checker:compare("mollifier hessian", "hessian", expected.hessian, got.none)
end

-- The first touch of straight motions. Detection returns times at which a part of the distance is
-- left; a part of 1e-10 leaves less than the tolerance.
local function check_times(case, checker)
  if not rawget(basin, "contact") then
    return checker:note "times of impact not compared: no collision detection in this build"
  end
  for i, motion in ipairs(case.inputs.motions) do
    local to = {}
    for k, x in ipairs(motion.x) do
      to[k] = { x[1] + motion.dx[k][1], x[2] + motion.dx[k][2], x[3] + motion.dx[k][3] }
    end
    local time, touched = basin.contact.time { kind = motion.kind, from = motion.x, to = to,
      slackness = 1 - 1e-10 }
    local expected, name = case.expect.time_of_impact[i], ("time of impact %d"):format(i - 1)
    if golden.is_null(expected) then
      checker:require(name, not touched, "a hit where there is none")
    else
      checker:compare(name, "time_of_impact", expected, touched and time or math.huge)
    end
  end
end

return function(case, checker)
  for kind in pairs(case.inputs.pairs) do check_pair(case, checker, kind) end
  check_table(case, checker)
  check_mollifier(case, checker)
  check_times(case, checker)
end
