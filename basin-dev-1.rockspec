-- LuaRocks: builds Basin and puts require "basin" into a Lua 5.4 tree.
rockspec_format = "3.0"
package = "basin"
version = "dev-1"
source = { url = "." }
description = {
  summary = "A symbolic compiler for energy-minimization physics",
  detailed = [[
Energies written as expressions in Lua are differentiated twice, compiled for the
CPU, assembled and minimized.]],
  license = "Apache-2.0",
}
supported_platforms = { "linux" }
dependencies = { "lua ~> 5.4" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    CMAKE_INSTALL_LIBDIR = "native", -- files in lib are moved away as C modules
    BASIN_TESTS = "OFF",
    BASIN_INSTALL_LMOD = "$(LUADIR)",
    BASIN_INSTALL_CMOD = "$(LIBDIR)",
  },
}
