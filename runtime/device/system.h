/* The data of a scene inside the runtime, and the kernels that fill computed arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_SYSTEM_H
#define BASIN_DEVICE_SYSTEM_H

#include "base/base.h"
#include "device/cuda/cuda.h"
#include <basin/runtime.h>

/* A chain of computed arrays, unions and reductions longer than this is refused: evaluation
 * recurses along it. */
#define BASIN_DEPTH_MAX 1000u

/* A kernel that its owner needs; empty until the provider was asked. */
typedef struct basin_kernel_slot {
  const void *plan;
  const basin_kernel_info *info; /* NULL: there is no such kernel */
  basin_kernel kernel;
  const basin_cuda_kernel *loaded; /* the same on the system's device; NULL on the CPU */
} basin_kernel_slot;

static inline bool basin__kernel_ready(const basin_kernel_slot *slot)
{
  return slot->kernel.function || slot->loaded;
}

/* The tables of addresses in device memory that basin_kernel_args.arrays and .indices point to.
 * Zero-initialise. */
typedef struct basin_device_binding {
  basin_buffer tables;
  basin_address arrays, indices;
  basin_address *sent; /* what the tables hold */
  size_t sent_count, sent_capacity;
} basin_device_binding;

/* The pointer tables a kernel is called with, in the order of its info; on a system with a device
 * only `device` is filled in. */
typedef struct basin_binding {
  const double **arrays;
  const uint32_t **indices;
  size_t array_count, index_count;
  basin_device_binding device;
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
  size_t held;      /* entries that `indices` has room for */
  uint32_t largest; /* largest index, if count > 0 */
  bool set;
  uint64_t version;
  basin_buffer device_indices, device_offsets;
  size_t device_count; /* indices being written on the device */
  bool device_valid;   /* the device's copy is up to date */
  bool host_stale;     /* and is the only one that is */
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

/* Values of a stored array that can be put back. */
typedef struct basin_kept {
  double *data;
  size_t capacity; /* doubles */
  basin_buffer device;
  size_t count;     /* instances */
  uint64_t version; /* the array's `latest` then */
  bool valid, on_device;
} basin_kept;

typedef struct basin_array {
  char *name;
  basin_array_kind kind;
  basin_space_id space;
  unsigned rows, cols;
  size_t size;            /* rows * cols */
  double *data;           /* instance-major, row-major */
  size_t capacity;        /* doubles */
  size_t count;           /* instances that the data hold */
  uint64_t latest;        /* newest change of anything the array depends on */
  uint64_t filled;        /* the `latest` that the data stand for; 0 = never */
  uint64_t checked;       /* the system's clock when `latest` was last brought up to date */
  bool visiting;          /* on the way down a dependency chain: meeting it again is a cycle */
  basin_buffer device;    /* the copy on the device */
  size_t device_count;    /* instances that it holds */
  uint64_t device_filled; /* computed ones: as `filled`, for that copy */
  bool device_valid;      /* stored ones: that copy is up to date */
  bool host_stale;        /* and is the only one that is */
  uint64_t host_version;  /* the `latest` that the host's copy stands for */
  basin_kept kept;
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
  basin_cuda *cuda; /* NULL: the CPU. Belongs to the context or to the caller */
  bool atomic_sums; /* minimizers on a device may add in any order */
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
  basin_buffer output; /* of kernels that run on the device for the host */
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
 * offender. Afterwards the host has the indices. */
basin_status basin__connectivity_check(const basin_system *system,
                                       const basin_connectivity *connectivity);
/* The same, wherever the indices are. */
basin_status basin__connectivity_range(const basin_system *system,
                                       basin_connectivity *connectivity);
void basin__connectivity_release(basin_system *system, basin_connectivity *connectivity);

/* ---- arrays ---- */
/* Room for all instances of the array's space; new entries are zero. */
basin_status basin__array_fit(basin_system *system, basin_array *array);
void basin__array_release(basin_system *system, basin_array *array);
/* The map of a computed array for nodes of `block` numbers; NULL if it has none. */
basin_map *basin__array_map(const basin_array *array, unsigned block);
/* Brings array->latest up to date, recursively; finds cycles. */
basin_status basin__array_refresh(basin_system *system, basin_array_id id, uint64_t *latest);
/* Brings the data up to date, on the host. */
basin_status basin__array_update(basin_system *system, basin_array_id id);
/* Kernels of the array and of everything it reads, if it is a computed one. */
basin_status basin__array_request(basin_system *system, basin_array *array);
/* Stored data were changed on the host: a new version. */
void basin__array_changed(basin_system *system, basin_array *array);
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
/* Runs a COMPUTE kernel over elements [0, count) on all workers, or on the system's device:
 * info->output_size doubles an element, on the host. Fails on a device only. */
basin_status basin__kernel_compute(basin_system *system,
                                   const basin_kernel_slot *slot,
                                   const basin_binding *binding,
                                   size_t count,
                                   double *output);
void *basin__system_scratch(const basin_system *system, unsigned worker);

/* ---- a system on a CUDA device (cuda/mirror.c, cuda/evaluate.c) ----
 * Arrays and connectivities have a copy on the host and one on the device, brought up to date when
 * they are asked for. All these are for systems with a device. */
/* Before any array is added; the device outlives the system. NULL: the CPU. */
basin_status basin__system_set_cuda(basin_system *system, basin_cuda *cuda);
/* Up-to-date data on the device: uploads or computes what is stale. The address holds until the
 * array or its space changes. */
basin_status
basin__array_on_device(basin_system *system, basin_array_id id, basin_address *address);
/* Room for all instances of a stored array, whose old content is given up: the caller writes all of
 * it on the device ... */
basin_status
basin__array_write_on_device(basin_system *system, basin_array_id id, basin_address *address);
/* ... and then says so: a new version; the host's copy is stale. */
void basin__array_written_on_device(basin_system *system, basin_array_id id);
/* `offsets` (may be NULL) becomes 0 for a fixed arity. */
basin_status basin__connectivity_on_device(basin_system *system,
                                           basin_connectivity_id id,
                                           basin_address *indices,
                                           basin_address *offsets);
/* Room for `count` indices of a connectivity of fixed arity; they are trusted. */
basin_status basin__connectivity_write_on_device(basin_system *system,
                                                 basin_connectivity_id id,
                                                 size_t count,
                                                 basin_address *indices);
/* `largest`: a number that no index exceeds. */
void basin__connectivity_written_on_device(basin_system *system,
                                           basin_connectivity_id id,
                                           uint32_t largest);
/* Tables for basin_kernel_args: updates all that the kernel reads and checks its connectivities. */
basin_status basin__binding_on_device(basin_system *system,
                                      const basin_kernel_info *info,
                                      basin_device_binding *binding);
void basin__device_binding_release(basin_system *system, basin_device_binding *binding);
/* Launches a COMPUTE kernel for elements [0, count) into device memory. */
basin_status basin__compute_on_device(basin_system *system,
                                      const basin_kernel_slot *slot,
                                      const basin_device_binding *binding,
                                      size_t count,
                                      basin_address output,
                                      const char *subject);
/* Copies to the host what is newest on the device. */
basin_status basin__array_to_host(basin_system *system, basin_array *array);
basin_status basin__connectivity_to_host(const basin_system *system,
                                         basin_connectivity *connectivity);
/* Evaluates a computed array, union or reduction, whose kernels are there, on the device. */
basin_status basin__array_evaluate_on_device(basin_system *system, basin_array *array);

#endif
