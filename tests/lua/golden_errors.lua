-- Runs every script of tests/golden/errors, which must fail, and compares what the command says
-- with the .err file beside it.
-- BASIN_UPDATE_GOLDEN=1 rewrites the .err files.
-- SPDX-License-Identifier: Apache-2.0
local harness = require "harness"

local command = assert(os.getenv "BASIN_COMMAND", "BASIN_COMMAND names the basin command")
local folder = arg[0]:match("^(.*)/lua/[^/]*$") .. "/golden/errors"
local update = os.getenv "BASIN_UPDATE_GOLDEN" == "1"

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function run(name)
  local pipe =
    assert(io.popen(("cd '%s' && '%s' run --device cpu:interp %s 2>&1 >/dev/null"):format(folder,
    command, name)))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  return text, status
end

local list = assert(io.popen(("cd '%s' && ls *.lua"):format(folder)))
for name in list:lines() do
  harness.test(name, function()
    local text, status = run(name)
    harness.equal(status, 1, "exit status")
    local expected_file = folder .. "/" .. name:gsub("%.lua$", ".err")
    if update then
      local file = assert(io.open(expected_file, "wb"))
      file:write(text)
      file:close()
    end
    harness.equal(text, read(expected_file), "message")
  end)
end
list:close()
harness.finish()
