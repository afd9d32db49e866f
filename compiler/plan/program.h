/* Straight-line scalar programs: what the passes hand to the emitter and to the interpreter.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PLAN_PROGRAM_H
#define BASIN_PLAN_PROGRAM_H

#include "graph/ir.h"

/* Instruction i defines value i from values of smaller number. op as in ops.def (scalar rows only).
 * CONST: a, b = bits of the double. LOAD: a = access number of the program, b = component.
 * INNER: a = number of the inner input (outer programs only). CALL-like list operators: a = offset
 * into `lists`, b = length, c = extra. */
typedef struct basin_instruction {
  uint16_t op, flags;
  uint32_t a, b, c;
} basin_instruction;

/* What an access means in memory: emitted text has these numbers as literals. */
typedef struct basin_access_layout {
  uint32_t stride;                  /* doubles an instance of the array: rows * cols */
  bool shared;                      /* the array has one instance, read whatever the element */
  uint32_t arities[BASIN_PATH_MAX]; /* arity of each step's connectivity */
  const char *name;                 /* for comments in the emitted text, e.g. "x"; NULL = none */
} basin_access_layout;

typedef struct basin_program {
  const basin_instruction *code;
  uint32_t count;
  const uint32_t *lists;
  uint32_t list_length;
  const basin_access *accesses;       /* numbered by LOAD.a */
  const basin_access_layout *layouts; /* one an access */
  uint32_t access_count;
  const uint32_t *outputs; /* value numbers */
  uint32_t output_count;
  const int
      *lines; /* script line of each instruction, 0 = unknown; for comments in the emitted text */
  const char *const *scripts; /* likewise */
} basin_program;

/* One kernel in full.
 * COMPUTE: `inner` has output_size outputs; `outer` is empty.
 * VALUE:   `inner` has one output, the energy.
 * GRADIENT: `inner` has 1 + n outputs: energy, inner gradient; `outer` reads INNER k (k < n) and
 * has local_size outputs. HESSIAN: `inner` has 1 + n + n (n + 1) / 2 outputs: energy, inner
 * gradient, packed upper inner Hessian (row after row); the packed part is projected block by
 * block; `outer` reads INNER k: the gradient for k < n, then the packed projected Hessian, and has
 *          local_size + P outputs: local gradient, then the packed upper triangle of the local
 * Hessian (row after row). `blocks`: the inner Hessian is block-diagonal; block_of[i] is the block
 * of inner variable i (blocks are numbered from 0, each is projected alone). A `constant` Hessian
 * still has the full programs; the runtime calls the kernel only when `hessian_arrays` change. */
typedef struct basin_kernel_program {
  basin_kernel_info info;
  basin_program inner, outer;
  uint32_t block_count;
  const uint32_t *block_of; /* info.inner_size entries */
  const char *comment; /* the term's name and script position, for the head of the emitted text */
} basin_kernel_program;

#endif
