local basin = require "basin"
local matrix = basin.sparse.from { { 1, 5 }, { 0, 1 } }
matrix:solve({ 1, 2 }, "ldlt")
