/* Dense matrices and modes in Lua: an array is a matrix of one row an instance.
 * SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <basin/spectral.h>
#include <string.h>

static basin_context *context_of(lua_State *L)
{
  basin__push_context(L);
  return basin__check_context(L, -1);
}

static const basin_l_array *check_square(lua_State *L, int index, const char *what)
{
  const basin_l_array *a = basin__array_check(L, index);
  if (a->count > 0 && a->count != a->size) {
    basin__throw(L,
                 BASIN_ERROR_SHAPE,
                 NULL,
                 "%s must be square, this one is %zux%zu",
                 what,
                 a->count,
                 a->size);
  }
  return a;
}

/* core.dense_eigen(a, mass or nil) -> values, vectors */
static int core_dense_eigen(lua_State *L)
{
  const basin_l_array *a = check_square(L, 1, "the matrix");
  const basin_l_array *mass = lua_isnoneornil(L, 2) ? NULL : check_square(L, 2, "the mass");
  size_t n = a->count;
  if (mass && mass->count != n) {
    return basin__throw(
        L, BASIN_ERROR_SHAPE, NULL, "the mass has %zu rows, the matrix %zu", mass->count, n);
  }
  basin_context *context = context_of(L);
  basin_l_array *values = basin__array_new(L, n, 1, 1), *vectors = basin__array_new(L, n, n, 1);
  basin__check(L,
               context,
               basin_dense_eigen(
                   context, n, a->data, mass ? mass->data : NULL, values->data, vectors->data));
  return 2;
}

/* core.dense_svd(a, full) -> u, s, v */
static int core_dense_svd(lua_State *L)
{
  const basin_l_array *a = basin__array_check(L, 1);
  bool full = lua_toboolean(L, 2);
  size_t m = a->count, n = a->size, k = m < n ? m : n;
  basin_context *context = context_of(L);
  basin_l_array *u = basin__array_new(L, m, full ? m : k, 1);
  basin_l_array *s = basin__array_new(L, k, 1, 1);
  basin_l_array *v = basin__array_new(L, n, full ? n : k, 1);
  basin__check(
      L, context, basin_dense_svd(context, m, n, a->data, full, u->data, s->data, v->data));
  return 3;
}

/* core.dense_qr(a, full, pivoted) -> q, r, permutation (from 0) or nil */
static int core_dense_qr(lua_State *L)
{
  const basin_l_array *a = basin__array_check(L, 1);
  bool full = lua_toboolean(L, 2), pivoted = lua_toboolean(L, 3);
  size_t m = a->count, n = a->size, k = full || m < n ? m : n;
  basin_context *context = context_of(L);
  size_t *permutation = pivoted ? lua_newuserdatauv(L, (n + 1) * sizeof *permutation, 0) : NULL;
  basin_l_array *q = basin__array_new(L, m, k, 1), *r = basin__array_new(L, k, n, 1);
  basin__check(
      L, context, basin_dense_qr(context, m, n, a->data, full, permutation, q->data, r->data));
  if (!pivoted) return 2;
  basin_l_array *order = basin__array_new(L, n, 1, 1);
  for (size_t j = 0; j < n; ++j) order->data[j] = (double)permutation[j];
  return 3;
}

/* core.dense_multiply(a, b, transposed): a b, or a^T b */
static int core_dense_multiply(lua_State *L)
{
  const basin_l_array *a = basin__array_check(L, 1), *b = basin__array_check(L, 2);
  bool transposed = lua_toboolean(L, 3);
  size_t rows = transposed ? a->size : a->count, inner = transposed ? a->count : a->size;
  if (inner != b->count) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "a matrix of %zu columns cannot multiply one of %zu rows",
                        inner,
                        b->count);
  }
  size_t columns = b->size;
  basin_l_array *c = basin__array_new(L, rows, columns, 1);
  memset(c->data, 0, rows * columns * sizeof *c->data);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      double factor = transposed ? a->data[k * rows + i] : a->data[i * inner + k];
      const double *from = b->data + k * columns;
      double *to = c->data + i * columns;
      for (size_t j = 0; j < columns; ++j) to[j] += factor * from[j];
    }
  }
  return 1;
}

/* core.dense_transpose(a) */
static int core_dense_transpose(lua_State *L)
{
  const basin_l_array *a = basin__array_check(L, 1);
  basin_l_array *t = basin__array_new(L, a->size, a->count, 1);
  for (size_t i = 0; i < a->count; ++i) {
    for (size_t j = 0; j < a->size; ++j) t->data[j * a->count + i] = a->data[i * a->size + j];
  }
  return 1;
}

static const basin_csr *opt_matrix(lua_State *L, int index)
{
  return lua_isnoneornil(L, index) ? NULL : basin__matrix_check(L, index)->matrix;
}

/* core.sparse_eigen(a, mass, constraints, {count=, near=, tolerance=, max_iterations=, basis=}) ->
 * values, vectors, {method=, iterations=, solves=, shift=} */
static int core_sparse_eigen(lua_State *L)
{
  const basin_l_matrix *a = basin__matrix_check(L, 1);
  const basin_csr *mass = opt_matrix(L, 2), *constraints = opt_matrix(L, 3);
  basin_eigen_options options = basin_eigen_options_defaults();
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_getfield(L, 4, "count");
  options.count = basin__check_size(L, -1);
  options.near = lua_getfield(L, 4, "near") != LUA_TNIL;
  options.shift = luaL_optnumber(L, -1, 0);
  lua_getfield(L, 4, "tolerance");
  options.tolerance = luaL_optnumber(L, -1, 0);
  if (lua_getfield(L, 4, "max_iterations") != LUA_TNIL)
    options.maximum_iterations = basin__check_size(L, -1);
  if (lua_getfield(L, 4, "basis") != LUA_TNIL) options.basis = basin__check_size(L, -1);
  lua_settop(L, 4);
  /* Checked before room is made for them; the solve says more. */
  size_t n = basin_csr_rows(a->matrix), count = options.count < n ? options.count : n;
  basin_l_array *values = basin__array_new(L, count, 1, 1);
  basin_l_array *vectors = basin__array_new(L, n, count, 1);
  basin_eigen_info info = {.method = "none"};
  basin__check(
      L,
      a->context,
      basin_sparse_eigen(
          a->context, a->matrix, mass, constraints, &options, values->data, vectors->data, &info));
  lua_createtable(L, 0, 4);
  lua_pushstring(L, info.method);
  lua_setfield(L, -2, "method");
  lua_pushinteger(L, (lua_Integer)info.iterations);
  lua_setfield(L, -2, "iterations");
  lua_pushinteger(L, (lua_Integer)info.solves);
  lua_setfield(L, -2, "solves");
  lua_pushnumber(L, info.shift);
  lua_setfield(L, -2, "shift");
  return 3;
}

static const luaL_Reg functions[] = {{"dense_eigen", core_dense_eigen},
                                     {"dense_svd", core_dense_svd},
                                     {"dense_qr", core_dense_qr},
                                     {"dense_multiply", core_dense_multiply},
                                     {"dense_transpose", core_dense_transpose},
                                     {"sparse_eigen", core_sparse_eigen},
                                     {NULL, NULL}};

void basin__open_dense(lua_State *L)
{
  basin__functions(L, functions);
}
