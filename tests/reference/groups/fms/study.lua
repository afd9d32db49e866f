-- One step of the cloth looked at closely: how fast each method approaches the minimum.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local M = {}

---A sparse matrix { shape, i, j, v } as a flat dense list.
function M.dense(triplets)
  local rows, columns = math.tointeger(triplets.shape[1]), math.tointeger(triplets.shape[2])
  local list = {}
  for k = 1, rows * columns do list[k] = 0 end
  for k, v in ipairs(triplets.v) do
    local at = math.tointeger(triplets.i[k]) * columns + math.tointeger(triplets.j[k]) + 1
    list[at] = list[at] + v
  end
  return list
end

---One local and one global step.
function M.iterate(cloth, solver)
  cloth.direction:update(cloth.projected:compute())
  cloth.x:update(cloth.x:value() - solver:solve())
end

-- Newton with backtracking by halves: energies, step lengths, norms and the first positions.
local function newton(cloth, minimizer, iterations)
  local E = { minimizer:compute_total_energy() }
  local log = { energies = E, alpha = {}, step = {}, gradient = {}, positions = {} }
  for k = 1, iterations do
    local g, x = minimizer:gradient(), cloth.x:value()
    local d = minimizer:minimize_energy { solver = "direct" }
    local slope, alpha = g:dot(d), 1
    log.gradient[k] = g:norm()
    repeat
      cloth.x:update(x - alpha * d)
      E[k + 1] = minimizer:compute_total_energy()
      local enough = E[k + 1] <= E[k] - 0.01 * alpha * slope + 1e-12
      if not enough then alpha = alpha / 2 end
    until enough or alpha < 1e-10
    log.alpha[k], log.step[k], log.positions[k] = alpha, alpha * d:norm(), cloth.x:value()
  end
  return log
end

-- Gaps count while they stand clear of the rounding of the energies, about 1e-9 here.
local function compare_gaps(case, checker, name, key, low, energies, minimum)
  local relative = case.tol[key] or case.tol.conv_gap_newton_psd
  local bound, floor = tonumber(relative:match "rel ([%d.e+-]+)"),
    tonumber(relative:match "abs ([%d.e+-]+)")
  for k, expected in ipairs(case.expect[name]) do
    local label = ("%s after %d iterations"):format(name, k - 1)
    local gap = energies[k] - minimum
    if expected > low then
      checker:within(label, "rel", bound, expected, gap)
    else
      checker:within(label, "abs", floor, expected, gap)
    end
  end
end

local function check_newton(case, checker, cloth, start, minimum)
  local expect, count = case.expect, case.params.newton_iters
  cloth.x:update(start)
  local log = newton(cloth, cloth.psd, count)
  compare_gaps(case, checker, "conv_gap_newton_psd", "conv_gap_newton_psd", 1e-4, log.energies,
    minimum)
  -- Once converged, steps and gradients are rounding: the first ones count.
  for k = 1, expect.conv_iters_newton do
    checker:within(("step length %d"):format(k), "abs", 0, expect.conv_newton_alpha[k],
      log.alpha[k])
    checker:within(("step norm %d"):format(k), "rel", 1e-5, expect.conv_newton_step_norm[k],
      log.step[k])
    checker:within(("gradient norm %d"):format(k), "rel", 1e-5, expect.conv_newton_grad_norm[k],
      log.gradient[k])
  end
  for k = 1, 2 do
    checker:compare(("Newton positions %d"):format(k), "positions",
      expect["conv_newton_positions_" .. k], log.positions[k])
  end
  cloth.x:update(start)
  log = newton(cloth, cloth.exact, count)
  compare_gaps(case, checker, "conv_gap_newton_raw", "conv_gap_newton_psd", 1e-4, log.energies,
    minimum)
end

---The study, at the start of the step it belongs to; the state is put back afterwards.
function M.check(case, checker, cloth)
  local expect, start = case.expect, cloth.x:value()
  basin.newton(cloth.psd, { rule = "gradient", tolerance = 1e-8, max_iterations = 60,
    linear = { solver = "direct" } })
  local minimum = cloth.exact:compute_total_energy()
  checker:compare("minimum", "energies", expect.conv_energy_star, minimum)
  checker:compare("minimizer", "positions", expect.conv_x_star, cloth.x:value())

  cloth.x:update(start)
  local solver, energies = cloth.global:solver { method = "direct" },
    { cloth.exact:compute_total_energy() }
  for k = 1, case.params.conv_iters do
    M.iterate(cloth, solver)
    energies[k + 1] = cloth.exact:compute_total_energy()
    checker:require(("local/global iteration %d"):format(k), energies[k + 1] <= energies[k] + 1e-9,
      "the energy rises")
  end
  compare_gaps(case, checker, "conv_gap_local_global", "conv_gap_local_global", 1e-6, energies,
    minimum)
  check_newton(case, checker, cloth, start, minimum)
  cloth.x:update(start)
end

return M
