-- Golden cases: reading, flattening, and comparing within the tolerances a case states.
-- SPDX-License-Identifier: Apache-2.0
local cjson = require "cjson"

local M = {}

-- Lists of contact cases and of queries, as cases of groups of their own.
local function wrap(path, group, inputs)
  return { case = path:match "([^/]+)%.%w+$", group = group, params = {}, inputs = inputs,
    expect = {}, tol = {} }
end

---Reads a case. nil and a message if it is none; then true if the file is sound but something else.
function M.read(path)
  local file, message = io.open(path, "r")
  if not file then return nil, message end
  local text = file:read("a")
  file:close()
  if path:find "%.txt$" then return wrap(path, "ccd_queries", { text = text }) end
  local ok, case = pcall(cjson.decode, text)
  if not ok then return nil, "not JSON: " .. tostring(case) end
  if type(case) == "table" and case.schema == "contact-cases/1" then
    return wrap(path, "contact_cases", { cases = case.cases })
  end
  for _, key in ipairs { "case", "group", "params", "inputs", "expect", "tol" } do
    if type(case) ~= "table" or case[key] == nil then
      return nil, "no golden case: it has no '" .. key .. "'", true
    end
  end
  return case
end

local function append(value, list)
  if type(value) == "table" then
    for _, item in ipairs(value) do append(item, list) end
  elseif type(value) == "number" then
    list[#list + 1] = value
  elseif type(value) == "userdata" and value ~= cjson.null then -- an array of Basin
    append(value:table(), list)
  else
    error("cannot compare a " .. type(value))
  end
  return list
end

---All numbers of nested lists, arrays or a number, in order.
function M.flat(value) return append(value, {}) end

function M.is_null(value) return value == nil or value == cjson.null end

-- "rel 1e-9 of the unprojected norm" -> "rel", 1e-9
local function parse_tolerance(text)
  local kind, number = text:match("^(%a+) ([%d.e+-]+)")
  if kind ~= "rel" and kind ~= "abs" then return nil end
  return kind, tonumber(number)
end

local Checker = {}
Checker.__index = Checker

---Collects the comparisons of one case.
function M.checker(case)
  return setmetatable({ case = case, count = 0, worst = 0, worst_text = "", failures = {},
    notes = {} }, Checker)
end

local function norm(list)
  local sum = 0
  for _, v in ipairs(list) do sum = sum + v * v end
  return math.sqrt(sum)
end
M.norm = function(value) return norm(M.flat(value)) end

local function difference(expected, actual, kind)
  local largest, sum = 0, 0
  for i, value in ipairs(expected) do
    local d = math.abs(value - actual[i])
    if d ~= d then return math.huge end
    largest, sum = math.max(largest, d), sum + d * d
  end
  return kind == "abs" and largest or math.sqrt(sum)
end

---Compares `actual` with `expected` within the case's tolerance `key`. `scale`, optional: the size
---of the terms that cancel in the result. A relative bound then never asks for less than a
---thousandth of it, and numbers that are zero but for rounding can be compared.
function Checker:compare(name, key, expected, actual, scale)
  local kind, bound = parse_tolerance(self.case.tol[key] or "")
  if not kind then return self:fail(name, "the case states no tolerance '" .. key .. "'") end
  self:within(name, kind, bound, expected, actual, scale)
end

---The same with a bound given here, for results about which the case says nothing of its own.
function Checker:within(name, kind, bound, expected, actual, scale)
  expected, actual = M.flat(expected), M.flat(actual)
  self.count = self.count + #expected
  if #expected ~= #actual then
    return self:fail(name, ("%d numbers instead of %d"):format(#actual, #expected))
  end
  local allowed = bound
  if kind == "rel" then allowed = bound * math.max(norm(expected), 1e-3 * (scale or 0)) end
  local error_size = difference(expected, actual, kind)
  local ratio = error_size == 0 and 0 or error_size / allowed
  local text = ("%s: %s error %.2g, allowed %.2g"):format(name, kind, error_size, allowed)
  if ratio ~= ratio or ratio > self.worst then self.worst, self.worst_text = ratio, text end
  if ratio ~= ratio or ratio > 1 then self.failures[#self.failures + 1] = text end
end

---Compares whole numbers and words.
function Checker:equal(name, expected, actual)
  self.count = self.count + 1
  if expected ~= actual then
    self:fail(name, ("expected %s, got %s"):format(tostring(expected), tostring(actual)))
  end
end

---Demands a condition.
function Checker:require(name, condition, text)
  self.count = self.count + 1
  if not condition then self:fail(name, text or "does not hold") end
end

---Says something about the case that the reader should know.
function Checker:note(text) self.notes[#self.notes + 1] = text end

function Checker:fail(name, text)
  self.failures[#self.failures + 1] = name .. ": " .. text
end

return M
