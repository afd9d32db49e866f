-- Rules for the stiffness of barriers.
-- SPDX-License-Identifier: Apache-2.0
-- Source: M. Li et al., Incremental Potential Contact, ACM Trans. Graph. 39(4), 2020, and its
-- supplement, section on adaptive stiffness; the semi-implicit rule is of R. Ando, A Cubic Barrier
-- with Elasticity-Inclusive Dynamic Stiffness, ACM Trans. Graph. 43(6), 2024.
local forms = require "basin.std.contact.forms"
local M = {}

local NEAR <const> = 1e-8   -- of the size of the scene: a gap that a barrier must keep open
local SCALE <const> = 1e11  -- its curvature there over that of inertia
local GROWTH <const> = 100  -- most that the stiffness may grow

---The least stiffness, J/m^4 for an objective with inertia mass/2 |x - predicted|^2, and the most.
---At a hundred-millionth of the size of the scene the least one is 1e11 times stiffer than inertia.
---The most is a hundred times as much.
---  form      a barrier, a term of squared distance: "log" of the options is log_barrier
---  distance  where the barrier begins, m
---  diagonal  size of the scene, m
---  mass      mean mass of a vertex, kg
---  scale     instead of 1e11
function M.bounds(given)
  local near = (NEAR * given.diagonal) ^ 2
  local _, _, curvature = forms.derivatives(given.form, near, given.distance ^ 2)
  local least = (given.scale or SCALE) * given.mass / (4 * near * curvature)
  return least, GROWTH * least
end

---The stiffness at which barriers balance all else along their own gradient: minus the product of
---both gradients over the square of that of the barriers at stiffness 1. Lists or arrays.
function M.balance(elastic, barrier)
  local array = require("basin").array
  elastic, barrier = array.from(elastic), array.from(barrier)
  local size = barrier:dot(barrier)
  return size > 0 and -barrier:dot(elastic) / size or 0
end

---The stiffness to begin with: the balance, within the bounds. Options of bounds, and elastic,
---barrier: gradients. Returns the stiffness, the bounds, the balance.
function M.initial(given)
  local least, most = M.bounds(given)
  local balance = M.balance(given.elastic, given.barrier)
  return math.min(math.max(balance, least), most), least, most, balance
end

---Twice the stiffness, at most `most`, if the smallest distance was and is below `threshold` and
---does not grow; else the stiffness.
function M.update(stiffness, most, previous, present, threshold)
  if previous < threshold and present < threshold and present <= previous then
    return math.min(2 * stiffness, math.max(stiffness, most))
  end
  return stiffness
end

---Stiffness from the mass and the distance of a pair and the elastic stiffness along its direction.
---Numbers or expressions.
function M.semi_implicit(mass, distance, elastic) return mass / distance ^ 2 + elastic end

return M
