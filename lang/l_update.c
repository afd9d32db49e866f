/* The formulas of first-order minimizers in Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <basin/runtime.h>

#include <string.h>

/* Numbers at `index`, `expected` many; SIZE_MAX: any number, which *count gets. */
static const double *check_numbers(lua_State *L, int index, size_t expected, size_t *count)
{
  const basin_l_array *array = basin__array_to(L, index);
  size_t found = array->count * array->size;
  if (count) *count = found;
  if (expected != SIZE_MAX && found != expected) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "argument %d needs %zu numbers, got %zu",
                 index,
                 expected,
                 found);
  }
  return array->data;
}

typedef basin_status (*update_function)(
    basin_context *context, size_t n, const double *s, const double *y, double *H);

/* core.update("inverse_bfgs" ..., H, s, y) -> the changed matrix */
static int core_update(lua_State *L)
{
  static const char *const words[] = {"inverse_bfgs", "inverse_dfp", "direct_bfgs", NULL};
  static const update_function functions[] = {
      basin_update_inverse_bfgs, basin_update_inverse_dfp, basin_update_bfgs};
  int kind = basin__check_word(L, 1, "update", words);
  size_t n;
  const double *s = check_numbers(L, 3, SIZE_MAX, &n);
  if (n >= (size_t)1 << 20)
    return basin__throw(L, BASIN_ERROR_RANGE, NULL, "a matrix of %zu rows is too large", n);
  const double *y = check_numbers(L, 4, n, NULL), *H = check_numbers(L, 2, n * n, NULL);
  basin_l_array *result = basin__array_copy(L, n, n, 1, H);
  basin_context *context = basin__context(L);
  basin__check(L, context, functions[kind](context, n, s, y, result->data));
  return 1;
}

/* core.two_loop(S, Y, scale, g) -> H g */
static int core_two_loop(lua_State *L)
{
  size_t n, total;
  const double *g = check_numbers(L, 4, SIZE_MAX, &n), *S = check_numbers(L, 1, SIZE_MAX, &total);
  if (n == 0 || total % n != 0) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "every row needs as many numbers as the gradient, %zu; got %zu in all",
                        n,
                        total);
  }
  const double *Y = check_numbers(L, 2, total, NULL);
  double scale = luaL_checknumber(L, 3);
  basin_l_array *result = basin__array_new(L, n, 1, 1);
  basin_context *context = basin__context(L);
  basin__check(L, context, basin_two_loop(context, n, total / n, S, Y, scale, g, result->data));
  return 1;
}

/* core.conjugacy(method, g, g_old, d) -> coefficient */
static int core_conjugacy(lua_State *L)
{
  static const char *const words[] = {
#define X(code, word, curvature) word,
      BASIN_FIRST_ORDER_LIST(X)
#undef X
          NULL};
  int method = basin__check_word(L, 1, "method", words);
  size_t n;
  const double *g = check_numbers(L, 2, SIZE_MAX, &n), *g_old = check_numbers(L, 3, n, NULL);
  const double *d = check_numbers(L, 4, n, NULL);
  lua_pushnumber(L, basin_conjugacy((basin_first_order_method)method, n, g, g_old, d));
  return 1;
}

static const luaL_Reg functions[] = {{"update", core_update},
                                     {"two_loop", core_two_loop},
                                     {"conjugacy", core_conjugacy},
                                     {NULL, NULL}};

void basin__open_update(lua_State *L)
{
  basin__functions(L, functions);
}
