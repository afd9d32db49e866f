/* Factorizations in Lua: matrix:factorize(kind):solve(b).
 * SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <string.h>

typedef struct factor_box {
  basin_factor *factor;
  basin_context *context;
  size_t unknowns;
} factor_box;

static factor_box *check_factor(lua_State *L, int index)
{
  return basin__check_object(L, index, BASIN_CLASS_FACTOR);
}

static int factor_gc(lua_State *L)
{
  factor_box *box = luaL_checkudata(L, 1, BASIN_CLASS_FACTOR);
  basin_factor_destroy(box->factor);
  box->factor = NULL;
  return 0;
}

/* matrix:factorize([kind]): "cholesky", "ldlt", "lu"; without a kind LDLT for symmetric matrices,
 * else LU */
static int matrix_factorize(lua_State *L)
{
  static const char *const kinds[] = {"cholesky", "ldlt", "lu", NULL};
  const basin_l_matrix *a = basin__matrix_check(L, 1);
  basin_factor_kind kind =
      basin_csr_symmetric(a->matrix, 1e-14) ? BASIN_FACTOR_LDLT : BASIN_FACTOR_LU;
  if (!lua_isnoneornil(L, 2))
    kind = (basin_factor_kind)basin__check_word(L, 2, "kind of factorization", kinds);
  if (basin_csr_rows(a->matrix) != basin_csr_columns(a->matrix)) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "only square matrices can be factorized, this one is %zux%zu",
                        basin_csr_rows(a->matrix),
                        basin_csr_columns(a->matrix));
  }
  factor_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, BASIN_CLASS_FACTOR);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  box->context = a->context;
  box->unknowns = basin_csr_rows(a->matrix);
  basin_factor_options options = basin_factor_options_defaults();
  basin__check(L, box->context, basin_factor_create(box->context, kind, &options, &box->factor));
  basin__check(L, box->context, basin_factor_update_csr(box->factor, a->matrix));
  return 1;
}

/* factor:update(matrix): new values (or another matrix); the analysis is kept while the pattern
 * stands */
static int factor_update(lua_State *L)
{
  factor_box *box = check_factor(L, 1);
  const basin_l_matrix *a = basin__matrix_check(L, 2);
  basin__check(L, box->context, basin_factor_update_csr(box->factor, a->matrix));
  box->unknowns = basin_csr_rows(a->matrix);
  lua_settop(L, 1);
  return 1;
}

/* factor:solve(b): as many numbers as unknowns, in any grouping, or one instance an unknown and a
 * column a component */
static int factor_solve(lua_State *L)
{
  factor_box *box = check_factor(L, 1);
  const basin_l_array *b = basin__array_to(L, 2);
  size_t n = box->unknowns, width = b->count * b->size == n ? 1 : b->size;
  if (width > 1 ? b->count != n : b->count * b->size != n) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "the right-hand side has %zu numbers, the matrix %zu rows",
                        b->count * b->size,
                        n);
  }
  basin_l_array *x = basin__array_copy(L, b->count, b->rows, b->cols, b->data);
  if (width == 1) {
    basin__check(L, box->context, basin_factor_solve(box->factor, 1, b->data, x->data));
    return 1;
  }
  double *columns = lua_newuserdatauv(L, n * width * sizeof *columns, 0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < width; ++k) columns[k * n + i] = b->data[i * width + k];
  }
  basin__check(L, box->context, basin_factor_solve(box->factor, width, columns, columns));
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < width; ++k) x->data[i * width + k] = columns[k * n + i];
  }
  lua_pop(L, 1);
  return 1;
}

/* factor:info() */
static int factor_information(lua_State *L)
{
  const factor_box *box = check_factor(L, 1);
  basin_factor_info info = basin_factor_information(box->factor);
  const struct {
    const char *name;
    const char *value;
  } words[] = {
      {"library", info.library}, {"algorithm", info.algorithm}, {"ordering", info.ordering}};
  const struct {
    const char *name;
    size_t value;
  } counts[] = {{"unknowns", info.unknowns},
                {"analyses", info.analyses},
                {"factorizations", info.factorizations},
                {"solves", info.solves},
                {"negative_pivots", info.negative_pivots}};
  lua_createtable(L, 0, 9);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    lua_pushstring(L, words[i].value);
    lua_setfield(L, -2, words[i].name);
  }
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    lua_pushinteger(L, (lua_Integer)counts[i].value);
    lua_setfield(L, -2, counts[i].name);
  }
  lua_pushnumber(L, info.entries);
  lua_setfield(L, -2, "entries");
  return 1;
}

/* matrix:solve(b[, kind]) */
static int matrix_solve(lua_State *L)
{
  lua_settop(L, 3);
  lua_pushcfunction(L, matrix_factorize);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 2, 1);
  lua_pushcfunction(L, factor_solve);
  lua_insert(L, -2);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return 1;
}

static const luaL_Reg factor_meta[] = {{"__gc", factor_gc}, {NULL, NULL}};
static const luaL_Reg factor_methods[] = {
    {"update", factor_update}, {"solve", factor_solve}, {"info", factor_information}, {NULL, NULL}};
static const luaL_Reg matrix_factor_methods[] = {
    {"factorize", matrix_factorize}, {"solve", matrix_solve}, {NULL, NULL}};

void basin__open_factor(lua_State *L)
{
  basin__class(L, BASIN_CLASS_FACTOR, factor_meta, factor_methods, NULL, NULL);
  lua_pop(L, 1);
  luaL_getmetatable(L, BASIN_CLASS_MATRIX);
  lua_getfield(L, -1, "methods");
  basin__functions(L, matrix_factor_methods);
  lua_pop(L, 2);
}
