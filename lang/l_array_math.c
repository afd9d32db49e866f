/* Arithmetic and measures of arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <math.h>
#include <string.h>

typedef double (*binary_function)(double a, double b);

static double add(double a, double b)
{
  return a + b;
}
static double subtract(double a, double b)
{
  return a - b;
}
static double multiply(double a, double b)
{
  return a * b;
}
static double divide(double a, double b)
{
  return a / b;
}

/* One side of an operation: an array or a number for all entries. */
typedef struct operand {
  const double *data;
  size_t count, size, rows, cols;
  double number;
} operand;

static operand get_operand(lua_State *L, int index, const char *sign)
{
  operand side = {0};
  const basin_l_array *array = basin__array_test(L, index);
  if (array) {
    side = (operand){array->data, array->count, array->size, array->rows, array->cols, 0};
  } else if (lua_type(L, index) == LUA_TNUMBER) {
    side.number = lua_tonumber(L, index);
    side.data = NULL;
  } else {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 "an array is a snapshot of numbers; put it into scene data with "
                 "add_constant(name, {value = array})",
                 "cannot calculate array %s %s",
                 sign,
                 luaL_tolstring(L, index, NULL));
  }
  return side;
}

/* Entry k of instance i; one number an instance goes with any shape. */
static double entry(const operand *side, size_t i, size_t k)
{
  if (!side->data) return side->number;
  return side->data[i * side->size + (side->size == 1 ? 0 : k)];
}

static int binary(lua_State *L, const char *sign, binary_function function)
{
  operand a = get_operand(L, 1, sign), b = get_operand(L, 2, sign);
  bool fits = !a.data || !b.data ||
              (a.count == b.count && (a.size == b.size || a.size == 1 || b.size == 1));
  if (!fits) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "cannot calculate %zu x %zux%zu %s %zu x %zux%zu",
                        a.count,
                        a.rows,
                        a.cols,
                        sign,
                        b.count,
                        b.rows,
                        b.cols);
  }
  const operand *shape = !a.data || (b.data && b.size > a.size) ? &b : &a;
  size_t count = shape->count, size = shape->size;
  basin_l_array *result = basin__array_new(L, count, shape->rows, shape->cols);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < size; ++k) {
      result->data[i * size + k] = function(entry(&a, i, k), entry(&b, i, k));
    }
  }
  return 1;
}

static int array_add(lua_State *L)
{
  return binary(L, "+", add);
}
static int array_sub(lua_State *L)
{
  return binary(L, "-", subtract);
}
static int array_mul(lua_State *L)
{
  return binary(L, "*", multiply);
}
static int array_div(lua_State *L)
{
  return binary(L, "/", divide);
}
static int array_pow(lua_State *L)
{
  return binary(L, "^", pow);
}

static int array_unm(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  basin_l_array *result = basin__array_new(L, array->count, array->rows, array->cols);
  for (size_t i = 0; i < array->count * array->size; ++i) result->data[i] = -array->data[i];
  return 1;
}

/* __eq: same shape and numbers. */
static int array_eq(lua_State *L)
{
  const basin_l_array *a = basin__array_test(L, 1), *b = basin__array_test(L, 2);
  bool equal = a && b && a->count == b->count && a->rows == b->rows && a->cols == b->cols;
  for (size_t i = 0; equal && i < a->count * a->size; ++i)
    equal = !(a->data[i] < b->data[i] || a->data[i] > b->data[i]) && !isnan(a->data[i]) &&
            !isnan(b->data[i]);
  lua_pushboolean(L, equal);
  return 1;
}

/* Measures: NaN anywhere makes the result NaN, as it should be seen. */
static int array_max_abs(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  double result = 0;
  for (size_t i = 0; i < array->count * array->size; ++i) {
    double value = fabs(array->data[i]);
    if (!(value <= result)) result = value;
    if (isnan(result)) break;
  }
  lua_pushnumber(L, result);
  return 1;
}

static int extreme(lua_State *L, const char *name, double sign)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t total = array->count * array->size;
  if (total == 0) return basin__throw(L, BASIN_ERROR_STATE, NULL, "an empty array has no %s", name);
  double result = array->data[0];
  for (size_t i = 1; i < total && !isnan(result); ++i) {
    if (!(sign * array->data[i] <= sign * result)) result = array->data[i];
  }
  lua_pushnumber(L, result);
  return 1;
}

static int array_max(lua_State *L)
{
  return extreme(L, "maximum", 1);
}
static int array_min(lua_State *L)
{
  return extreme(L, "minimum", -1);
}

static double sum_of(const basin_l_array *array)
{
  double sum = 0;
  for (size_t i = 0; i < array->count * array->size; ++i) sum += array->data[i];
  return sum;
}

static int array_sum(lua_State *L)
{
  lua_pushnumber(L, sum_of(basin__array_check(L, 1)));
  return 1;
}

static int array_mean(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  size_t total = array->count * array->size;
  if (total == 0) return basin__throw(L, BASIN_ERROR_STATE, NULL, "an empty array has no mean");
  lua_pushnumber(L, sum_of(array) / (double)total);
  return 1;
}

static int array_norm(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  double scale = 0, sum = 1;
  for (size_t i = 0; i < array->count * array->size; ++i) {
    double value = fabs(array->data[i]);
    if (isnan(value)) {
      scale = value;
      break;
    }
    if (value > scale) {
      double ratio = isinf(value) ? 0 : scale / value;
      sum = 1 + sum * ratio * ratio;
      scale = value;
    } else if (value > 0 && !isinf(scale)) {
      double ratio = value / scale;
      sum += ratio * ratio;
    }
  }
  lua_pushnumber(L, scale > 0 || isnan(scale) ? scale * sqrt(sum) : 0);
  return 1;
}

static int array_dot(lua_State *L)
{
  const basin_l_array *a = basin__array_check(L, 1), *b = basin__array_to(L, 2);
  if (a->count * a->size != b->count * b->size) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "dot of %zu and %zu numbers",
                        a->count * a->size,
                        b->count * b->size);
  }
  double sum = 0;
  for (size_t i = 0; i < a->count * a->size; ++i) sum += a->data[i] * b->data[i];
  lua_pushnumber(L, sum);
  return 1;
}

/* array:abs(), array:sqrt() … by a table of functions. */
static int map(lua_State *L, double (*function)(double))
{
  const basin_l_array *array = basin__array_check(L, 1);
  basin_l_array *result = basin__array_new(L, array->count, array->rows, array->cols);
  for (size_t i = 0; i < array->count * array->size; ++i)
    result->data[i] = function(array->data[i]);
  return 1;
}

static int array_abs(lua_State *L)
{
  return map(L, fabs);
}
static int array_sqrt(lua_State *L)
{
  return map(L, sqrt);
}
static int array_exp(lua_State *L)
{
  return map(L, exp);
}
static int array_log(lua_State *L)
{
  return map(L, log);
}
static int array_sin(lua_State *L)
{
  return map(L, sin);
}
static int array_cos(lua_State *L)
{
  return map(L, cos);
}

/* array:lengths(): the Euclidean norm of each instance. */
static int array_lengths(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  basin_l_array *result = basin__array_new(L, array->count, 1, 1);
  for (size_t i = 0; i < array->count; ++i) {
    double sum = 0;
    for (size_t k = 0; k < array->size; ++k)
      sum += array->data[i * array->size + k] * array->data[i * array->size + k];
    result->data[i] = sqrt(sum);
  }
  return 1;
}

/* array:map(function): the function's value for each number. */
static int array_map(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  basin_l_array *result = basin__array_new(L, array->count, array->rows, array->cols);
  for (size_t i = 0; i < array->count * array->size; ++i) {
    lua_pushvalue(L, 2);
    lua_pushnumber(L, array->data[i]);
    lua_call(L, 1, 1);
    if (lua_type(L, -1) != LUA_TNUMBER) {
      return basin__throw(L,
                          BASIN_ERROR_ARGUMENT,
                          NULL,
                          "map: the function returned a %s for entry %zu",
                          luaL_typename(L, -1),
                          i + 1);
    }
    result->data[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return 1;
}

static int array_finite(lua_State *L)
{
  const basin_l_array *array = basin__array_check(L, 1);
  bool finite = true;
  for (size_t i = 0; finite && i < array->count * array->size; ++i)
    finite = isfinite(array->data[i]);
  lua_pushboolean(L, finite);
  return 1;
}

static const luaL_Reg math_meta[] = {{"__add", array_add},
                                     {"__sub", array_sub},
                                     {"__mul", array_mul},
                                     {"__div", array_div},
                                     {"__pow", array_pow},
                                     {"__unm", array_unm},
                                     {"__eq", array_eq},
                                     {NULL, NULL}};
static const luaL_Reg math_methods[] = {{"max_abs", array_max_abs},
                                        {"max", array_max},
                                        {"min", array_min},
                                        {"sum", array_sum},
                                        {"mean", array_mean},
                                        {"norm", array_norm},
                                        {"dot", array_dot},
                                        {"abs", array_abs},
                                        {"sqrt", array_sqrt},
                                        {"exp", array_exp},
                                        {"log", array_log},
                                        {"sin", array_sin},
                                        {"cos", array_cos},
                                        {"lengths", array_lengths},
                                        {"map", array_map},
                                        {"is_finite", array_finite},
                                        {NULL, NULL}};

void basin__open_array_math(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_ARRAY);
  basin__functions(L, math_meta);
  lua_getfield(L, -1, "methods");
  basin__functions(L, math_methods);
  lua_pop(L, 2);
}
