/* Classes, errors and argument helpers of the Lua binding.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Upvalues: methods, getters, class name, index function or nil. */
static int class_index(lua_State *L)
{
  if (lua_type(L, 2) != LUA_TSTRING) {
    if (lua_isnil(L, lua_upvalueindex(4))) {
      return basin__throw(L,
                          BASIN_ERROR_NAME,
                          NULL,
                          "a %s has no field %s",
                          lua_tostring(L, lua_upvalueindex(3)),
                          luaL_tolstring(L, 2, NULL));
    }
    lua_pushvalue(L, lua_upvalueindex(4));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  lua_getfield(L, LUA_REGISTRYINDEX, "basin.unknown_field");
  if (lua_isnil(L, -1)) {
    return luaL_error(L, "no field '%s'", lua_tostring(L, 2));
  }
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_pushvalue(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_call(L, 4, 0);
  return 0;
}

void basin__functions(lua_State *L, const luaL_Reg *functions)
{
  if (functions) luaL_setfuncs(L, functions, 0);
}

void basin__class(lua_State *L,
                  const char *name,
                  const luaL_Reg *metamethods,
                  const luaL_Reg *methods,
                  const luaL_Reg *getters,
                  lua_CFunction index)
{
  luaL_newmetatable(L, name);
  /* What getmetatable returns: finalizers are for the collector alone. */
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  basin__functions(L, metamethods);
  lua_newtable(L);
  basin__functions(L, methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "methods");
  lua_newtable(L);
  basin__functions(L, getters);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "getters");
  lua_pushstring(L, name);
  if (index) {
    lua_pushcfunction(L, index);
  } else {
    lua_pushnil(L);
  }
  lua_pushcclosure(L, class_index, 4);
  lua_setfield(L, -2, "__index");
}

void *basin__check_object(lua_State *L, int index, const char *name)
{
  void *box = luaL_checkudata(L, index, name);
  void *object;
  memcpy(&object, box, sizeof object);
  if (!object) basin__throw(L, BASIN_ERROR_STATE, NULL, "this %s has been released already", name);
  return box;
}

/* Raises the description table on top of the stack through the error handler that the front end
 * set. */
static int raise_description(lua_State *L)
{
  if (lua_getfield(L, LUA_REGISTRYINDEX, "basin.error_handler") == LUA_TNIL) {
    lua_getfield(L, -2, "message");
    return lua_error(L);
  }
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  return lua_error(L);
}

static void set_string(lua_State *L, const char *name, const char *value)
{
  if (!value) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

static const char *const status_names[] = {
#define X(code, text) #code,
    BASIN_STATUS_LIST(X)
#undef X
};

static void push_code(lua_State *L, basin_status code)
{
  const char *name = (unsigned)code < BASIN_STATUS_COUNT ? status_names[code] : "ERROR_INTERNAL";
  lua_pushstring(L, strncmp(name, "ERROR_", 6) == 0 ? name + 6 : name);
  lua_setfield(L, -2, "code");
}

int basin__raise(lua_State *L, basin_context *context)
{
  const basin_error *error = basin_error_last(context);
  lua_newtable(L);
  push_code(L, error->code);
  set_string(L, "message", error->message ? error->message : basin_status_text(error->code));
  set_string(L, "script", error->script);
  set_string(L, "expression", error->expression);
  set_string(L, "site", error->site);
  lua_pushinteger(L, error->script_line);
  lua_setfield(L, -2, "line");
  return raise_description(L);
}

void basin__check(lua_State *L, basin_context *context, basin_status status)
{
  if (status != BASIN_OK) basin__raise(L, context);
}

int basin__throw(lua_State *L, basin_status code, const char *hint, const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  lua_newtable(L);
  push_code(L, code);
  set_string(L, "message", message);
  set_string(L, "hint", hint);
  return raise_description(L);
}

size_t basin__check_size(lua_State *L, int index)
{
  int exact;
  lua_Integer value = lua_tointegerx(L, index, &exact);
  if (!exact || value < 0) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 NULL,
                 "argument %d must be a whole number that is not negative, got %s",
                 index,
                 luaL_tolstring(L, index, NULL));
  }
  return (size_t)value;
}

unsigned basin__check_unsigned(lua_State *L, int index)
{
  size_t value = basin__check_size(L, index);
  if (value > UINT32_MAX) {
    basin__throw(L, BASIN_ERROR_RANGE, NULL, "argument %d is too large: %zu", index, value);
  }
  return (unsigned)value;
}

double basin__opt_number_field(lua_State *L, int table, const char *name, double otherwise)
{
  double value = otherwise;
  if (lua_getfield(L, table, name) != LUA_TNIL) {
    int number;
    value = lua_tonumberx(L, -1, &number);
    if (!number) {
      basin__throw(L,
                   BASIN_ERROR_ARGUMENT,
                   NULL,
                   "option '%s' must be a number, got %s",
                   name,
                   luaL_tolstring(L, -1, NULL));
    }
  }
  lua_pop(L, 1);
  return value;
}

size_t basin__opt_size_field(lua_State *L, int table, const char *name, size_t otherwise)
{
  double value = basin__opt_number_field(L, table, name, (double)otherwise);
  if (value > 4294967295.0) {
    basin__throw(L,
                 BASIN_ERROR_RANGE,
                 NULL,
                 "option '%s' is too large: %g; at most %u",
                 name,
                 value,
                 UINT32_MAX);
  }
  if (!(value >= 0 && floor(value) == value)) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 NULL,
                 "option '%s' must be a whole number from 0, got %g",
                 name,
                 value);
  }
  return (size_t)value;
}

bool basin__opt_boolean_field(lua_State *L, int table, const char *name, bool otherwise)
{
  bool value = otherwise;
  int type = lua_getfield(L, table, name);
  if (type != LUA_TNIL) {
    if (type != LUA_TBOOLEAN) {
      basin__throw(L,
                   BASIN_ERROR_ARGUMENT,
                   NULL,
                   "option '%s' must be true or false, got %s",
                   name,
                   luaL_tolstring(L, -1, NULL));
    }
    value = lua_toboolean(L, -1);
  }
  lua_pop(L, 1);
  return value;
}

const char *
basin__opt_string_field(lua_State *L, int table, const char *name, const char *otherwise)
{
  const char *value = otherwise;
  int type = lua_getfield(L, table, name);
  if (type != LUA_TNIL) {
    if (type != LUA_TSTRING) {
      basin__throw(L,
                   BASIN_ERROR_ARGUMENT,
                   NULL,
                   "option '%s' must be a string, got %s",
                   name,
                   luaL_tolstring(L, -1, NULL));
    }
    value = lua_tostring(L, -1);
  }
  lua_pop(L, 1);
  return value;
}

int basin__check_word(lua_State *L, int index, const char *what, const char *const *words)
{
  const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  for (int i = 0; word && words[i]; ++i) {
    if (strcmp(word, words[i]) == 0) return i;
  }
  const char *shown = luaL_tolstring(L, index, NULL);
  luaL_Buffer list;
  luaL_buffinit(L, &list);
  for (int i = 0; words[i]; ++i) {
    if (i > 0) luaL_addstring(&list, ", ");
    luaL_addstring(&list, words[i]);
  }
  luaL_pushresult(&list);
  return basin__throw(L,
                      BASIN_ERROR_ARGUMENT,
                      NULL,
                      "%s must be one of %s; got %s",
                      what,
                      lua_tostring(L, -1),
                      shown);
}
