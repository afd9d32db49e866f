/* Inside the detector on a CUDA device: its kernels and memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CUDA_WORK_H
#define BASIN_CONTACT_CUDA_WORK_H

#include "contact/cuda/detector.h"
#include "device/cuda/primitives.h"

/* X(name, file): the kernel contact_name */
#define BASIN_CONTACT_KERNEL_LIST(X)      \
  X(start, "contact_boxes.cu")            \
  X(extent, "contact_boxes.cu")           \
  X(frame, "contact_boxes.cu")            \
  X(boxes, "contact_boxes.cu")            \
  X(outer, "contact_boxes.cu")            \
  X(set_extent, "contact_tree.cu")        \
  X(keys, "contact_tree.cu")              \
  X(corners, "contact_tree.cu")           \
  X(fill_leaves, "contact_tree.cu")       \
  X(fill_level, "contact_tree.cu")        \
  X(fill_top, "contact_tree.cu")          \
  X(query, "contact_query.cu")            \
  X(detect, "contact_detect.cu")          \
  X(detect_planes, "contact_detect.cu")   \
  X(sort_keys, "contact_merge.cu")        \
  X(run_flags, "contact_merge.cu")        \
  X(run_heads, "contact_merge.cu")        \
  X(merge_runs, "contact_merge.cu")       \
  X(gather_runs, "contact_merge.cu")      \
  X(compare, "contact_merge.cu")          \
  X(times, "contact_step.cu")             \
  X(cut, "contact_cut.cu")                \
  X(plane_times, "contact_step.cu")       \
  X(first, "contact_step.cu")             \
  X(first_plane, "contact_step.cu")       \
  X(nearest, "contact_closest.cu")        \
  X(nearest_plane, "contact_closest.cu")  \
  X(copies, "contact_fill.cu")            \
  X(fill, "contact_fill.cu")              \
  X(friction_flags, "contact_fill.cu")    \
  X(friction_vertices, "contact_fill.cu") \
  X(fill_friction, "contact_fill.cu")

typedef enum basin_contact_kernel_name {
#define X(name, file) BASIN_CONTACT_KERNEL_##name,
  BASIN_CONTACT_KERNEL_LIST(X)
#undef X
      BASIN_CONTACT_KERNEL_COUNT
} basin_contact_kernel_name;

/* Candidates of the four passes. */
typedef struct basin_cuda_candidate_list {
  basin_buffer memory[BASIN__CUDA_PASSES]; /* items, then partners */
  size_t capacity[BASIN__CUDA_PASSES], count[BASIN__CUDA_PASSES];
} basin_cuda_candidate_list;

/* Candidates of boxes that are larger than asked for: good for every call whose boxes lie inside.
 */
typedef struct basin_cuda_reuse {
  basin_cuda_candidate_list list;
  bool valid;
  double activation; /* of the last detect */
  double patience;   /* how much larger the boxes may be */
  unsigned pause;    /* calls to come that try no list */
} basin_cuda_reuse;

/* Pairs of one detect. */
typedef struct basin_cuda_pair_list {
  basin_buffer memory;
  size_t capacity;
  basin_cuda_pairs pairs;
} basin_cuda_pair_list;

struct basin_cuda_contact {
  basin_cuda *cuda;
  basin_context *context;
  const basin_contact *host;
  const basin_cuda_kernel *kernels[BASIN_CONTACT_KERNEL_COUNT];
  basin_cuda_scratch scratch;
  basin_buffer data;  /* rules, sets, trees, boxes, the status: of fixed size */
  basin_buffer work;  /* of one call */
  basin_buffer found; /* pairs before sorting */
  basin_buffer stacks;
  basin_cuda_rules rules;
  basin_cuda_set sets[BASIN__CUDA_SETS];
  basin_cuda_sides sides;
  basin_address boxes, outer, frame, keys, device_status;
  basin_address tree_boxes; /* those that the trees were given */
  basin_cuda_status status; /* as last fetched */
  double built_cost[BASIN__CUDA_SETS];
  bool stale[BASIN__CUDA_SETS]; /* to be sorted before the next use */
  double most_separation;

  basin_cuda_candidate_list candidates, kept;
  basin_cuda_reuse reuse;
  basin_buffer swept; /* positions and direction */
  double swept_limit;
  bool has_sweep;

  size_t found_capacity;
  basin_cuda_pair_list lists[2];
  unsigned present; /* which of the lists is the last good one */
  bool listed;      /* false after an error */
  uint64_t version;
  double least_squared;
  size_t copies[BASIN__CUDA_KINDS], before[BASIN__CUDA_KINDS];
  basin__pair_list copied[BASIN_CONTACT_KIND_COUNT]; /* on the host */
  bool is_copied[BASIN_CONTACT_KIND_COUNT];
  basin_contact_statistics statistics;
};

/* Space in a block of memory, one piece after another, each at a multiple of 256 bytes. */
basin_address basin__carve(basin_address *next, size_t bytes);

/* One thread an item. */
basin_status basin__contact_launch(basin_cuda_contact *contact,
                                   basin_contact_kernel_name kernel,
                                   size_t items,
                                   void **parameters);
/* The same for kernels whose threads take many items each. */
basin_status basin__contact_launch_few(basin_cuda_contact *contact,
                                       basin_contact_kernel_name kernel,
                                       size_t items,
                                       void **parameters);
/* Fetches the status; names a vertex that is not finite. */
basin_status basin__contact_fetch(basin_cuda_contact *contact, const basin_cuda_motion *motion);
/* The kind and vertices that the status' keys stand for. */
void basin__contact_read_keys(const basin_cuda_status *status,
                              basin_contact_kind *kind,
                              uint32_t v[4]);

/* Begins a call: new status and boxes. With `compare` they are compared with the outer ones, else
 * center and mean edge are found anew (`otherwise`: for the edge where there is none). */
basin_status basin__contact_begin(basin_cuda_contact *contact,
                                  const basin_cuda_motion *motion,
                                  bool compare,
                                  double otherwise);
/* Gives the trees these boxes. */
basin_status basin__contact_fill_trees(basin_cuda_contact *contact, basin_address boxes);
/* Candidates of the boxes in the trees, counted first: *many where a pass has more than `most`, and
 * then there are none. The status is fetched. */
basin_status basin__contact_gather(basin_cuda_contact *contact,
                                   const basin_cuda_motion *motion,
                                   bool exact,
                                   size_t most,
                                   basin_cuda_candidate_list *list,
                                   bool *many);
/* All candidates of a call, and no more; the status is fetched. */
basin_status basin__contact_candidates(basin_cuda_contact *contact,
                                       const basin_cuda_motion *motion,
                                       basin_cuda_candidate_list *list);
/* Candidates for a call, perhaps more, in a list that an earlier call may have made. */
basin_status basin__contact_reuse(basin_cuda_contact *contact,
                                  const basin_cuda_motion *motion,
                                  const basin_cuda_candidate_list **list);
/* What kernels read of it. */
basin_cuda_candidates basin__contact_view(const basin_cuda_candidate_list *list);
basin_cuda_pass basin__contact_pass(const basin_cuda_contact *contact, unsigned pass);
/* Sorts and merges `count` found pairs. */
basin_status
basin__contact_merge(basin_cuda_contact *contact, const basin_cuda_found *found, size_t count);
void basin__contact_lists_fini(basin_cuda_contact *contact);

#endif
