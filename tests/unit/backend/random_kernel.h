/* Random kernel programs and data for them: what back ends are compared on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_RANDOM_KERNEL_H
#define BASIN_TESTS_RANDOM_KERNEL_H

#include "backend/backend.h"
#include "graph/ops.h"
#include "support.h"

/* splitmix64. */
typedef struct random_stream {
  uint64_t state;
} random_stream;
uint64_t random_bits(random_stream *random);
uint32_t random_below(random_stream *random, uint32_t limit);
double random_real(random_stream *random); /* in [-1, 1) */

enum { CODE_MAX = 4096, OUTPUT_MAX = 512, LIST_MAX = 1024, ACCESS_MAX = 16 };

/* A straight-line program under construction. */
typedef struct program_builder {
  basin_instruction code[CODE_MAX];
  uint32_t lists[LIST_MAX], outputs[OUTPUT_MAX];
  int lines[CODE_MAX];
  basin_access accesses[ACCESS_MAX];
  basin_access_layout layouts[ACCESS_MAX];
  uint32_t count, list_length, output_count, access_count;
} program_builder;
uint32_t add_code(program_builder *builder, basin_op op, uint32_t a, uint32_t b, uint32_t c);
uint32_t add_constant(program_builder *builder, double value);
void add_output(program_builder *builder, uint32_t value);
basin_program finish_program(const program_builder *builder);

/* A scene in numbers. Space 0: scene, space 1: nodes, space 2: elements.
 * Arrays: 0 = 3 numbers a node, 1 = 5 an element, 2 = 2 for the scene, 3 = 1 a node.
 * Connectivities: 0 = elements to 4 nodes, 1 = nodes to 2 nodes. */
enum {
  RANDOM_ARRAYS = 4,
  RANDOM_CONNECTIVITIES = 2,
  RANDOM_NODES = 23,
  CORNERS = 4,
  NEIGHBOURS = 2
};
typedef struct sample_data {
  size_t elements;
  double *arrays[RANDOM_ARRAYS];
  uint32_t *indices[RANDOM_CONNECTIVITIES];
  size_t array_sizes[RANDOM_ARRAYS];
} sample_data;
/* Arrays are allocated to their exact size, so that a sanitizer sees any read beyond. */
sample_data sample_data_create(random_stream *random, size_t elements);
void sample_data_destroy(sample_data *data);
/* The accesses of the scene above: corner positions, neighbours of corners, own data, scene data.
 */
void add_accesses(program_builder *builder);

/* What a random kernel looks like. */
typedef struct kernel_shape {
  basin_stage stage;
  uint32_t inner_size, blocks, nodes, block, output_size;
  bool exact; /* only operators that are correctly rounded everywhere */
} kernel_shape;

typedef struct random_kernel {
  program_builder inner, outer;
  uint32_t block_of[64];
  basin_kernel_program program;
} random_kernel;
void random_kernel_fill(random_kernel *kernel, random_stream *random, kernel_shape shape);

/* A back end of the given kind, width ("" = the machine's) and precision; skips the test if LLVM is
 * missing. */
basin_backend *
open_backend(basin_context *context, const char *kind, const char *precision, const char *width);
/* Whether there is such a back end here; a test program without it is skipped (exit status 77). */
bool have_backend(const char *kind);
basin_kernel compile_one(basin_backend *backend, const basin_kernel_program *program);

/* Runs a kernel on the data; arguments other than the data are the caller's. */
void run_kernel(const basin_kernel *kernel, const sample_data *data, basin_kernel_args args);

/* |x - y| <= tolerance * max(1, |y|), or both are NaN. */
bool is_close(double x, double y, double tolerance);

#endif
