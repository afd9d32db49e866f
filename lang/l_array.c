/* Arrays in Lua: count instances of rows x cols numbers, made from tables, meshes and attributes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_MAX_DEPTH 4

basin_l_array *basin__array_new(lua_State *L, size_t count, size_t rows, size_t cols)
{
  size_t size = rows * cols;
  size_t most = size ? SIZE_MAX / 16 / size : UINT32_MAX; /* loops run over empty instances too */
  if (rows > UINT16_MAX || cols > UINT16_MAX || count > most) {
    basin__throw(L,
                 BASIN_ERROR_MEMORY,
                 NULL,
                 "an array of %zu instances of %zux%zu is too large",
                 count,
                 rows,
                 cols);
  }
  basin_l_array *array =
      lua_newuserdatauv(L, sizeof *array + count * size * sizeof(double) + 16, 0);
  array->count = count;
  array->rows = (unsigned)rows;
  array->cols = (unsigned)cols;
  array->size = size;
  array->data = (double *)(void *)(array + 1);
  luaL_setmetatable(L, BASIN_CLASS_ARRAY);
  return array;
}

basin_l_array *
basin__array_copy(lua_State *L, size_t count, size_t rows, size_t cols, const double *data)
{
  basin_l_array *array = basin__array_new(L, count, rows, cols);
  if (count > 0 && array->size > 0) memcpy(array->data, data, count * array->size * sizeof(double));
  return array;
}

basin_l_array *basin__array_indices(lua_State *L, size_t count, size_t arity, const uint32_t *data)
{
  basin_l_array *array = basin__array_new(L, count, arity, 1);
  for (size_t i = 0; i < count * arity; ++i) array->data[i] = data[i];
  return array;
}

basin_l_array *basin__array_test(lua_State *L, int index)
{
  return luaL_testudata(L, index, BASIN_CLASS_ARRAY);
}

basin_l_array *basin__array_check(lua_State *L, int index)
{
  basin_l_array *array = basin__array_test(L, index);
  if (!array) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 "basin.array.from turns tables of numbers into arrays",
                 "an array is needed here, got %s",
                 luaL_tolstring(L, index, NULL));
  }
  return array;
}

/* ---- tables of numbers ---- */
typedef struct table_shape {
  size_t extents[ARRAY_MAX_DEPTH];
  unsigned depth;
} table_shape;

/* Extents along the first entries; only tables of equal extents everywhere are accepted later. */
static void find_shape(lua_State *L, int index, table_shape *shape)
{
  shape->depth = 0;
  lua_pushvalue(L, index);
  while (lua_istable(L, -1)) {
    if (shape->depth == ARRAY_MAX_DEPTH) {
      basin__throw(L,
                   BASIN_ERROR_SHAPE,
                   NULL,
                   "tables of numbers may be nested %d deep at most",
                   ARRAY_MAX_DEPTH);
    }
    shape->extents[shape->depth++] = lua_rawlen(L, -1);
    if (lua_rawlen(L, -1) == 0) break;
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
  }
  lua_pop(L, 1);
}

/* Appends the numbers of the table on top of the stack. `where` is the number of the outermost
 * entry. */
static double *
flatten(lua_State *L, const table_shape *shape, unsigned level, double *out, size_t where)
{
  size_t length = lua_rawlen(L, -1);
  if (length != shape->extents[level]) {
    basin__throw(L,
                 BASIN_ERROR_SHAPE,
                 "rows of a table must have equal lengths",
                 "entry %zu has %zu numbers, the first has %zu",
                 where,
                 length,
                 shape->extents[level]);
  }
  for (size_t i = 1; i <= length; ++i) {
    if (level == 0) where = i;
    lua_rawgeti(L, -1, (lua_Integer)i);
    if (level + 1 < shape->depth) {
      if (!lua_istable(L, -1)) {
        basin__throw(L,
                     BASIN_ERROR_SHAPE,
                     "give every entry as a table, or none",
                     "entry %zu is a %s among tables",
                     where,
                     luaL_typename(L, -1));
      }
      out = flatten(L, shape, level + 1, out, where);
    } else {
      int number = 0;
      *out++ = lua_tonumberx(L, -1, &number);
      if (!number || lua_type(L, -1) != LUA_TNUMBER) {
        basin__throw(L,
                     BASIN_ERROR_ARGUMENT,
                     NULL,
                     "entry %zu is a %s, not a number",
                     where,
                     luaL_typename(L, -1));
      }
    }
    lua_pop(L, 1);
  }
  return out;
}

/* Pushes an array: {a, b} is two numbers, {{…}, {…}} two vectors, {{{…}, …}, …} matrices. */
static basin_l_array *push_from_table(lua_State *L, int index)
{
  table_shape shape = {0};
  index = lua_absindex(L, index);
  luaL_checkstack(L, 2 * ARRAY_MAX_DEPTH + 8, "nested tables");
  find_shape(L, index, &shape);
  size_t rows = shape.depth > 1 ? shape.extents[1] : 1;
  size_t cols = 1;
  for (unsigned i = 2; i < shape.depth; ++i) cols *= shape.extents[i];
  if (shape.extents[0] == 0) rows = cols = 1;
  basin_l_array *array = basin__array_new(L, shape.extents[0], rows, cols);
  lua_pushvalue(L, index);
  flatten(L, &shape, 0, array->data, 0);
  lua_pop(L, 1);
  return array;
}

basin_l_array *basin__array_to(lua_State *L, int index)
{
  basin_l_array *array = basin__array_test(L, index);
  if (array) return array;
  index = lua_absindex(L, index);
  if (lua_istable(L, index) && !lua_getmetatable(L, index)) {
    array = push_from_table(L, index);
    lua_replace(L, index);
    return array;
  }
  basin__throw(L,
               BASIN_ERROR_ARGUMENT,
               "use a basin.array or a table of numbers",
               "numbers are needed here, got %s",
               luaL_tolstring(L, index, NULL));
  return NULL;
}

uint32_t *basin__array_to_indices(lua_State *L, const basin_l_array *array, const char *what)
{
  size_t total = array->count * array->size;
  uint32_t *indices = lua_newuserdatauv(L, total * sizeof *indices + 4, 0);
  for (size_t i = 0; i < total; ++i) {
    double value = array->data[i];
    if (!(value >= 0 && value < 4294967295.0 && floor(value) == value)) {
      basin__throw(L,
                   BASIN_ERROR_RANGE,
                   "indices are whole numbers; they, rows and entries count from 0",
                   "%s: entry %zu of row %zu is %g, which is no index",
                   what,
                   i % array->size,
                   i / array->size,
                   value);
    }
    indices[i] = (uint32_t)value;
  }
  return indices;
}

/* ---- making arrays ---- */

/* core.array(table or array[, rows, cols]): rows and cols regroup the numbers. */
static int core_array(lua_State *L)
{
  basin_l_array *array = basin__array_to(L, 1);
  if (lua_isnoneornil(L, 2)) {
    lua_pushvalue(L, 1);
    return 1;
  }
  size_t rows = basin__check_size(L, 2), cols = lua_isnoneornil(L, 3) ? 1 : basin__check_size(L, 3);
  size_t total = array->count * array->size;
  if (rows * cols == 0 || total % (rows * cols)) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "%zu numbers cannot be cut into %zux%zu matrices",
                        total,
                        rows,
                        cols);
  }
  basin__array_copy(L, total / (rows * cols), rows, cols, array->data);
  return 1;
}

/* core.array_filled(count, value[, rows, cols]) */
static int core_array_filled(lua_State *L)
{
  size_t count = basin__check_size(L, 1);
  double value = luaL_checknumber(L, 2);
  size_t rows = lua_isnoneornil(L, 3) ? 1 : basin__check_size(L, 3);
  size_t cols = lua_isnoneornil(L, 4) ? 1 : basin__check_size(L, 4);
  basin_l_array *array = basin__array_new(L, count, rows, cols);
  for (size_t i = 0; i < count * array->size; ++i) array->data[i] = value;
  return 1;
}

/* core.array_range(first, count, step) */
static int core_array_range(lua_State *L)
{
  double first = luaL_checknumber(L, 1), step = luaL_optnumber(L, 3, 1);
  size_t count = basin__check_size(L, 2);
  basin_l_array *array = basin__array_new(L, count, 1, 1);
  for (size_t i = 0; i < count; ++i) array->data[i] = first + step * (double)i;
  return 1;
}

/* core.array_line(from, to, count): equally spaced points, ends included. */
static int core_array_line(lua_State *L)
{
  const basin_l_array *from = basin__array_to(L, 1), *to = basin__array_to(L, 2);
  size_t count = basin__check_size(L, 3), size = from->count * from->size;
  if (size != to->count * to->size || size == 0 || count < 2) {
    return basin__throw(L,
                        BASIN_ERROR_ARGUMENT,
                        NULL,
                        "a line needs two points of the same size and at least 2 points, got %zu "
                        "and %zu numbers and %zu points",
                        size,
                        to->count * to->size,
                        count);
  }
  basin_l_array *array = basin__array_new(L, count, size, 1);
  for (size_t i = 0; i < count; ++i) {
    double t = (double)i / (double)(count - 1);
    for (size_t k = 0; k < size; ++k) {
      array->data[i * size + k] =
          i + 1 == count ? to->data[k] : from->data[k] + t * (to->data[k] - from->data[k]);
    }
  }
  return 1;
}

/* core.array_labels{{count, label}, …}: each label repeated count times. */
static int core_array_labels(lua_State *L)
{
  const basin_l_array *pairs = basin__array_to(L, 1);
  if (pairs->count && pairs->size != 2) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "labels are pairs {count, label}, got entries of %zu numbers",
                        pairs->size);
  }
  size_t total = 0;
  for (size_t i = 0; i < pairs->count; ++i) {
    double count = pairs->data[2 * i];
    if (!(count >= 0 && floor(count) == count && count < 4294967295.0)) {
      return basin__throw(
          L, BASIN_ERROR_ARGUMENT, NULL, "labels: count %g of pair %zu is no count", count, i + 1);
    }
    total += (size_t)count;
  }
  basin_l_array *array = basin__array_new(L, total, 1, 1);
  double *out = array->data;
  for (size_t i = 0; i < pairs->count; ++i) {
    for (size_t k = (size_t)pairs->data[2 * i]; k > 0; --k) *out++ = pairs->data[2 * i + 1];
  }
  return 1;
}

/* core.array_join(list): arrays of the same shape, one after the other. */
static int core_array_join(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t number = lua_rawlen(L, 1), count = 0, rows = 1, cols = 1;
  for (size_t i = 1; i <= number; ++i) {
    lua_rawgeti(L, 1, (lua_Integer)i);
    const basin_l_array *part = basin__array_check(L, -1);
    if (i > 1 && (part->rows != rows || part->cols != cols)) {
      return basin__throw(L,
                          BASIN_ERROR_SHAPE,
                          NULL,
                          "cannot join %zux%zu with %ux%u (array %zu)",
                          rows,
                          cols,
                          part->rows,
                          part->cols,
                          i);
    }
    rows = part->rows;
    cols = part->cols;
    count += part->count;
    lua_pop(L, 1);
  }
  basin_l_array *array = basin__array_new(L, count, rows, cols);
  double *out = array->data;
  for (size_t i = 1; i <= number; ++i) {
    lua_rawgeti(L, 1, (lua_Integer)i);
    const basin_l_array *part = basin__array_check(L, -1);
    if (part->count > 0 && part->size > 0)
      memcpy(out, part->data, part->count * part->size * sizeof(double));
    out += part->count * part->size;
    lua_pop(L, 1);
  }
  return 1;
}

/* ---- reading and writing entries ---- */

/* A count from 1 at `index`, as an offset from 0. */
static size_t check_position(lua_State *L, int index, size_t limit, const char *what)
{
  int exact;
  lua_Integer value = lua_tointegerx(L, index, &exact);
  if (!exact || value < 1 || (size_t)value > limit) {
    basin__throw(L,
                 BASIN_ERROR_RANGE,
                 "positions in Lua count from 1",
                 "%s %s is outside 1 .. %zu",
                 what,
                 luaL_tolstring(L, index, NULL),
                 limit);
  }
  return (size_t)value - 1;
}

/* array[i]: a number, or the instance as a vector (its numbers as `size` instances of one). */
static int array_entry(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t i = check_position(L, 2, array->count, "instance");
  if (array->size == 1) {
    lua_pushnumber(L, array->data[i]);
  } else if (array->cols > 1) {
    basin__array_copy(L, array->rows, array->cols, 1, array->data + i * array->size);
  } else {
    basin__array_copy(L, array->size, 1, 1, array->data + i * array->size);
  }
  return 1;
}

static int array_newindex(lua_State *L)
{
  basin_l_array *array = basin__array_check(L, 1);
  size_t i = check_position(L, 2, array->count, "instance");
  if (array->size == 1 && lua_isnumber(L, 3)) {
    array->data[i] = lua_tonumber(L, 3);
    return 0;
  }
  const basin_l_array *value = basin__array_to(L, 3);
  if (value->count * value->size != array->size) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "an instance has %zu numbers, got %zu",
                        array->size,
                        value->count * value->size);
  }
  memcpy(array->data + i * array->size, value->data, array->size * sizeof(double));
  return 0;
}

/* array:at(instance[, row[, column]]) */
static int array_at(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t i = check_position(L, 2, array->count, "instance");
  size_t row = lua_isnoneornil(L, 3)
                   ? 0
                   : check_position(L, 3, lua_isnoneornil(L, 4) ? array->size : array->rows, "row");
  size_t column = lua_isnoneornil(L, 4) ? 0 : check_position(L, 4, array->cols, "column");
  size_t entry = lua_isnoneornil(L, 4) ? row : row * array->cols + column;
  lua_pushnumber(L, array->data[i * array->size + entry]);
  return 1;
}

/* array:component(k): the k-th number of every instance. */
static int array_component(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t k = check_position(L, 2, array->size, "component");
  basin_l_array *result = basin__array_new(L, array->count, 1, 1);
  for (size_t i = 0; i < array->count; ++i) result->data[i] = array->data[i * array->size + k];
  return 1;
}

/* array:slice(first[, last]) */
static int array_slice(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t first = basin__check_size(L, 2);
  size_t last = lua_isnoneornil(L, 3) ? array->count : basin__check_size(L, 3);
  if (first < 1 || last > array->count || last + 1 < first) {
    return basin__throw(L,
                        BASIN_ERROR_RANGE,
                        "positions in Lua count from 1",
                        "slice %zu .. %zu of %zu instances",
                        first,
                        last,
                        array->count);
  }
  basin__array_copy(
      L, last + 1 - first, array->rows, array->cols, array->data + (first - 1) * array->size);
  return 1;
}

/* array:select(indices): instances by 0-based index, as mesh data counts. */
static int array_select(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  const basin_l_array *which = basin__array_to(L, 2);
  const uint32_t *indices = basin__array_to_indices(L, which, "select");
  size_t number = which->count * which->size;
  basin_l_array *result = basin__array_new(L, number, array->rows, array->cols);
  for (size_t i = 0; i < number; ++i) {
    if (indices[i] >= array->count) {
      return basin__throw(L,
                          BASIN_ERROR_RANGE,
                          "mesh indices count from 0",
                          "select: index %u of %zu instances",
                          (unsigned)indices[i],
                          array->count);
    }
    memcpy(result->data + i * array->size,
           array->data + indices[i] * array->size,
           array->size * sizeof(double));
  }
  return 1;
}

/* array:replaced(indices, values): a copy with other instances at these indices; of equal indices
 * the last one counts. */
static int array_replaced(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  const basin_l_array *which = basin__array_to(L, 2), *values = basin__array_to(L, 3);
  const uint32_t *indices = basin__array_to_indices(L, which, "replaced");
  size_t number = which->count * which->size, size = array->size;
  if (values->count * values->size != number * size) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "replaced: %zu instances of %ux%u need %zu numbers, got %zu",
                        number,
                        array->rows,
                        array->cols,
                        number * size,
                        values->count * values->size);
  }
  basin_l_array *result = basin__array_copy(L, array->count, array->rows, array->cols, array->data);
  for (size_t i = 0; i < number; ++i) {
    if (indices[i] >= array->count) {
      return basin__throw(L,
                          BASIN_ERROR_RANGE,
                          "mesh indices count from 0",
                          "replaced: index %u of %zu instances",
                          (unsigned)indices[i],
                          array->count);
    }
    memcpy(result->data + indices[i] * size, values->data + i * size, size * sizeof(double));
  }
  return 1;
}

static int array_copy(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  basin__array_copy(L, array->count, array->rows, array->cols, array->data);
  return 1;
}

/* array:table(): numbers, or a table of numbers for each instance. */
static int array_table(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  lua_createtable(L, (int)array->count, 0);
  for (size_t i = 0; i < array->count; ++i) {
    if (array->size == 1) {
      lua_pushnumber(L, array->data[i]);
    } else {
      lua_createtable(L, (int)array->size, 0);
      for (size_t k = 0; k < array->size; ++k) {
        lua_pushnumber(L, array->data[i * array->size + k]);
        lua_rawseti(L, -2, (lua_Integer)k + 1);
      }
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* array:bytes(): the numbers as a string of little-endian doubles; equal strings are equal bits. */
static int array_bytes(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  lua_pushlstring(L, (const char *)array->data, array->count * array->size * sizeof(double));
  return 1;
}

static int array_tostring(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  lua_pushfstring(
      L, "array of %I x %dx%d:", (LUAI_UACINT)array->count, (int)array->rows, (int)array->cols);
  luaL_addvalue(&buffer);
  size_t total = array->count * array->size, shown = total < 12 ? total : 12;
  for (size_t i = 0; i < shown; ++i) {
    char text[40];
    lua_Number value = array->data[i];
    lua_number2str(text, sizeof text, value);
    luaL_addstring(&buffer, i && i % array->size == 0 ? " | " : " ");
    luaL_addstring(&buffer, text);
  }
  if (shown < total) luaL_addstring(&buffer, " ...");
  luaL_pushresult(&buffer);
  return 1;
}

static int array_len(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin__array_check(L, 1)->count);
  return 1;
}

static int array_rows(lua_State *L)
{
  lua_pushinteger(L, basin__array_check(L, 1)->rows);
  return 1;
}

static int array_cols(lua_State *L)
{
  lua_pushinteger(L, basin__array_check(L, 1)->cols);
  return 1;
}

static int array_size(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin__array_check(L, 1)->size);
  return 1;
}

static const luaL_Reg array_meta[] = {{"__len", array_len},
                                      {"__newindex", array_newindex},
                                      {"__tostring", array_tostring},
                                      {NULL, NULL}};
static const luaL_Reg array_methods[] = {{"at", array_at},
                                         {"component", array_component},
                                         {"slice", array_slice},
                                         {"select", array_select},
                                         {"replaced", array_replaced},
                                         {"copy", array_copy},
                                         {"table", array_table},
                                         {"bytes", array_bytes},
                                         {NULL, NULL}};
static const luaL_Reg array_getters[] = {{"count", array_len},
                                         {"rows", array_rows},
                                         {"cols", array_cols},
                                         {"size", array_size},
                                         {NULL, NULL}};
static const luaL_Reg array_functions[] = {{"array", core_array},
                                           {"array_filled", core_array_filled},
                                           {"array_range", core_array_range},
                                           {"array_line", core_array_line},
                                           {"array_labels", core_array_labels},
                                           {"array_join", core_array_join},
                                           {NULL, NULL}};

void basin__open_array(lua_State *L)
{
  basin__class(L, BASIN_CLASS_ARRAY, array_meta, array_methods, array_getters, array_entry);
  lua_pop(L, 1);
  basin__functions(L, array_functions);
}
