-- Runs the blocks of one documentation page ($BASIN_PAGE) in an empty folder:
-- lua blocks as scripts, sh lines that call `basin`, c blocks through the compiler.
-- SPDX-License-Identifier: Apache-2.0
--
-- Marks in the first line of a lua block: `-- continues` puts the blocks before it in front, down
-- to the last one without the mark; `-- fails` says that the script ends with an error;
-- `-- name.lua` saves it under that name. A text block behind a lua, sh or c block is what that one
-- prints, or the message of the error, with … for anything. Scripts of a hundred steps or more run
-- for two.
local blocks_module = require "blocks"
local harness = require "harness"

local function variable(name) return assert(os.getenv(name), name .. " is not set") end

local page, folder = variable "BASIN_PAGE", variable "BASIN_FOLDER"
local compiler = os.getenv "BASIN_COMPILER"

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- What a command prints, its errors and its exit status; the folder of the page is the present one.
local function run(command)
  local pipe = assert(io.popen(("cd '%s' && { %s\n} 2>errors.txt"):format(folder, command)))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  return text, read(folder .. "/errors.txt"), status
end

local function check_output(text, shown)
  if shown and not blocks_module.matches(text, shown.text) then
    error({ ("line %d shows\n%sbut it prints\n%s"):format(shown.line, shown.text, text) }, 0)
  end
end

local function check_status(text, status, expected)
  if status ~= expected then
    error({ ("exit status %d, expected %d:\n%s"):format(status, expected, text) }, 0)
  end
end

local script = "" -- of the blocks so far that belong together

local function lua_block(block, shown)
  local continues = blocks_module.marked(block, "continues")
  local fails = blocks_module.marked(block, "fails")
  script = continues and script .. block.text or block.text
  local name = blocks_module.file_name(block) or "scene.lua"
  write(folder .. "/" .. name, script)
  local long = script:find('setting%("steps", %d%d%d') and " --set steps=2" or ""
  local text, errors, status = run("basin run --quiet " .. name .. long)
  check_status(text .. errors, status, fails and 1 or 0)
  if fails and not shown then error({ "a text block must show the error" }, 0) end
  -- A script of several blocks prints what all of them print: the last lines are those of this one.
  if shown and continues then shown = { line = shown.line, text = "…" .. shown.text } end
  check_output(fails and errors or text, shown)
end

-- Lines that call the command on files of the page, or on examples cut short with --set.
local function sh_block(block, shown)
  local commands = {}
  for _, line in ipairs(block.lines) do
    line = line:gsub("%s+#.*$", "")
    local call = line:gsub("^[%u_]+=%S* ", ""):gsub("^build/bin/", "")
    local long = call:find("run examples/", 1, true) and not call:find("--set steps=", 1, true)
    if call:find("^basin ") and not long then commands[#commands + 1] = line end
  end
  if #commands == 0 then return end
  local text, errors, status = run("set -e\n" .. table.concat(commands, "\n"))
  check_status(text .. errors, status, 0)
  check_output(text, shown)
end

local frame <const> = [[
#include <basin/basin.h>
#include <stdio.h>
static basin_context *context;
static basin_scene *scene;
void fragment(void);
void fragment(void)
{
  basin_options options = basin_options_defaults();
  basin_step_report report = basin_step_report_defaults();
#line %d
%s}
]]

-- A whole program is compiled, linked and run; anything else must compile inside a function.
local function c_block(block, shown)
  if not block.text:find("int main(", 1, true) then
    write(folder .. "/fragment.c", frame:format(block.line, block.text))
    local text, errors, status = run(compiler .. " -Wno-unused -fsyntax-only fragment.c")
    return check_status(text .. errors, status, 0)
  end
  write(folder .. "/program.c", block.text)
  local text, errors, status = run(("%s program.c -o program %s && ./program"):format(compiler,
    variable "BASIN_LIBRARIES"))
  check_status(text .. errors, status, 0)
  check_output(text, shown)
end

local run_block = { lua = lua_block, sh = sh_block, c = compiler and c_block or nil }

-- Failures of a page are texts without a traceback.
local as_text <const> = { __tostring = function(value) return value[1] end }

local list = blocks_module.read(page)
for i, block in ipairs(list) do
  local call = run_block[block.kind]
  if call then
    local shown = list[i + 1] and list[i + 1].kind == "text" and list[i + 1] or nil
    local name = ("%s:%d"):format(page:match("[^/]+$"), block.line)
    harness.test(name, function()
      local ok, problem = pcall(call, block, shown)
      if type(problem) == "table" then setmetatable(problem, as_text) end
      if not ok then error(problem, 0) end
    end)
  end
end
harness.finish()
