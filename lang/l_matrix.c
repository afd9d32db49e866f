/* Sparse matrices in Lua: + - * with numbers, arrays and matrices, transpose, kron, stacking,
 * export. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <string.h>

basin_l_matrix *basin__matrix_test(lua_State *L, int index)
{
  return luaL_testudata(L, index, BASIN_CLASS_MATRIX);
}

basin_l_matrix *basin__matrix_check(lua_State *L, int index)
{
  basin_l_matrix *box = basin__matrix_test(L, index);
  if (!box || !box->matrix) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 NULL,
                 "a sparse matrix is needed here, got %s",
                 luaL_tolstring(L, index, NULL));
  }
  return box;
}

basin_l_matrix *basin__matrix_new(lua_State *L, int like)
{
  like = like ? lua_absindex(L, like) : 0;
  if (!like) basin__context(L);
  basin_l_matrix *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, BASIN_CLASS_MATRIX);
  basin_l_matrix *parent = like ? basin__matrix_test(L, like) : NULL;
  if (parent) {
    lua_getiuservalue(L, like, 1);
  } else if (like) {
    lua_pushvalue(L, like);
  } else {
    basin__push_context(L);
  }
  box->context = basin__check_context(L, -1);
  lua_setiuservalue(L, -2, 1);
  return box;
}

static int matrix_gc(lua_State *L)
{
  basin_l_matrix *box = luaL_checkudata(L, 1, BASIN_CLASS_MATRIX);
  basin_csr_destroy(box->matrix);
  box->matrix = NULL;
  return 0;
}

/* ---- making ---- */

/* core.sparse(rows, columns, row indices, column indices, values): 0-based triplets, summed where
 * equal */
static int core_sparse(lua_State *L)
{
  size_t rows = basin__check_size(L, 1), columns = basin__check_size(L, 2);
  const basin_l_array *i = basin__array_to(L, 3), *j = basin__array_to(L, 4),
                      *v = basin__array_to(L, 5);
  size_t count = v->count * v->size;
  if (i->count * i->size != count || j->count * j->size != count) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "triplets need equal lengths: %zu rows, %zu columns, %zu values",
                        i->count * i->size,
                        j->count * j->size,
                        count);
  }
  const uint32_t *row32 = basin__array_to_indices(L, i, "row indices");
  const uint32_t *column32 = basin__array_to_indices(L, j, "column indices");
  size_t *row = lua_newuserdatauv(L, (2 * count + 1) * sizeof *row, 0), *column = row + count;
  for (size_t k = 0; k < count; ++k) {
    row[k] = row32[k];
    column[k] = column32[k];
  }
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(
      L,
      box->context,
      basin_csr_create(box->context, rows, columns, count, row, column, v->data, &box->matrix));
  return 1;
}

/* core.sparse_from(table or array of rows): a dense matrix, zeros left out */
static int core_sparse_from(lua_State *L)
{
  const basin_l_array *dense = basin__array_to(L, 1);
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(
      L,
      box->context,
      basin_csr_create_dense(box->context, dense->count, dense->size, dense->data, &box->matrix));
  return 1;
}

static int core_sparse_identity(lua_State *L)
{
  size_t size = basin__check_size(L, 1);
  double value = luaL_optnumber(L, 2, 1);
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(L, box->context, basin_csr_create_identity(box->context, size, value, &box->matrix));
  return 1;
}

static int core_sparse_diagonal(lua_State *L)
{
  const basin_l_array *values = basin__array_to(L, 1);
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(L,
               box->context,
               basin_csr_create_diagonal(
                   box->context, values->count * values->size, values->data, &box->matrix));
  return 1;
}

static int core_sparse_zero(lua_State *L)
{
  size_t rows = basin__check_size(L, 1), columns = basin__check_size(L, 2);
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(L, box->context, basin_csr_create_zero(box->context, rows, columns, &box->matrix));
  return 1;
}

/* core.sparse_blocks{{A, B}, {C, false}}: false is a zero block */
static int core_sparse_blocks(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t rows = lua_rawlen(L, 1), columns = 0;
  lua_rawgeti(L, 1, 1);
  if (lua_istable(L, -1)) columns = lua_rawlen(L, -1);
  lua_pop(L, 1);
  if (rows * columns == 0)
    return basin__throw(L, BASIN_ERROR_ARGUMENT, NULL, "blocks are a list of lists of matrices");
  const basin_csr **blocks = lua_newuserdatauv(L, rows * columns * sizeof *blocks, 0);
  for (size_t i = 0; i < rows; ++i) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != columns) {
      return basin__throw(L,
                          BASIN_ERROR_SHAPE,
                          "write false for a zero block",
                          "block row %zu needs %zu blocks",
                          i + 1,
                          columns);
    }
    for (size_t j = 0; j < columns; ++j) {
      lua_rawgeti(L, -1, (lua_Integer)j + 1);
      blocks[i * columns + j] = lua_toboolean(L, -1) ? basin__matrix_check(L, -1)->matrix : NULL;
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(
      L, box->context, basin_csr_create_blocks(box->context, rows, columns, blocks, &box->matrix));
  return 1;
}

/* ---- arithmetic ---- */

static int combine(lua_State *L, double beta)
{
  const basin_l_matrix *a = basin__matrix_check(L, 1), *b = basin__matrix_check(L, 2);
  basin_l_matrix *box = basin__matrix_new(L, 1);
  basin__check(L, box->context, basin_csr_add(1, a->matrix, beta, b->matrix, &box->matrix));
  return 1;
}

static int matrix_add(lua_State *L)
{
  return combine(L, 1);
}
static int matrix_sub(lua_State *L)
{
  return combine(L, -1);
}

static int scaled(lua_State *L, int index, double factor)
{
  const basin_l_matrix *a = basin__matrix_check(L, index);
  basin_l_matrix *box = basin__matrix_new(L, index);
  basin__check(L, box->context, basin_csr_copy(a->matrix, &box->matrix));
  basin_csr_scale(box->matrix, factor);
  return 1;
}

static int matrix_unm(lua_State *L)
{
  return scaled(L, 1, -1);
}

static int matrix_div(lua_State *L)
{
  return scaled(L, 1, 1 / luaL_checknumber(L, 2));
}

/* A * x: the numbers of x in order are one vector; the result has the same grouping where it fits,
 * else one number each. */
static int apply(lua_State *L, bool transposed)
{
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  const basin_l_array *x = basin__array_to(L, 2);
  size_t in = transposed ? basin_csr_rows(a) : basin_csr_columns(a);
  size_t out = transposed ? basin_csr_columns(a) : basin_csr_rows(a), width = 1;
  size_t total = x->count * x->size;
  if (total != in) {
    if (x->count != in) {
      return basin__throw(L,
                          BASIN_ERROR_SHAPE,
                          NULL,
                          "a %zux%zu matrix cannot multiply %zu numbers",
                          transposed ? in : out,
                          transposed ? out : in,
                          total);
    }
    width = x->size; /* a matrix of one row an instance acts on every column */
  }
  bool same = out == in || width > 1;
  basin_l_array *y = same ? basin__array_new(L, width > 1 ? out : x->count, x->rows, x->cols)
                          : basin__array_new(L, out, 1, 1);
  if (transposed) {
    basin_csr_apply_transposed(a, width, x->data, y->data);
  } else {
    basin_csr_apply(a, width, x->data, y->data);
  }
  return 1;
}

static int matrix_mul(lua_State *L)
{
  if (lua_type(L, 1) == LUA_TNUMBER) return scaled(L, 2, lua_tonumber(L, 1));
  if (lua_type(L, 2) == LUA_TNUMBER) return scaled(L, 1, lua_tonumber(L, 2));
  basin__matrix_check(L, 1);
  const basin_l_matrix *b = basin__matrix_test(L, 2);
  if (!b) return apply(L, false);
  basin_l_matrix *box = basin__matrix_new(L, 1);
  basin__check(L,
               box->context,
               basin_csr_multiply(basin__matrix_check(L, 1)->matrix, b->matrix, &box->matrix));
  return 1;
}

static int matrix_apply_transposed(lua_State *L)
{
  return apply(L, true);
}

static int matrix_transpose(lua_State *L)
{
  const basin_l_matrix *a = basin__matrix_check(L, 1);
  basin_l_matrix *box = basin__matrix_new(L, 1);
  basin__check(L, box->context, basin_csr_transpose(a->matrix, &box->matrix));
  return 1;
}

static int matrix_kron(lua_State *L)
{
  const basin_l_matrix *a = basin__matrix_check(L, 1), *b = basin__matrix_check(L, 2);
  basin_l_matrix *box = basin__matrix_new(L, 1);
  basin__check(L, box->context, basin_csr_kron(a->matrix, b->matrix, &box->matrix));
  return 1;
}

/* 0-based indices in a fresh userdata, or NULL for nil. */
static size_t *opt_selection(lua_State *L, int index, size_t *count)
{
  if (lua_isnoneornil(L, index)) return NULL;
  const basin_l_array *array = basin__array_to(L, index);
  const uint32_t *narrow = basin__array_to_indices(L, array, "selection");
  *count = array->count * array->size;
  size_t *wide = lua_newuserdatauv(L, (*count + 1) * sizeof *wide, 0);
  for (size_t i = 0; i < *count; ++i) wide[i] = narrow[i];
  return wide;
}

/* matrix:select(rows or nil, columns or nil): 0-based */
static int matrix_select(lua_State *L)
{
  const basin_l_matrix *a = basin__matrix_check(L, 1);
  lua_settop(L, 3);
  size_t rows = basin_csr_rows(a->matrix), columns = basin_csr_columns(a->matrix);
  const size_t *row = opt_selection(L, 2, &rows), *column = opt_selection(L, 3, &columns);
  basin_l_matrix *box = basin__matrix_new(L, 1);
  basin__check(
      L, box->context, basin_csr_select(a->matrix, rows, row, columns, column, &box->matrix));
  return 1;
}

/* ---- looking ---- */

static int matrix_rows(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin_csr_rows(basin__matrix_check(L, 1)->matrix));
  return 1;
}

static int matrix_columns(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin_csr_columns(basin__matrix_check(L, 1)->matrix));
  return 1;
}

static int matrix_count(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin_csr_count(basin__matrix_check(L, 1)->matrix));
  return 1;
}

/* matrix:at(row, column): from 1, as everywhere in Lua */
static int matrix_at(lua_State *L)
{
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  size_t row = basin__check_size(L, 2), column = basin__check_size(L, 3);
  if (row < 1 || row > basin_csr_rows(a) || column < 1 || column > basin_csr_columns(a)) {
    return basin__throw(L,
                        BASIN_ERROR_RANGE,
                        "rows and columns count from 1 here",
                        "entry (%zu, %zu) of a %zux%zu matrix",
                        row,
                        column,
                        basin_csr_rows(a),
                        basin_csr_columns(a));
  }
  lua_pushnumber(L, basin_csr_at(a, row - 1, column - 1));
  return 1;
}

static int matrix_norm(lua_State *L)
{
  static const char *const words[] = {"frobenius", "one", "infinity", "max", NULL};
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  int kind = lua_isnoneornil(L, 2) ? 0 : basin__check_word(L, 2, "norm", words);
  lua_pushnumber(L, basin_csr_norm(a, (basin_norm)kind));
  return 1;
}

static int matrix_symmetric(lua_State *L)
{
  lua_pushboolean(L,
                  basin_csr_symmetric(basin__matrix_check(L, 1)->matrix, luaL_optnumber(L, 2, 0)));
  return 1;
}

static int matrix_diagonal(lua_State *L)
{
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  size_t rows = basin_csr_rows(a), columns = basin_csr_columns(a);
  basin_l_array *array = basin__array_new(L, rows < columns ? rows : columns, 1, 1);
  basin_csr_diagonal(a, array->data);
  return 1;
}

/* matrix:dense() -> array of one instance a row */
static int matrix_dense(lua_State *L)
{
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  basin_l_array *array = basin__array_new(L, basin_csr_rows(a), basin_csr_columns(a), 1);
  basin_csr_to_dense(a, array->data);
  return 1;
}

/* matrix:csr() -> {starts, columns, values}: compressed rows, 0-based */
static int matrix_csr(lua_State *L)
{
  const basin_csr *a = basin__matrix_check(L, 1)->matrix;
  size_t rows = basin_csr_rows(a), count = basin_csr_count(a);
  lua_createtable(L, 0, 5);
  basin_l_array *starts = basin__array_new(L, rows + 1, 1, 1);
  for (size_t i = 0; i <= rows; ++i) starts->data[i] = (double)basin_csr_starts(a)[i];
  lua_setfield(L, -2, "starts");
  basin__array_indices(L, count, 1, basin_csr_column_indices(a));
  lua_setfield(L, -2, "columns");
  basin__array_copy(L, count, 1, 1, basin_csr_values_const(a));
  lua_setfield(L, -2, "values");
  return 1;
}

static int matrix_tostring(lua_State *L)
{
  const basin_l_matrix *box = basin__check_object(L, 1, BASIN_CLASS_MATRIX);
  if (!box->matrix) {
    lua_pushliteral(L, "sparse matrix");
    return 1;
  }
  lua_pushfstring(L,
                  "sparse matrix %Ix%I, %I entries",
                  (LUAI_UACINT)basin_csr_rows(box->matrix),
                  (LUAI_UACINT)basin_csr_columns(box->matrix),
                  (LUAI_UACINT)basin_csr_count(box->matrix));
  return 1;
}

static const luaL_Reg matrix_meta[] = {{"__gc", matrix_gc},
                                       {"__add", matrix_add},
                                       {"__sub", matrix_sub},
                                       {"__mul", matrix_mul},
                                       {"__div", matrix_div},
                                       {"__unm", matrix_unm},
                                       {"__tostring", matrix_tostring},
                                       {NULL, NULL}};
static const luaL_Reg matrix_methods[] = {{"T", matrix_transpose},
                                          {"transpose", matrix_transpose},
                                          {"apply_transposed", matrix_apply_transposed},
                                          {"kron", matrix_kron},
                                          {"select", matrix_select},
                                          {"at", matrix_at},
                                          {"norm", matrix_norm},
                                          {"is_symmetric", matrix_symmetric},
                                          {"diagonal", matrix_diagonal},
                                          {"dense", matrix_dense},
                                          {"csr", matrix_csr},
                                          {NULL, NULL}};
static const luaL_Reg matrix_getters[] = {
    {"rows", matrix_rows}, {"columns", matrix_columns}, {"count", matrix_count}, {NULL, NULL}};
static const luaL_Reg matrix_functions[] = {{"sparse", core_sparse},
                                            {"sparse_from", core_sparse_from},
                                            {"sparse_identity", core_sparse_identity},
                                            {"sparse_diagonal", core_sparse_diagonal},
                                            {"sparse_zero", core_sparse_zero},
                                            {"sparse_blocks", core_sparse_blocks},
                                            {NULL, NULL}};

void basin__open_matrix(lua_State *L)
{
  basin__class(L, BASIN_CLASS_MATRIX, matrix_meta, matrix_methods, matrix_getters, NULL);
  lua_pop(L, 1);
  basin__functions(L, matrix_functions);
}
