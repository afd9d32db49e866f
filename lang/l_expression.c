/* Expressions in Lua: building nodes with the script position of the caller, and asking about them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"

#include <string.h>

#define MAX_ARGUMENTS 64

static bool is_internal(lua_State *L, const char *source, const char *prefix)
{
  (void)L;
  return prefix && source[0] == '@' && strncmp(source + 1, prefix, strlen(prefix)) == 0;
}

/* The innermost line of a script outside Basin's own Lua files; 0 if there is none. Borrowed from
 * the activation record. */
static int find_origin(lua_State *L, lua_Debug *record)
{
  lua_getfield(L, LUA_REGISTRYINDEX, "basin.own_folder");
  const char *prefix = lua_tostring(L, -1);
  lua_pop(L, 1); /* stays in the registry */
  for (int level = 1; lua_getstack(L, level, record); ++level) {
    lua_getinfo(L, "Sl", record);
    if (record->currentline > 0 && !is_internal(L, record->source, prefix))
      return record->currentline;
  }
  return 0;
}

static const char *script_of(const lua_Debug *record)
{
  return record->source[0] == '@' ? record->source + 1 : record->short_src;
}

static void set_origin(lua_State *L, basin_l_system *self)
{
  lua_Debug record;
  int line = find_origin(L, &record);
  basin__check(L,
               self->context,
               basin_graph_set_origin(self->graph, line > 0 ? script_of(&record) : NULL, line));
}

/* core.origin() -> script, line of the code that called into Basin; core.origins(limit) -> a list
 * of "script:line". */
static int core_origin(lua_State *L)
{
  lua_Debug record;
  int line = find_origin(L, &record);
  if (line == 0) return 0;
  lua_pushstring(L, script_of(&record));
  lua_pushinteger(L, line);
  return 2;
}

static int core_origins(lua_State *L)
{
  lua_Integer limit = luaL_checkinteger(L, 1), found = 0;
  lua_Debug record;
  lua_newtable(L);
  lua_getfield(L, LUA_REGISTRYINDEX, "basin.own_folder");
  const char *prefix = lua_tostring(L, -1);
  for (int level = 1; found < limit && lua_getstack(L, level, &record); ++level) {
    lua_getinfo(L, "Sl", &record);
    if (record.currentline <= 0 || is_internal(L, record.source, prefix)) continue;
    lua_pushfstring(L, "%s:%d", script_of(&record), record.currentline);
    lua_rawseti(L, -3, ++found);
  }
  lua_pop(L, 1);
  return 1;
}

static basin_expression check_expression(lua_State *L, int index)
{
  lua_Integer value = luaL_checkinteger(L, index);
  luaL_argcheck(L, value > 0 && value < UINT32_MAX, index, "not an expression");
  return (basin_expression)value;
}

/* Pushes the expression and its shape. */
static int push_expression(lua_State *L, basin_l_system *self, basin_expression expression)
{
  unsigned rows, cols;
  basin_expression_shape(self->graph, expression, &rows, &cols);
  lua_pushinteger(L, expression);
  lua_pushinteger(L, rows);
  lua_pushinteger(L, cols);
  return 3;
}

/* system:constant(number) -> expression, rows, cols; the same three for the next functions */
static int system_constant(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  double value = luaL_checknumber(L, 2);
  basin_expression result = 0;
  set_origin(L, self);
  basin__check(L, self->context, basin_expression_constant(self->graph, value, &result));
  return push_expression(L, self, result);
}

/* system:read(array id) */
static int system_read(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id = (basin_array_id)luaL_checkinteger(L, 2);
  basin_expression result = 0;
  set_origin(L, self);
  basin__check(L, self->context, basin_expression_array(self->graph, id, &result));
  return push_expression(L, self, result);
}

/* system:join(connectivity id, expression) */
static int system_join(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_connectivity_id id = (basin_connectivity_id)luaL_checkinteger(L, 2);
  basin_expression source = check_expression(L, 3), result = 0;
  set_origin(L, self);
  basin__check(L, self->context, basin_expression_join(self->graph, id, source, &result));
  return push_expression(L, self, result);
}

/* system:apply(operator, {expressions}, {integers} or nil) */
static int system_apply(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *op = luaL_checkstring(L, 2);
  int integers[MAX_ARGUMENTS];
  size_t integer_count = lua_istable(L, 4) ? lua_rawlen(L, 4) : 0, count;
  luaL_argcheck(L, integer_count <= MAX_ARGUMENTS, 4, "too many integers");
  for (size_t i = 0; i < integer_count; ++i) {
    lua_rawgeti(L, 4, (lua_Integer)i + 1);
    integers[i] = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  const basin_expression *arguments = basin__check_ids(L, 3, &count);
  basin_expression result = 0;
  set_origin(L, self);
  basin__check(
      L,
      self->context,
      basin_expression_apply(self->graph, op, arguments, count, integers, integer_count, &result));
  return push_expression(L, self, result);
}

/* system:custom(value, {arguments}, {derivatives}) */
static int system_custom(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_expression value = check_expression(L, 2), result = 0;
  size_t count, derivative_count;
  const basin_expression *arguments = basin__check_ids(L, 3, &count);
  const basin_expression *derivatives = basin__check_ids(L, 4, &derivative_count);
  luaL_argcheck(L, count == derivative_count, 4, "one derivative an argument");
  set_origin(L, self);
  basin__check(L,
               self->context,
               basin_expression_custom(self->graph, value, arguments, derivatives, count, &result));
  return push_expression(L, self, result);
}

/* system:owner(expression) -> space id, or nil for a literal */
static int system_owner(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_space_id owner = basin_expression_owner(self->graph, check_expression(L, 2));
  if (owner == BASIN_SPACE_LITERAL) return 0;
  lua_pushinteger(L, owner);
  return 1;
}

/* system:text(expression, limit) */
static int system_text(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_expression expression = check_expression(L, 2);
  const char *text = basin_expression_text(self->graph, expression, basin__check_size(L, 3));
  lua_pushstring(L, text ? text : "?");
  return 1;
}

/* system:literal(expression) -> number or nil */
static int system_literal(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  double value;
  if (!basin_expression_is_literal(self->graph, check_expression(L, 2), &value)) return 0;
  lua_pushnumber(L, value);
  return 1;
}

static int push_ids(lua_State *L, const uint32_t *ids, size_t count)
{
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; ++i) {
    lua_pushinteger(L, ids[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* system:arrays(expression) -> ids of the arrays it reads */
static int system_arrays(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_expression expression = check_expression(L, 2);
  size_t count = 0;
  basin__error_clear(self->context); /* the only sign of missing memory */
  const basin_array_id *ids = basin_expression_arrays(self->graph, expression, &count);
  basin__check(L, self->context, basin_error_last(self->context)->code);
  return push_ids(L, ids, count);
}

/* system:expression_shape(expression) -> rows, cols */
static int system_expression_shape(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  unsigned rows, cols;
  basin_expression_shape(self->graph, check_expression(L, 2), &rows, &cols);
  lua_pushinteger(L, rows);
  lua_pushinteger(L, cols);
  return 2;
}

/* core.operators() -> list of {name, arguments, integers, doc} */
static int core_operators(lua_State *L)
{
  lua_newtable(L);
  for (size_t i = 0; i < basin_operator_count(); ++i) {
    const basin_operator_info *info = basin_operator(i);
    lua_createtable(L, 0, 4);
    lua_pushstring(L, info->name);
    lua_setfield(L, -2, "name");
    lua_pushinteger(L, info->argument_count);
    lua_setfield(L, -2, "arguments");
    lua_pushinteger(L, info->integer_count);
    lua_setfield(L, -2, "integers");
    lua_pushstring(L, info->doc);
    lua_setfield(L, -2, "doc");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static const luaL_Reg expression_methods[] = {{"constant", system_constant},
                                              {"read", system_read},
                                              {"join", system_join},
                                              {"apply", system_apply},
                                              {"custom", system_custom},
                                              {"owner", system_owner},
                                              {"text", system_text},
                                              {"literal", system_literal},
                                              {"arrays", system_arrays},
                                              {"expression_shape", system_expression_shape},
                                              {NULL, NULL}};
static const luaL_Reg expression_functions[] = {{"origin", core_origin},
                                                {"origins", core_origins},
                                                {"operators", core_operators},
                                                {NULL, NULL}};

void basin__open_expression(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_SYSTEM);
  lua_getfield(L, -1, "methods");
  basin__functions(L, expression_methods);
  lua_pop(L, 2);
  basin__functions(L, expression_functions);
}
