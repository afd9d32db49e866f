/* Contexts in Lua: the shared one, made on first use, and those of scenes with options of their
 * own. SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include "base/base.h"

#include <basin/linalg.h>
#include <string.h>
#include <unistd.h>

typedef struct context_box {
  basin_context *context;
  bool owned;
} context_box;

static basin_context *push_new_context(lua_State *L, int options_index)
{
  basin_options options = basin_options_defaults();
  if (lua_istable(L, options_index)) {
    static const char *const levels[] = {"error", "warn", "info", "debug", "trace", NULL};
    options.device = basin__opt_string_field(L, options_index, "device", options.device);
    size_t threads = basin__opt_size_field(L, options_index, "threads", options.threads);
    if (threads > BASIN_THREADS_MAX) {
      basin__throw(L,
                   BASIN_ERROR_ARGUMENT,
                   NULL,
                   "threads must be at most %d, not %zu",
                   BASIN_THREADS_MAX,
                   threads);
    }
    options.threads = (unsigned)threads;
    options.cache_folder =
        basin__opt_string_field(L, options_index, "cache_folder", options.cache_folder);
    if (lua_getfield(L, options_index, "log") != LUA_TNIL) {
      options.log_level = (basin_log_level)basin__check_word(L, lua_gettop(L), "log", levels);
    }
    lua_pop(L, 1);
  }
  context_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, BASIN_CLASS_CONTEXT);
  box->owned = true;
  box->context = basin_context_create(&options);
  if (!box->context) luaL_error(L, "out of memory for a context");
  return box->context;
}

basin_context *basin__push_context(lua_State *L)
{
  if (lua_getfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".shared") != LUA_TNIL) {
    return basin__check_context(L, -1);
  }
  lua_pop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".options");
  int options = lua_gettop(L);
  basin_context *context = push_new_context(L, options);
  lua_remove(L, options);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".shared");
  return context;
}

basin_context *basin__context(lua_State *L)
{
  basin_context *context = basin__push_context(L);
  lua_pop(L, 1);
  return context;
}

basin_context *basin__check_context(lua_State *L, int index)
{
  context_box *box = basin__check_object(L, index, BASIN_CLASS_CONTEXT);
  return box->context;
}

void basin__adopt_context(lua_State *L, basin_context *context)
{
  context_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->context = context;
  box->owned = false;
  luaL_setmetatable(L, BASIN_CLASS_CONTEXT);
  lua_setfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".shared");
}

static int context_gc(lua_State *L)
{
  context_box *box = luaL_checkudata(L, 1, BASIN_CLASS_CONTEXT);
  if (box->owned) basin_context_destroy(box->context);
  box->context = NULL;
  box->owned = false;
  return 0;
}

/* core.configure{device=, threads=, cache_folder=, log=}: options of the shared context, before its
 * first use. */
static int core_configure(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_getfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".shared") != LUA_TNIL) {
    return basin__throw(L,
                        BASIN_ERROR_STATE,
                        "call basin.configure first in the script",
                        "the context is already in use: it cannot be configured any more");
  }
  lua_pushvalue(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, BASIN_CLASS_CONTEXT ".options");
  return 0;
}

/* core.context(options or nil): a new context, or the shared one. */
static int core_context(lua_State *L)
{
  if (lua_isnoneornil(L, 1)) {
    basin__push_context(L);
  } else {
    luaL_checktype(L, 1, LUA_TTABLE);
    push_new_context(L, 1);
  }
  return 1;
}

static int context_threads(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin__worker_count(basin__check_context(L, 1)));
  return 1;
}

static int context_device(lua_State *L)
{
  const char *device = basin__context_options(basin__check_context(L, 1))->device;
  lua_pushstring(L, device ? device : "auto");
  return 1;
}

static int context_interrupted(lua_State *L)
{
  lua_pushboolean(L, basin__interrupted(basin__check_context(L, 1)));
  return 1;
}

static int context_interrupt(lua_State *L)
{
  basin__interrupt(basin__check_context(L, 1));
  return 0;
}

static int context_interrupt_clear(lua_State *L)
{
  basin__interrupt_clear(basin__check_context(L, 1));
  return 0;
}

/* context:log(level, message) */
static int context_log(lua_State *L)
{
  static const char *const levels[] = {"error", "warn", "info", "debug", "trace", NULL};
  basin_context *context = basin__check_context(L, 1);
  int level = luaL_checkoption(L, 2, NULL, levels);
  basin__log(context, (basin_log_level)level, "%s", luaL_checkstring(L, 3));
  return 0;
}

/* context:library(name) -> whether the library can be opened */
static int context_library(lua_State *L)
{
  lua_pushboolean(
      L, basin_linear_library_available(basin__check_context(L, 1), luaL_checkstring(L, 2)));
  return 1;
}

/* context:make_folders(path) */
static int context_make_folders(lua_State *L)
{
  basin_context *context = basin__check_context(L, 1);
  basin__check(L, context, basin__make_folders(context, luaL_checkstring(L, 2)));
  return 0;
}

/* context:options() -> {device=, threads=, cache_folder=, log=}, as they are in effect */
static int context_options(lua_State *L)
{
  static const char *const levels[] = {"error", "warn", "info", "debug", "trace"};
  const basin_options *options = basin__context_options(basin__check_context(L, 1));
  lua_createtable(L, 0, 4);
  lua_pushstring(L, options->device);
  lua_setfield(L, -2, "device");
  lua_pushinteger(L, (lua_Integer)options->threads);
  lua_setfield(L, -2, "threads");
  lua_pushstring(L, options->cache_folder);
  lua_setfield(L, -2, "cache_folder");
  lua_pushstring(L, levels[options->log_level]);
  lua_setfield(L, -2, "log");
  return 1;
}

/* core.environment() -> {name = what it does} of the variables that Basin reads, without BASIN_,
 * and {name = value} of all that are set and begin with BASIN_ */
static int core_environment(lua_State *L)
{
  static const char prefix[] = "BASIN_";
  lua_newtable(L);
#define X(name, values, doc) \
  lua_pushliteral(L, doc);   \
  lua_setfield(L, -2, #name);
#include "base/environment.def"
#undef X
  lua_newtable(L);
  for (char **entry = environ; entry && *entry; ++entry) {
    const char *name = *entry + sizeof prefix - 1, *equals = strchr(*entry, '=');
    if (strncmp(*entry, prefix, sizeof prefix - 1) != 0 || !equals || equals < name) continue;
    lua_pushlstring(L, name, (size_t)(equals - name));
    lua_pushstring(L, equals + 1);
    lua_rawset(L, -3);
  }
  return 2;
}

static int core_seconds(lua_State *L)
{
  lua_pushnumber(L, basin__seconds());
  return 1;
}

static int core_env(lua_State *L)
{
  static const char *const names[] = {
#define X(name, values, doc) #name,
#include "base/environment.def"
#undef X
      NULL};
  lua_pushstring(L, basin__env(names[basin__check_word(L, 1, "the variable", names)]));
  return 1;
}

static const luaL_Reg context_meta[] = {{"__gc", context_gc}, {NULL, NULL}};
static const luaL_Reg context_methods[] = {{"threads", context_threads},
                                           {"device", context_device},
                                           {"interrupted", context_interrupted},
                                           {"interrupt", context_interrupt},
                                           {"interrupt_clear", context_interrupt_clear},
                                           {"log", context_log},
                                           {"library", context_library},
                                           {"options", context_options},
                                           {"make_folders", context_make_folders},
                                           {NULL, NULL}};
static const luaL_Reg context_functions[] = {{"configure", core_configure},
                                             {"context", core_context},
                                             {"seconds", core_seconds},
                                             {"env", core_env},
                                             {"environment", core_environment},
                                             {NULL, NULL}};

void basin__open_context(lua_State *L)
{
  basin__class(L, BASIN_CLASS_CONTEXT, context_meta, context_methods, NULL, NULL);
  lua_pop(L, 1);
  basin__functions(L, context_functions);
}
