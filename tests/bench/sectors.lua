-- One assembly of a workload and one product with its matrix, for sectors.py.
-- Settings: only (the workload), size (share of the full element count).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "?.lua;" .. package.path
local workloads = require "workloads"

local scene, count = workloads[basin.setting("only", "W1")](basin.setting("size", 0.01))
scene:main_minimizer():_synchronize():benchmark(0,
  { stage = "hessian", projection = "none", form = "assembled", repeats = 1 })
basin.newton(scene, { max_iterations = 1, linear = { solver = "pcg", max_iterations = 8 } })
print(count)
