-- Makes the reference pages: lua.md from lang/basin/meta.lua, std.md from stdlib/, environment.md
-- from runtime/base/environment.def. scripts/docs writes them; tests/docs compares them.
-- SPDX-License-Identifier: Apache-2.0
local std = require "basin.std"
local stepper = require "basin.std.integrate.stepper"
local term = require "basin.std.term"

local M = {}

local function read(path)
  local file = assert(io.open(path, "r"))
  local text = file:read("a")
  file:close()
  return text
end

-- One sentence a line, whatever the width of the source was.
local function sentences(text)
  local flat = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  flat = flat:gsub("([%a%d%)}%]>]%.) (%u%l)", "%1\n%2")
  return flat
end

-- Text that Markdown takes literally.
local literal <const> = { ["<"] = "&lt;", [">"] = "&gt;", ["|"] = "\\|", ["*"] = "\\*",
  ["_"] = "\\_" }

local function escape(text)
  return (text:gsub("[<>|*_]", literal))
end

-- ---- lua.md ----

local function new_entry()
  return { text = {}, params = {}, returns = {}, fields = {}, operators = {} }
end

local function read_annotation(entry, line)
  local tag, rest = line:match("^@(%w+)%s*(.*)$")
  if not tag then
    entry.text[#entry.text + 1] = line
  elseif tag == "param" then
    entry.params[#entry.params + 1] = rest
  elseif tag == "return" then
    entry.returns[#entry.returns + 1] = rest
  elseif tag == "field" then
    entry.fields[#entry.fields + 1] = rest
  elseif tag == "operator" then
    entry.operators[#entry.operators + 1] = rest
  else
    entry[tag] = rest
  end
end

-- Classes in order, with their functions, and aliases.
local function read_meta(path)
  local classes, aliases, by_local, entry = {}, {}, {}, new_entry()
  for line in io.lines(path) do
    local comment = line:match("^%-%-%-(.*)$")
    local variable = line:match("^local (%w+) = {}") or line:match("^([%w_.]+) = {}")
    local owner, separator, name, list =
      line:match("^function ([%w_.]+)([.:])([%w_]+)%((.-)%) end$")
    if comment then
      read_annotation(entry, comment)
    elseif owner then
      entry.call = ("%s%s%s(%s)"):format(owner, separator, name, list)
      local functions = by_local[owner].functions
      functions[#functions + 1] = entry
    end
    if not comment then
      if entry.class then
        entry.functions, entry.variable = {}, variable
        classes[#classes + 1] = entry
        if variable then by_local[variable] = entry end
      elseif entry.alias then
        aliases[#aliases + 1] = entry
      end
      entry = new_entry()
    end
  end
  return classes, aliases
end

local function arguments_text(params)
  local list = {}
  for i, param in ipairs(params) do
    local name, kind = param:match("^(%S+)%s+(.*)$")
    list[i] = ("`%s`: %s"):format(name, escape(kind))
  end
  return table.concat(list, ", ")
end

local function returns_text(returns)
  local list = {}
  for i, value in ipairs(returns) do list[i] = escape(value) end
  return table.concat(list, ", ")
end

local function function_text(out, entry)
  out[#out + 1] = ("### `%s`\n"):format(entry.call)
  out[#out + 1] = escape(sentences(table.concat(entry.text, " "))) .. "\n"
  local facts = {}
  local takes, returns = arguments_text(entry.params), returns_text(entry.returns)
  if takes ~= "" then facts[#facts + 1] = "Takes " .. takes .. "." end
  if returns ~= "" then facts[#facts + 1] = "Returns " .. returns .. "." end
  if #facts > 0 then out[#out + 1] = table.concat(facts, "\n") .. "\n" end
end

local function table_of(out, head, rows)
  if #rows == 0 then return end
  out[#out + 1] = ("| %s | |\n|---|---|"):format(head)
  for _, row in ipairs(rows) do out[#out + 1] = row end
  out[#out + 1] = ""
end

local function class_text(out, class)
  local name, parent = class.class:match("^([%w_.]+):?%s*(.*)$")
  local module = class.variable and class.variable:find("^basin") and class.variable
  out[#out + 1] = (module and "## Module `%s`\n" or "## `%s`\n"):format(module or name)
  if parent ~= "" then out[#out + 1] = ("Has everything that `%s` has.\n"):format(parent) end
  local text = escape(sentences(table.concat(class.text, " ")))
  if text ~= "" then out[#out + 1] = text .. "\n" end
  local rows = {}
  for i, field in ipairs(class.fields) do
    local key, rest = field:match("^(%S+)%s+(.*)$")
    if field:sub(1, 1) == "[" then key, rest = field:match("^(%b[])%s+(.*)$") end
    rows[i] = ("| `%s` | %s |"):format(key, escape(rest))
  end
  table_of(out, "field", rows)
  rows = {}
  for i, operator in ipairs(class.operators) do rows[i] = ("| `%s` | |"):format(operator) end
  table_of(out, "operator", rows)
  for _, entry in ipairs(class.functions) do function_text(out, entry) end
end

local function lua_page(source)
  local classes, aliases = read_meta(source .. "/lang/basin/meta.lua")
  local out = { "# Lua reference\n",
    "Made from `lang/basin/meta.lua` by `scripts/docs`; change that file, not this one.",
    "Editors with a Lua language server read the same file.",
    "Entries, rows and columns of expressions count from 1; indices in mesh data count from 0.\n" }
  for _, alias in ipairs(aliases) do
    local name, kind = alias.alias:match("^(%S+)%s+(.*)$")
    local text = escape(table.concat(alias.text, " "))
    out[#out + 1] = ("`%s` is %s (%s)\n"):format(name, escape(kind), text)
  end
  for _, class in ipairs(classes) do class_text(out, class) end
  return (table.concat(out, "\n"):gsub("\n+$", "")) .. "\n"
end

-- ---- std.md ----

local folders <const> = { "body", "elastic", "shell", "constraint", "joint", "contact", "damping",
  "motion", "material", "integrate", "rotation", "smooth", "rig" }

local function parameters(out, title, list)
  local rows = {}
  for i, entry in ipairs(list) do rows[i] = ("| `%s` | %s |"):format(entry[1], escape(entry[2])) end
  table_of(out, title, rows)
end

local function term_text(out, name, item)
  out[#out + 1] = ("### `std.%s.%s`\n"):format(name, item:signature())
  out[#out + 1] = ("`%s`\n"):format(item.doc)
  parameters(out, "stencil", item.stencil)
  parameters(out, "parameter", item.params)
  if item.material then
    local call = ("std.%s.%s { young =, poisson = }"):format(name, item.name)
    out[#out + 1] = ("`%s` is a material of it.\n"):format(call)
  end
  out[#out + 1] = "Source: " .. escape(item.reference) .. ".\n"
end

local function method_text(out, item)
  out[#out + 1] = ("### `std.integrate.%s(scene, options)`\n"):format(item.name)
  out[#out + 1] = ("`%s`\n"):format(item.doc)
  local rows = {}
  for i, option in ipairs(item.options or {}) do
    rows[i] = ("| `%s` | %s; %s |"):format(option[1], escape(option[4]), option[3])
  end
  table_of(out, "option", rows)
  out[#out + 1] = "Source: " .. escape(item.reference) .. ".\n"
end

-- The documented functions of a file: comments of three dashes and the function below them.
-- Indented lines "key  text" are options.
local function documented(path)
  local list, lines, options = {}, {}, {}
  for line in io.lines(path) do
    local comment = line:match("^%-%-%-(.*)$")
    local key, text = (comment or ""):match("^%s+([%w_]+)%s%s+(.+)$")
    if key then
      options[#options + 1] = { key, text }
    elseif comment and #options > 0 then
      options[#options][2] = options[#options][2] .. " " .. comment:gsub("^%s+", "")
    elseif comment then
      lines[#lines + 1] = comment
    else
      local name, arguments = line:match("^function M%.([%w_]+)(%b())")
      if #lines > 0 and (name or line:find("^return function")) then
        list[#list + 1] = { name = name, arguments = arguments, text = table.concat(lines, " "),
          options = options }
      end
      lines, options = {}, {}
    end
  end
  return list
end

local function module_text(out, source, folder, module)
  for _, item in ipairs(documented(("%s/stdlib/%s/%s.lua"):format(source, folder, module))) do
    local call, rest = item.text:match("^(std%.[%w_.]+%b())[.:]?%s*(.*)$")
    if item.name then
      call, rest = ("std.%s.%s.%s%s"):format(folder, module, item.name, item.arguments), item.text
    end
    out[#out + 1] = ("### `%s`\n"):format(call or ("std.%s.%s"):format(folder, module))
    rest = (rest or item.text):gsub("%s*Options:%s*$", "")
    rest = sentences(rest:sub(1, 1):upper() .. rest:sub(2))
    if rest ~= "" then out[#out + 1] = escape(rest) .. "\n" end
    parameters(out, "option", item.options)
  end
end

local function std_page(source)
  local out = { "# Standard library\n",
    "Made from `stdlib/` by `scripts/docs`; change those files, not this one.",
    "A term is a function from a stencil and parameters to an energy.",
    "[Extending the library](../guide/extending_stdlib.md) says how to add one.\n" }
  for _, folder in ipairs(folders) do
    local modules = {}
    for name, value in pairs(std[folder]) do
      modules[#modules + 1] = { name = name, value = value }
    end
    table.sort(modules, function(a, b) return a.name < b.name end)
    out[#out + 1] = ("## `std.%s`\n"):format(folder)
    for _, module in ipairs(modules) do
      if term.is_term(module.value) then
        term_text(out, folder, module.value)
      elseif stepper.is_method(module.value) then
        method_text(out, module.value)
      else
        module_text(out, source, folder, module.name)
      end
    end
  end
  return (table.concat(out, "\n"):gsub("\n+$", "")) .. "\n"
end

-- ---- environment.md ----

local function environment_page(source)
  local out = { "# Environment variables\n",
    "Made from `runtime/base/environment.def` by `scripts/docs`; change that, not this page.",
    "Options of a script or the command line come first, the environment second, defaults last.\n",
    "| variable | does |", "|---|---|" }
  local rows = read(source .. "/runtime/base/environment.def")
  for name, values, text in rows:gmatch('\nX%(([%w_]+),%s*"(.-)",%s*"(.-)"%)') do
    if values:find(",", 1, true) then text = text .. ": " .. values end
    out[#out + 1] = ("| `BASIN_%s` | %s |"):format(name, escape(text))
  end
  return table.concat(out, "\n") .. "\n"
end

--- The pages by file name, for the sources below a folder.
function M.pages(source)
  return { ["lua.md"] = lua_page(source), ["std.md"] = std_page(source),
    ["environment.md"] = environment_page(source) }
end

return M
