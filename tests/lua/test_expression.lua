-- Expressions: every operator against the same calculation in Lua, indices, literals, refused
-- operators.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local scene = basin.scene("expressions")
local mesh = scene:add_mesh("mesh")
local points = mesh:add_primitive("points", 2)
local a = points:add_attribute("a", { value = { 0.5, -1.25 } })
local b = points:add_attribute("b", { value = { 2, 0.75 } })
local u = points:add_attribute("u", { rows = 3, value = { { 1, 2, 3 }, { -1, 0.5, 4 } } })
local v = points:add_constant("v", { rows = 3, value = { { 0, -1, 2 }, { 3, 1, -2 } } })
local A = points:add_attribute("A",
  { rows = 3, cols = 3, value = { { 2, 1, 0, 0, 3, 1, 1, 0, 4 }, { 1, 2, 0, 0, 1, 1, 3, 0, 1 } } })

local function values(expression) return points:evaluate(expression) end

h.test("scalar functions", function()
  local cases = {
    sin = math.sin, cos = math.cos, tan = math.tan, exp = math.exp, abs = math.abs,
      atan = math.atan,
    tanh = function(x) return (math.exp(2 * x) - 1) / (math.exp(2 * x) + 1) end,
    sign = function(x) return x > 0 and 1 or x < 0 and -1 or 0 end,
  }
  for name, call in pairs(cases) do
    h.close_arrays(values(a[name](a)), { call(0.5), call(-1.25) }, 1e-14, name)
    h.close_arrays(values(basin[name](a)), { call(0.5), call(-1.25) }, 1e-14, "basin." .. name)
  end
  local positive = { sqrt = math.sqrt, log = math.log,
    log1p = function(x) return math.log(1 + x) end }
  for name, call in pairs(positive) do
    h.close_arrays(values(b[name](b)), { call(2), call(0.75) }, 1e-14, name)
  end
end)

h.test("arithmetic with numbers on either side", function()
  h.close_arrays(values(2 * a + 1), { 2, -1.5 })
  h.close_arrays(values(1 - a / b), { 0.75, 1 + 1.25 / 0.75 })
  h.close_arrays(values(-a ^ 2), { -0.25, -1.5625 })
  h.close_arrays(values(a:pow(3)), { 0.125, -1.953125 })
  h.close_arrays(values(a:max(b)), { 2, 0.75 })
  h.close_arrays(values(basin.min(a, 0)), { 0, -1.25 })
  h.close_arrays(values(a:clamp(-1, 0.25)), { 0.25, -1 })
  h.close_arrays(values(a:atan2(b)), { math.atan(0.5, 2), math.atan(-1.25, 0.75) })
end)

h.test("vectors", function()
  h.close_arrays(values(u:dot(v)), { 4, -10.5 })
  h.close_arrays(values(u:cross(v)), { { 7, -2, -1 }, { -5, 10, -2.5 } })
  h.close_arrays(values(u:norm()), { math.sqrt(14), math.sqrt(17.25) })
  h.close_arrays(values(u:normalized() * u:norm()), { { 1, 2, 3 }, { -1, 0.5, 4 } }, 1e-15)
  h.close_arrays(values(u:hadamard(v)), { { 0, -2, 6 }, { -3, 0.5, -8 } })
  h.close_arrays(values(u:outer(v):trace()), { 4, -10.5 })
  h.close_arrays(values(a * u), { { 0.5, 1, 1.5 }, { 1.25, -0.625, -5 } })
end)

h.test("a row and a column of equal length add", function()
  h.close_arrays(values(u:T() - v), { { 1, 3, 1 }, { -4, -0.5, 6 } })
  h.equal((u:T() - v).rows, 1)
  h.equal((v + u:T()).rows, 3)
  h.fails("do not match", function() return u + basin.vector { 1, 2 } end)
end)

h.test("matrices", function()
  h.close_arrays(values(A:det()), { 25, 7 })
  h.close_arrays(values(A:trace()), { 9, 3 })
  h.close_arrays(values(A * u), { { 4, 9, 13 }, { 0, 4.5, 1 } })
  h.close_arrays(values(A * A:inverse()),
    { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, 1e-14)
  h.close_arrays(values(A:T():row(2)), { { 1, 3, 0 }, { 2, 1, 0 } })
  h.close_arrays(values(A:col(3)), { { 0, 1, 4 }, { 0, 1, 1 } })
  h.close_arrays(values(A:at(3, 1)), { 1, 3 })
  h.close_arrays(values(A[3][1]), { 1, 3 })
  h.close_arrays(values(u[2]), { 2, 0.5 })
  h.close_arrays(values(A:reshape(9, 1):at(8)), { 0, 0 })
  h.close_arrays(values(A:sum()), { 12, 9 })
end)

h.test("put together", function()
  h.close_arrays(values(basin.columns { u, v }:row(1)), { { 1, 0 }, { -1, 3 } })
  h.close_arrays(values(basin.rows { u, v }:row(2)), { { 0, -1, 2 }, { 3, 1, -2 } })
  h.close_arrays(values(basin.concat_rows { u, v }:at(4)), { 0, 3 })
  h.close_arrays(values(basin.concat_cols { u, v }:at(3, 2)), { 2, -2 })
  h.close_arrays(values(basin.matrix { { a, 1 }, { 0, b } }:det()), { 1, -0.9375 })
  h.close_arrays(values(basin.vector { a, b, 1 }:dot(basin.vector { 1, 1, 1 })), { 3.5, 0.5 })
  h.close_arrays(values(basin.diagonal { a, b }:trace()), { 2.5, -0.5 })
  h.close_arrays(values((basin.identity(3) + basin.zeros(3, 3)) * u),
    { { 1, 2, 3 }, { -1, 0.5, 4 } })
end)

h.test("choices", function()
  h.close_arrays(values(basin.where(a:gt(0), 1, 2)), { 1, 2 })
  h.close_arrays(values(basin.where(a:lt(b):logical_and(a:ge(0)), u, 0)),
    { { 1, 2, 3 }, { 0, 0, 0 } })
  h.close_arrays(values(basin.where(u:gt(0):all(), 1, 0)), { 1, 0 })
  h.close_arrays(values(basin.where(a:eq(0.5), 1, 0)), { 1, 0 })
  h.close_arrays(values(basin.where(a:gt(0), a:sqrt(), 7)), { math.sqrt(0.5), 7 }, 1e-15,
    "the branch not taken")
end)

h.test("singular value and polar decomposition", function()
  local U, S, V = A:svd()
  h.close_arrays(values(U * basin.diagonal { S:at(1), S:at(2), S:at(3) } * V:T()), values(A), 1e-13)
  h.close_arrays(values(A:polar():T() * A:polar()),
    { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, 1e-13)
  local symmetric = A + A:T()
  local w, X = symmetric:eig()
  h.close_arrays(values(symmetric * X:col(1)), values(w:at(1) * X:col(1)), 1e-12)
end)

h.test("an operator of the user's own", function()
  local x = points:add_attribute("x", { value = { 3, 4 } })
  local square = basin.custom(x * x, { x }, { 7 * x })
  h.close_arrays(values(square), { 9, 16 })
  h.close_arrays(basin.jacobian(square, { x }):dense(), { { 21, 0 }, { 0, 28 } }, 1e-14)
  h.close_arrays(basin.jacobian(x:stop() * x, { x }):dense(), { { 3, 0 }, { 0, 4 } }, 1e-14)
end)

h.test("literals know their shape before they meet a scene", function()
  local m = basin.matrix { { 1, 2 }, { 3, 4 } } * basin.vector { 1, 1 }
  h.equal(m.rows, 2)
  h.equal(m.cols, 1)
  h.fails("columns meet", function() return basin.matrix { { 1, 2 } } * basin.matrix { { 1,
    2 } } end)
  h.close_arrays(values(a * m), { { 1.5, 3.5 }, { -3.75, -8.75 } })
  local other = basin.scene("second")
  local t = other:add_attribute("t", { value = 2 })
  h.close_arrays((t * m):compute(), { { 6, 14 } }, 0, "the same literal in another scene")
end)

h.test("methods and functions count alike", function()
  h.close_arrays(values(u:entry(3)), { 3, 4 }, 0)
  h.close_arrays(values(basin.entry(u, 3)), { 3, 4 }, 0)
  h.close_arrays(values(basin.at(u, 3)), { 3, 4 }, 0)
  h.close_arrays(values(basin.at(A, 2, 3) - A:at(2, 3)), { 0, 0 }, 0)
  h.close_arrays(values(basin.row(A, 3) - A:row(3)), { { 0, 0, 0 }, { 0, 0, 0 } }, 0)
  h.fails("no entry 4", basin.entry, u, 4)
  h.fails("count from 1", basin.entry, u, 0)
end)

h.test("what Lua cannot express is refused", function()
  h.fails(":lt", function() return a < b end)
  h.fails("basin.where", function() return a <= 1 end)
  h.fails("//", function() return a // 2 end)
  h.fails("%%", function() return a % 2 end)
  h.equal(a == b, false)
  h.equal(#u, 3)
end)

h.test("printing", function()
  h.equal(tostring(u:dot(v)), "1x1 expression of mesh.points: dot(u, v)")
  h.equal(tostring(u), "data mesh.points.u: 2 x 3x1")
  h.equal((u + v):owner(), points)
  h.equal((2 * basin.identity(2)):owner(), nil)
end)

h.finish()
