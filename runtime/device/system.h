/* The data of a scene inside the runtime, and the kernels that fill computed arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_SYSTEM_H
#define BASIN_DEVICE_SYSTEM_H

#include "base/base.h"
#include <basin/runtime.h>

/* A chain of computed arrays, unions and reductions longer than this is refused: evaluation
 * recurses along it. */
#define BASIN_DEPTH_MAX 1000u

/* A kernel that its owner needs; the function is NULL until the provider was asked. */
typedef struct basin_kernel_slot {
  const void *plan;
  const basin_kernel_info *info; /* NULL: there is no such kernel */
  basin_kernel kernel;
} basin_kernel_slot;

/* The pointer tables a kernel is called with, in the order of its info. */
typedef struct basin_binding {
  const double **arrays;
  const uint32_t **indices;
  size_t array_count, index_count;
} basin_binding;

typedef struct basin_space {
  char *name;
  basin_space_id parent;
  bool shared, dynamic, is_union;
  size_t count;
  uint64_t version; /* of the count */
  basin_space_id *members;
  size_t member_count;
} basin_space;

typedef struct basin_connectivity {
  char *name;
  basin_space_id from, to;
  unsigned arity; /* 0: rows of any length, cut by `offsets` */
  uint32_t *indices, *offsets;
  size_t count, offset_count;
  uint32_t largest; /* largest index, if count > 0 */
  bool set;
  uint64_t version;
} basin_connectivity;

typedef enum basin_array_kind {
  BASIN_ARRAY_RESERVED,
  BASIN_ARRAY_STORED,
  BASIN_ARRAY_COMPUTED,
  BASIN_ARRAY_UNION,
  BASIN_ARRAY_REDUCTION
} basin_array_kind;

/* How a computed array depends on unknowns: a copy of the caller's description with its kernels.
 * Local unknowns are grouped into nodes of `block` numbers; an array has a map for each such block.
 */
typedef struct basin_map {
  struct basin_map *next;
  unsigned block;
  basin_kernel_slot jacobian, curvature;
  size_t unknown_count;
  basin_unknown_access *unknowns;
  bool affine, uniform;
  basin_array_id curvature_weight;
} basin_map;

typedef struct basin_array {
  char *name;
  basin_array_kind kind;
  basin_space_id space;
  unsigned rows, cols;
  size_t size;      /* rows * cols */
  double *data;     /* instance-major, row-major */
  size_t capacity;  /* doubles */
  size_t count;     /* instances that the data hold */
  uint64_t latest;  /* newest change of anything the array depends on */
  uint64_t filled;  /* the `latest` that the data stand for; 0 = never */
  uint64_t checked; /* the system's clock when `latest` was last brought up to date */
  bool visiting;    /* on the way down a dependency chain: meeting it again is a cycle */
  basin_kernel_slot kernel;
  basin_binding binding;
  basin_array_id *members;
  size_t member_count;
  basin_connectivity_id connectivity;
  basin_array_id source;
  bool mean;
  basin_map *map; /* a list, one for each block */
} basin_array;

struct basin_system {
  basin_context *context;
  basin_kernel_provider provider;
  void *provider_user;
  uint64_t clock; /* grows with every change */
  basin_space *spaces;
  size_t space_count, space_capacity;
  basin_connectivity *connectivities;
  size_t connectivity_count, connectivity_capacity;
  basin_array **arrays;
  size_t array_count, array_capacity;
  unsigned char *scratch; /* one stretch a worker, 64-byte aligned */
  size_t scratch_stride, scratch_workers;
};

/* ---- lookup: an error naming the caller's mistake if the id is unknown ---- */
basin_status
basin__system_space(const basin_system *system, basin_space_id id, basin_space **space);
basin_status basin__system_connectivity(const basin_system *system,
                                        basin_connectivity_id id,
                                        basin_connectivity **connectivity);
basin_status
basin__system_array(const basin_system *system, basin_array_id id, basin_array **array);

/* ---- connectivities ---- */
/* Set, and every index still below the count of its target space; else an error naming the first
 * offender. */
basin_status basin__connectivity_check(const basin_system *system,
                                       const basin_connectivity *connectivity);

/* ---- arrays ---- */
/* Room for all instances of the array's space; new entries are zero. */
basin_status basin__array_fit(basin_system *system, basin_array *array);
void basin__array_release(basin_system *system, basin_array *array);
/* The map of a computed array for nodes of `block` numbers; NULL if it has none. */
basin_map *basin__array_map(const basin_array *array, unsigned block);
/* Brings array->latest up to date, recursively; finds cycles. */
basin_status basin__array_refresh(basin_system *system, basin_array_id id, uint64_t *latest);
/* Brings the data up to date. */
basin_status basin__array_update(basin_system *system, basin_array_id id);
/* The newest change of anything a kernel reads. */
basin_status
basin__info_latest(basin_system *system, const basin_kernel_info *info, uint64_t *latest);
/* True in *depends if the array reads, directly or not, one of `targets`. */
basin_status basin__array_depends(basin_system *system,
                                  basin_array_id id,
                                  const basin_array_id *targets,
                                  size_t count,
                                  bool *depends);

/* ---- kernels ---- */
/* Kernels wanted at once; each slot is added at most once a request. */
typedef struct basin_kernel_list {
  basin_kernel_slot **slots;
  size_t count, capacity;
} basin_kernel_list;
basin_status
basin__kernel_list_add(basin_system *system, basin_kernel_list *list, basin_kernel_slot *slot);
/* Adds the kernels of all computed arrays that `info` reads, directly or not. */
basin_status basin__kernel_list_add_inputs(basin_system *system,
                                           basin_kernel_list *list,
                                           const basin_kernel_info *info);
/* Asks the provider for all of them in one call; also reserves scratch memory. */
basin_status basin__kernel_list_request(basin_system *system, basin_kernel_list *list);
void basin__kernel_list_release(basin_system *system, basin_kernel_list *list);

/* Updates all arrays that the kernel reads, checks its connectivities and fills the tables. */
basin_status
basin__binding_fill(basin_system *system, const basin_kernel_info *info, basin_binding *binding);
void basin__binding_release(basin_system *system, basin_binding *binding);
/* Runs a COMPUTE kernel over elements [0, count) on all workers: info->output_size doubles an
 * element. */
void basin__kernel_compute(basin_system *system,
                           const basin_kernel_slot *slot,
                           const basin_binding *binding,
                           size_t count,
                           double *output);
void *basin__system_scratch(const basin_system *system, unsigned worker);

#endif
