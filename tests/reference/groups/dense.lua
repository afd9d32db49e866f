-- Small dense matrices as tables of rows: eigenvalues.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

---The rows of { shape, i, j, v }.
function M.of(triplets)
  local rows = {}
  for r = 1, triplets.shape[1] do
    rows[r] = {}
    for c = 1, triplets.shape[2] do rows[r][c] = 0 end
  end
  for k, i in ipairs(triplets.i) do
    local row, column = rows[i + 1], triplets.j[k] + 1
    row[column] = row[column] + triplets.v[k]
  end
  return rows
end

-- One rotation of Jacobi's method that makes A[p][q] zero.
local function rotate(A, p, q)
  local theta = (A[q][q] - A[p][p]) / (2 * A[p][q])
  local t = (theta >= 0 and 1 or -1) / (math.abs(theta) + math.sqrt(theta * theta + 1))
  local c = 1 / math.sqrt(t * t + 1)
  local s = t * c
  for k = 1, #A do
    local a, b = A[k][p], A[k][q]
    A[k][p], A[k][q] = c * a - s * b, s * a + c * b
  end
  for k = 1, #A do
    local a, b = A[p][k], A[q][k]
    A[p][k], A[q][k] = c * a - s * b, s * a + c * b
  end
end

---The largest eigenvalue of a symmetric matrix, by Jacobi's method; changes it.
function M.largest_eigenvalue(A)
  for _ = 1, 30 do
    for p = 1, #A do
      for q = p + 1, #A do
        if math.abs(A[p][q]) > 1e-300 then rotate(A, p, q) end
      end
    end
  end
  local largest = -math.huge
  for k = 1, #A do largest = math.max(largest, A[k][k]) end
  return largest
end

local function square(A)
  local result, size = {}, 0
  for i = 1, #A do
    local row, from = {}, A[i]
    for j = 1, #A do row[j] = 0 end
    for k = 1, #A do
      local factor, other = from[k], A[k]
      if factor ~= 0 then
        for j = 1, #A do row[j] = row[j] + factor * other[j] end
      end
    end
    for j = 1, #A do size = math.max(size, math.abs(row[j])) end
    result[i] = row
  end
  return result, size
end

---The largest modulus of an eigenvalue: |A^(2^m)|^(2^-m) for a large m.
function M.spectral_radius(A)
  local log = 0
  for m = 1, 24 do
    local size
    A, size = square(A)
    if size == 0 then return 0 end
    for i = 1, #A do
      for j = 1, #A do A[i][j] = A[i][j] / size end
    end
    log = log + math.log(size) / 2 ^ m
  end
  return math.exp(log)
end

return M
