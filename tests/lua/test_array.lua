-- Arrays: making, arithmetic, measures, entries.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

h.test("from tables of any depth", function()
  local flat = basin.array.from { 1, 2, 3 }
  h.equal(flat.count, 3)
  h.equal(flat.size, 1)
  local vectors = basin.array.from { { 1, 2, 3 }, { 4, 5, 6 } }
  h.equal(vectors.count, 2)
  h.equal(vectors.rows, 3)
  h.equal(vectors:at(2, 3), 6)
  local matrices = basin.array.from { { { 1, 2 }, { 3, 4 } } }
  h.equal(matrices.rows, 2)
  h.equal(matrices.cols, 2)
  h.equal(matrices:at(1, 2, 1), 3)
  h.equal(basin.array.from({ 1, 2, 3, 4, 5, 6 }, { rows = 3 }).count, 2)
end)

h.test("entries count from 1", function()
  local a = basin.array.from { { 1, 2 }, { 3, 4 } }
  h.equal(a[2][1], 3)
  h.equal(#a, 2)
  h.fails("outside 1", function() return a[0] end)
  h.fails("outside 1", function() return a[3] end)
  a[1] = { 7, 8 }
  h.close_arrays(a, { { 7, 8 }, { 3, 4 } })
end)

h.test("arithmetic", function()
  local a = basin.array.from { { 1, 2 }, { 3, 4 } }
  local b = basin.array.from { { 10, 20 }, { 30, 40 } }
  h.close_arrays(a + b, { { 11, 22 }, { 33, 44 } })
  h.close_arrays(b - 2 * a, { { 8, 16 }, { 24, 32 } })
  h.close_arrays(b / a, { { 10, 10 }, { 10, 10 } })
  h.close_arrays(a ^ 2, { { 1, 4 }, { 9, 16 } })
  h.close_arrays(-a, { { -1, -2 }, { -3, -4 } })
  h.close_arrays(basin.array.from { 2, 3 } * a, { { 2, 4 }, { 9, 12 } }, 0,
    "one number an instance")
  h.fails("cannot calculate", function() return a + basin.array.zeros(3) end)
  h.fails("cannot calculate array %+", function() return a + {} end)
end)

h.test("measures", function()
  local a = basin.array.from { 3, -4, 0 }
  h.equal(a:max_abs(), 4)
  h.equal(a:min(), -4)
  h.equal(a:max(), 3)
  h.equal(a:sum(), -1)
  h.close(a:mean(), -1 / 3)
  h.close(a:norm(), 5)
  h.close(a:dot { 1, 1, 2 }, -1)
  h.close_arrays(basin.array.from { { 3, 4 }, { 0, 2 } }:lengths(), { 5, 2 })
  h.close(basin.array.from({ 1e200, 1e200 }):norm(), math.sqrt(2) * 1e200, 1e-15, "no overflow")
end)

h.test("NaN is seen by every measure", function()
  local a = basin.array.from { 1, 0 / 0, 2 }
  for _, name in ipairs { "max_abs", "min", "max", "norm", "sum", "mean" } do
    local value = a[name](a)
    h.equal(value ~= value, true, name)
  end
  h.equal(a:is_finite(), false)
end)

h.test("generators", function()
  h.close_arrays(basin.array.filled(3, 7), { 7, 7, 7 })
  h.close_arrays(basin.array.filled(2, { 1, 2 }), { { 1, 2 }, { 1, 2 } })
  h.close_arrays(basin.array.range(2, 3, 0.5), { 2, 2.5, 3 })
  h.close_arrays(basin.array.chain(3), { { 0, 1 }, { 1, 2 } })
  h.equal(basin.array.chain(1).count, 0)
  h.close_arrays(basin.array.line({ 0, 0 }, { 1, 2 }, 3), { { 0, 0 }, { 0.5, 1 }, { 1, 2 } })
  h.close_arrays(basin.array.labels { { 2, 5 }, { 1, 6 } }, { 5, 5, 6 })
  h.close_arrays(basin.array.joined { basin.array.from { 1 }, basin.array.from { 2, 3 } },
    { 1, 2, 3 })
end)

h.test("parts", function()
  local a = basin.array.from { { 1, 2 }, { 3, 4 }, { 5, 6 } }
  h.close_arrays(a:component(2), { 2, 4, 6 })
  h.close_arrays(a:slice(2, 3), { { 3, 4 }, { 5, 6 } })
  h.close_arrays(a:select { 2, 0 }, { { 5, 6 }, { 1, 2 } })
  h.close_arrays(a:table()[3], { 5, 6 })
  local copy = a:copy()
  copy[1] = { 0, 0 }
  h.equal(a:at(1, 1), 1)
  h.equal(a == a:copy(), true)
  h.equal(a == copy, false)
end)

h.test("unknown fields are refused", function()
  h.fails("did you mean 'count'", function() return basin.array.zeros(1).cuont end)
end)

h.finish()
