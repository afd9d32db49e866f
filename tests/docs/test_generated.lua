-- The pages of docs/reference are what their generator makes of the sources;
-- BASIN_UPDATE_GOLDEN=1 rewrites them.
-- SPDX-License-Identifier: Apache-2.0
local h = require "harness"

local source = assert(os.getenv "BASIN_SOURCE", "BASIN_SOURCE names the source folder")
package.path = source .. "/docs/reference/?.lua;" .. package.path
local generate = require "generate"

local function read(path)
  local file = io.open(path, "rb")
  if not file then return "" end
  local text = file:read("a")
  file:close()
  return text
end

-- The number of the first line that differs.
local function first_difference(a, b)
  local next_a, next_b = a:gmatch("[^\n]*\n?"), b:gmatch("[^\n]*\n?")
  local line = 1
  while next_a() == next_b() do line = line + 1 end
  return line
end

local pages = generate.pages(source)
local names = {}
for name in pairs(pages) do names[#names + 1] = name end
table.sort(names)

for _, name in ipairs(names) do
  h.test(name .. " is up to date", function()
    local path = source .. "/docs/reference/" .. name
    if os.getenv "BASIN_UPDATE_GOLDEN" == "1" then
      local file = assert(io.open(path, "wb"))
      file:write(pages[name])
      file:close()
    end
    local found = read(path)
    if found ~= pages[name] then
      error(("%s differs from its source from line %d on: run scripts/docs"):format(path,
        first_difference(pages[name], found)), 0)
    end
  end)
end

h.test("the pages hold what they should", function()
  local function holds(page, text)
    h.equal(pages[page]:find(text, 1, true) ~= nil, true, page .. ": " .. text)
  end
  holds("lua.md", "### `Scene:add_energy(value, given)`")
  holds("lua.md", "## Module `basin.mesh`")
  holds("std.md", "### `std.elastic.spring(x, rest, stiffness)`")
  holds("environment.md", "`BASIN_THREADS`")
end)

h.finish()
