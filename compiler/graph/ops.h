/* What ops.def says about an operator, by number and by name.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_OPS_H
#define BASIN_GRAPH_OPS_H

#include "graph/ir.h"

enum {
  BASIN_OP_COMMUTES = 1, /* operands may be swapped without changing a bit */
  BASIN_OP_BOOLEAN = 2,  /* the result is a truth value */
  BASIN_OP_LOGICAL = 4,  /* the children are truth values (SELECT: the first) */
  BASIN_OP_LEAF = 8,     /* no children; a and b are payload */
  BASIN_OP_LIST = 16,    /* children in the list pool */
  BASIN_OP_EXACT = 32,   /* correctly rounded on every machine */
  BASIN_OP_OUTPUTS = 64, /* one of several outputs of a small matrix function, number c */
  BASIN_OP_MATRIX = 128  /* a matrix row: lowered before any pass sees it */
};

typedef struct basin_op_info {
  const char *name;     /* lower case; matrix and scalar rows may share names */
  const char *spelling; /* kernel text with $0 $1 $2; "" for leaves and matrix rows */
  const char *doc;      /* matrix rows, else "" */
  int arity;            /* children; -1 = a list */
  int integer_count;    /* static parameters of matrix rows */
  int cost;             /* rough time in additions; 0 for matrix rows */
  uint32_t flags;       /* BASIN_OP_* above */
  basin_op scalar; /* matrix rows that map a scalar operator over entries, else BASIN_OP_CONST */
} basin_op_info;

/* The row of an operator; `op` must be below BASIN_OP_COUNT. */
const basin_op_info *basin__op_info(unsigned op);

/* The operator of that name among scalar or matrix rows (leading '.' of matrix rows not written),
 * BASIN_OP_COUNT if none. */
basin_op basin__op_find(const char *name, size_t length, bool matrix);

/* The applicable matrix operator whose name is nearest to `name`, or NULL if none is near. */
const char *basin__op_nearest(const char *name);

/* The value of a scalar operator of fixed arity (not a leaf) from its children's values: the oracle
 * of every back end. */
double basin__op_value(basin_op op, double x, double y, double w);

#endif
