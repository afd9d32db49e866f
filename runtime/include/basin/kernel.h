/* The kernel ABI: what a compiled kernel is called with, and the plain data that describes it to
 * the runtime. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_KERNEL_H
#define BASIN_KERNEL_H

#include <basin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BASIN_KERNEL_ABI 1

/* No node, no slot: the entry is not an unknown and is skipped. */
#define BASIN_NONE UINT32_MAX

/* ---- ids: spaces, arrays and connectivities are numbered by the runtime's system, one numbering a
 * scene ---- */
typedef uint32_t basin_space_id; /* an index space; instances 0 .. count-1 */
typedef uint32_t
    basin_array_id; /* one rows x cols matrix an instance of a space, row-major, doubles */
typedef uint32_t basin_connectivity_id; /* arity uint32 indices an instance of one space into
                                           another; arity 0 = CSR */

/* One step of a JOIN path: instance i goes to indices[i * arity + slot]. */
typedef struct basin_path_step {
  basin_connectivity_id connectivity;
  uint32_t slot;
} basin_path_step;

#define BASIN_PATH_MAX 6

/* Reads array `array` at the instance reached from the element by `step_count` steps, outermost
 * first. Arrays of shared spaces (scene and mesh level: one instance) are read at instance 0 and
 * have no steps. */
typedef struct basin_access {
  basin_array_id array;
  uint32_t step_count;
  basin_path_step steps[BASIN_PATH_MAX];
} basin_access;

typedef enum basin_stage {
  BASIN_STAGE_COMPUTE,  /* an expression: `output_size` doubles an element into `output` */
  BASIN_STAGE_VALUE,    /* an energy */
  BASIN_STAGE_GRADIENT, /* energy and gradient */
  BASIN_STAGE_HESSIAN,  /* energy, gradient and Hessian */
  BASIN_STAGE_COUNT
} basin_stage;

typedef enum basin_projection {
  BASIN_PROJECTION_NONE,
  BASIN_PROJECTION_CLAMP,   /* negative eigenvalues become zero */
  BASIN_PROJECTION_ABS,     /* negative eigenvalues change sign */
  BASIN_PROJECTION_ADAPTIVE /* the minimizer chooses ABS or CLAMP at each iteration; never passed to
                               a kernel */
} basin_projection;

/* A differentiable access of an energy: `size` local unknowns, grouped into nodes of `block`
 * numbers. Local order: access after access; inside an access node after node. A vector of `block`
 * entries is one node. A rows x cols matrix with rows == block is `cols` nodes, node j being column
 * j. Anything else whose size is a multiple of `block` is cut in storage order. Local unknown first
 * + j * block + i of such a matrix is entry (i, j), stored at i * cols + j. output = false: the
 * access takes part in the projection but has no rows in gradient and Hessian (data that is no
 * target). */
typedef struct basin_unknown_access {
  basin_access access;
  uint32_t size, first, rows, cols;
  bool output;
} basin_unknown_access;

/* What the runtime must know about one kernel. Arrays and strings belong to the plan that contains
 * it. */
typedef struct basin_kernel_info {
  const char *name; /* unique in the plan, a C identifier */
  basin_stage stage;
  uint32_t array_count, connectivity_count;
  const basin_array_id *arrays; /* args.arrays[k] is the data of arrays[k] */
  const basin_connectivity_id
      *connectivities;  /* args.indices[k] are the indices of connectivities[k] */
  uint32_t output_size; /* COMPUTE: doubles an element */
  uint32_t local_size;  /* GRADIENT, HESSIAN: local unknowns with output, a multiple of block */
  uint32_t block;       /* b, numbers a node */
  uint32_t inner_size;  /* inner variables the Hessian is projected in */
  uint32_t operations;  /* scalar operations an element, for reports */
} basin_kernel_info;

/* Passed to a kernel. Elements [begin, end). Local Hessian pairs: nodes a <= c of N = local_size /
 * block, numbered p = a * N - a (a - 1) / 2 + (c - a). Direct form (nodes != NULL):
 * gradient[nodes[e*N + a] * block + i] += local gradient; values[slot * block² ...] += local block,
 * row-major, slot word slots[e*P + p], P = N (N + 1) / 2: low 30 bits = block number;
 * BASIN_SLOT_TRANSPOSED: the transpose is added; BASIN_SLOT_TWICE: block plus its transpose (two
 * local nodes are one global node); BASIN_NONE: skipped. Stored form (nodes == NULL): element e
 * writes local_gradient[(e - begin) * local_size ...] and local_hessian[(e - begin) * local_size
 * (local_size + 1) / 2 ...], the packed upper triangle, row after row. Sums run in element order,
 * so a range always adds the same bits, whatever the SIMD width. */
typedef struct basin_kernel_args {
  size_t begin, end;
  const double *const *arrays;
  const uint32_t *const *indices;
  double *output;     /* COMPUTE: output[e * output_size + c], indexed by e, not e - begin */
  double *energy;     /* the energy of element e at energy[e - begin]; NULL if not wanted */
  double *energy_sum; /* *energy_sum += sum over the range (lane sums first, fixed order); NULL if
                         not wanted */
  const uint32_t *nodes, *slots;
  double *gradient, *values; /* NULL: that part is not written */
  double *local_gradient, *local_hessian;
  void *scratch;       /* basin_kernel.scratch_size bytes, 64-byte aligned, one a worker */
  uint32_t projection; /* basin_projection, HESSIAN only */
} basin_kernel_args;

#define BASIN_SLOT_TRANSPOSED 0x80000000u
#define BASIN_SLOT_TWICE      0x40000000u
#define BASIN_SLOT_MASK       0x3fffffffu

/* The stored form on a CUDA device: the local Hessian of an element is the blocks of its pairs, in
 * their order, row-major, of those with a = c the upper triangle alone. Of a kernel with at most
 * BASIN_CUDA_STAGED local unknowns, number k of element e is at [(e - begin) * size + k], `size`
 * being the numbers that an element has there, else at [k * (end - begin) + e - begin]. Kernels of
 * these stages are launched with BASIN_CUDA_THREADS_LOCAL threads a block, for whom 12 unknowns
 * take the shared memory that there always is; there is no direct form. */
#define BASIN_CUDA_STAGED        12
#define BASIN_CUDA_THREADS_LOCAL 64

typedef void (*basin_kernel_function)(const basin_kernel_args *args, const void *self);

/* A compiled kernel. Immutable, callable from any thread. One for a CUDA device has no function but
 * device code: an image whose entry is basin_kernel, launched with the arguments by value. */
typedef struct basin_kernel {
  basin_kernel_function function;
  const void *image; /* machine code or PTX; NULL for kernels that are called */
  size_t image_size;
  const void *self; /* handed to the function; the interpreter's program */
  size_t scratch_size;
  const char *hash; /* 32 hex digits of the kernel key; "" for the interpreter */
} basin_kernel;

#ifdef __cplusplus
}
#endif
#endif
