-- Relative links of all pages lead to files, and docs/README.md names every page for users.
-- SPDX-License-Identifier: Apache-2.0
local h = require "harness"

local source = assert(os.getenv "BASIN_SOURCE", "BASIN_SOURCE names the source folder")

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function exists(path)
  local file = io.open(path, "r") -- folders open as well
  if file then file:close() end
  return file ~= nil
end

-- a/b/../c as a/c
local function simple(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

local pages = lines_of(("cd '%s' && ls README.md examples/*.md && find docs -name '*.md' | sort")
  :format(source))
local linked = { ["docs/README.md"] = true, ["README.md"] = true }

for _, page in ipairs(pages) do
  h.test("links of " .. page, function()
    local folder, in_block = page:match("^(.*/)[^/]*$") or "", false
    for line in io.lines(source .. "/" .. page) do
      if line:find("^```") then in_block = not in_block end
      for target in (in_block and "" or line):gmatch("%]%(([^)#%s]+)[^)]*%)") do
        if not target:find("^%w+:") then
          local path = simple(folder .. target)
          if not exists(source .. "/" .. path) then error("no file " .. path, 0) end
          if page == "docs/README.md" then linked[path] = true end
        end
      end
    end
  end)
end

h.test("docs/README.md names every page for users", function()
  for _, page in ipairs(pages) do
    local folder = page:match("^docs/([^/]*)/")
    if folder and folder ~= "internals" and folder ~= "decisions" and not linked[page] then
      error(page .. " is not linked", 0)
    end
  end
end)

h.finish()
