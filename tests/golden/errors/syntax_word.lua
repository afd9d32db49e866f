-- A statement that Lua does not understand.
local basin = require "basin"
local x = basin.vector { 1, 2 } plus 3
print(x)
