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
    -- LuaRocks moves what is in lua, lib and bin: the libraries stay elsewhere, with the command.
    CMAKE_INSTALL_LIBDIR = "native",
    CMAKE_INSTALL_BINDIR = "native",
    BASIN_TESTS = "OFF",
    BASIN_INSTALL_LMOD = "$(LUADIR)",
    BASIN_INSTALL_CMOD = "$(LIBDIR)",
  },
}
