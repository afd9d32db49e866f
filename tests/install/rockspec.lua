-- The rockspec as LuaRocks reads it: arg[1] is the file, arg[2] the root of the sources.
-- SPDX-License-Identifier: Apache-2.0
local path, root = arg[1], arg[2]
local spec = {}
assert(loadfile(path, "t", spec))()

local function text(value, what)
  assert(type(value) == "string" and value ~= "", what .. " must be a text")
  return value
end

local name, version, revision = path:match("([%w_-]+)%-([^-]+)%-(%d+)%.rockspec$")
assert(spec.package == name, "package and file name differ")
assert(spec.version == version .. "-" .. revision, "version and file name differ")
assert(spec.rockspec_format == "3.0")
text(spec.source.url, "source.url")
text(spec.description.summary, "description.summary")
for _, dependency in ipairs(spec.dependencies) do text(dependency, "a dependency") end

local known = { rockspec_format = true, package = true, version = true, source = true,
  description = true, supported_platforms = true, dependencies = true, build = true }
for key in pairs(spec) do assert(known[key], "unknown field " .. key) end

-- Every variable is one of CMake's own or of the project's.
assert(spec.build.type == "cmake")
local project = ""
for _, file in ipairs { "CMakeLists.txt", "lang/CMakeLists.txt" } do
  project = project .. assert(io.open(root .. "/" .. file)):read("a")
end
for variable, value in pairs(spec.build.variables) do
  text(value, variable)
  assert(variable:find("^CMAKE_") or project:find("[^%w_]" .. variable .. " "),
    "the project has no " .. variable)
end
print(spec.package, spec.version)
