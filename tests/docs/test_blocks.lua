-- The reader of documentation pages itself: blocks, marks, and texts that do not match.
-- SPDX-License-Identifier: Apache-2.0
local blocks = require "blocks"
local h = require "harness"

local page <const> = [[
Text.

```lua
-- continues
local a = 1
```

```text
one … three
```

```sh
basin info
```
]]

local path = os.tmpname()
local file = assert(io.open(path, "w"))
file:write(page)
file:close()
local list = blocks.read(path)
os.remove(path)

h.test("blocks have kinds, lines and marks", function()
  h.equal(#list, 3)
  h.equal(list[1].kind, "lua")
  h.equal(list[1].line, 4)
  h.equal(list[1].text, "-- continues\nlocal a = 1\n")
  h.equal(blocks.marked(list[1], "continues"), true)
  h.equal(blocks.marked(list[1], "fails"), false)
  h.equal(list[3].kind, "sh")
end)

h.test("file names are read from the first line", function()
  h.equal(blocks.file_name { lines = { "-- net.lua" } }, "net.lua")
  h.equal(blocks.file_name { lines = { "-- net.lua: a net" } }, "net.lua")
  h.equal(blocks.file_name { lines = { "-- A net." } }, nil)
  h.equal(blocks.file_name { lines = {} }, nil)
end)

h.test("texts match but for the dots", function()
  h.equal(blocks.matches("one two three\n", list[2].text), true)
  h.equal(blocks.matches("one 2\n3 three", list[2].text), true)
  h.equal(blocks.matches("one two four", list[2].text), false)
  h.equal(blocks.matches("zero one two three", list[2].text), false)
  h.equal(blocks.matches("a.b (c) %d", "a.b (c) %d\n"), true)
  h.equal(blocks.matches("axb (c) %d", "a.b (c) %d\n"), false)
end)

h.finish()
