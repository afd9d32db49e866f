/* Minimizers inside the runtime: terms, their place in the system, the matrix.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_MINIMIZER_H
#define BASIN_ASSEMBLY_MINIMIZER_H

#include "assembly/dof_map.h"
#include "assembly/hold.h"

/* How a term's elements are divided among workers so that every sum has one fixed order. */
typedef struct basin_schedule {
  size_t chunk, chunk_count; /* elements a chunk: a function of the element count alone */
  /* Coloured: chunks of one colour share no node; colours run one after the other. */
  uint32_t *order; /* chunks by colour */
  size_t order_capacity;
  size_t colour_starts[66], colour_count;
  /* Partitioned (colours would be too many): local results are stored batch by batch, then every
   * worker adds those that fall into its rows. */
  bool partitioned;
  size_t batch;                      /* elements, a multiple of chunk */
  size_t *node_bounds, *slot_bounds; /* partition_count + 1 each */
  size_t partition_count;
} basin_schedule;

/* Data of the elements in another order. */
typedef struct basin_permuted_copy {
  uint32_t id;
  bool connectivity; /* `id` is one of a connectivity, else of an array */
  void *data;
  size_t capacity; /* bytes */
  uint64_t version;
} basin_permuted_copy;

/* Elements in an order of the runtime's own: element order[k] stands at place k. */
typedef struct basin_permutation {
  bool active;
  uint32_t *order, *rows; /* rows: those of the order that is not in use */
  size_t order_capacity, row_capacity;
  basin_permuted_copy *copies;
  size_t copy_count, copy_capacity;
} basin_permutation;

/* Terms over maps: where the lists of an element begin. Its entries are those of its rows in their
 * maps, row after row; its nodes the different ones among them, in the order of their first
 * entries; its slots one word for each two of its nodes. */
typedef struct basin_element_start {
  size_t entry, node, slot;
} basin_element_start;

typedef struct basin_term {
  char *name, *script;
  int line;
  basin_space_id space;
  basin_kernel_slot value, gradient, hessian;
  basin_binding binding;
  size_t unknown_count, hessian_array_count;
  basin_unknown_access *unknowns;
  basin_array_id *hessian_arrays;
  bool constant_wanted, dynamic_wanted, enabled;
  basin_projection projection;
  size_t curvature_map; /* an internal term: the curvature of this DOF map; SIZE_MAX for the user's
                           terms */

  /* local shape, fixed when the term is added */
  unsigned local_nodes, local_pairs;
  size_t *node_maps; /* the DOF map that each local node is a row of */
  bool direct;       /* all maps are plain: kernels write straight into the matrix */
  bool curved;       /* reads something that is not affine in the unknowns */
  bool constant;     /* its part of the matrix is constant in the unknowns */
  bool dynamic;

  /* structure, found again when connectivities or counts change */
  uint64_t structure,
      slotted; /* newest change it stands for; the structure that the slots stand for */
  size_t elements;
  uint32_t *rows; /* in the order of the permutation, if it is active; local_nodes an element:
                     global nodes if direct, else rows of the node's map */
  size_t row_capacity;
  uint32_t *slots;
  size_t slot_count, slot_capacity;
  /* not direct (expand.c) */
  basin_element_start *starts; /* elements + 1 */
  size_t start_capacity;
  uint32_t *nodes; /* of every element */
  size_t node_capacity;
  uint16_t *places; /* of every entry: which of its element's nodes it names */
  size_t place_capacity;
  size_t expansion; /* most entries of an element */
  basin_schedule schedule;
  basin_permutation permutation;

  double *energies; /* one a chunk of ENERGY_CHUNK elements */
  size_t energy_capacity;
  basin_term_statistics statistics;
  struct basin_cuda_term *device; /* what a CUDA device keeps of it; NULL before its first use */
} basin_term;

/* One of two sums of terms with a pattern of its own: static and dynamic. */
typedef struct basin_part {
  basin_bsr *matrix;
  size_t pair_count;
  uint64_t key;     /* of the structures that the pattern stands for */
  double *constant; /* values of its constant terms, in the pattern of `matrix` */
  size_t constant_capacity;
  uint64_t constant_key; /* of everything that `constant` depends on; 0 = nothing yet */
  uint32_t *merge; /* slot in the merged matrix of each of its slots, as of basin__bsr_remerge */
  size_t merge_capacity;
} basin_part;

enum { BASIN_PART_STATIC, BASIN_PART_DYNAMIC, BASIN_PART_COUNT };

struct basin_minimizer {
  basin_context *context;
  basin_system *system;
  const struct basin_engine *engine;   /* of the system's device (engine.h) */
  struct basin_cuda_minimizer *device; /* its state; NULL on the CPU */
  basin_layout layout;
  basin_hold hold;
  basin_dof_maps maps;
  basin_term **terms, **curvatures;
  size_t term_count, term_capacity, curvature_count, curvature_capacity;
  basin_part parts[BASIN_PART_COUNT];
  basin_bsr *merged;   /* union of both patterns; NULL while the dynamic part has no elements */
  uint64_t merged_key; /* of both parts' patterns */
  basin_bsr *matrix;   /* the result: merged or the static part's; NULL before the first assembly */
  uint64_t matrix_version,
      values_key;      /* grows when values change; what constant-only values stand for */
  bool has_matrix;     /* a matrix of the present pattern was assembled */
  bool matrix_altered; /* something was added to the values since the assembly */
  double *gradient;
  size_t gradient_count, gradient_capacity;
  bool assembled; /* gradient is of the present layout */
  /* Held entries were taken out of the last gradient and of the last matrix: they are those of what
   * a minimization sees. */
  bool gradient_held, matrix_held;
  /* Wall time of dynamic terms: their structure, the pattern, kernels, spreading and merging; and
   * their energies. */
  double seconds_pairs, seconds_pair_energy;
  bool clamp_adaptive; /* adaptive terms clamp (true) or take absolute values */
  double *local;       /* local results: one batch, or one chunk a worker */
  size_t local_capacity;
  struct basin_virtual_node *expansions; /* entries of an element, `expansion_stride` a worker */
  size_t expansion_stride, expansion_workers;
  void *linear; /* the linear solver's state and how to destroy it */
  void (*linear_destroy)(basin_minimizer *minimizer);
};

/* Follows the counts of the targets' spaces; a gradient of another layout is forgotten. */
basin_status basin__minimizer_layout(basin_minimizer *minimizer);
/* What is to be brought up to date. */
enum { BASIN_NEED_VALUE = 1, BASIN_NEED_GRADIENT = 2, BASIN_NEED_HESSIAN = 4 };
/* Layout, maps, structures, pattern and kernels for what is needed; cheap if nothing changed. */
basin_status basin__minimizer_prepare(basin_minimizer *minimizer, unsigned need);
/* Only the kernels, all in one request. */
basin_status basin__minimizer_kernels(basin_minimizer *minimizer, unsigned need);

/* ---- terms (term.c) ---- */
basin_status basin__term_create(basin_minimizer *minimizer,
                                const basin_term_description *description,
                                size_t curvature_map,
                                basin_term **term);
void basin__term_destroy(basin_minimizer *minimizer, basin_term *term);
/* Rows of all elements; nothing to do if its structure has not changed. A disabled term without
 * connectivity has no elements. */
basin_status basin__term_structure(basin_minimizer *minimizer, basin_term *term);
/* The newest change of what its structure depends on; true if it waits, disabled, for a
 * connectivity and has no elements until then. */
uint64_t basin__term_structure_version(const basin_minimizer *minimizer, const basin_term *term);
bool basin__term_waiting(const basin_minimizer *minimizer, const basin_term *term);
/* Records the term's script position in the error just recorded and returns its status. */
basin_status
basin__term_blame(const basin_minimizer *minimizer, const basin_term *term, basin_status status);

/* All terms, internal ones last. */
static inline basin_term *basin__minimizer_term(const basin_minimizer *minimizer, size_t number)
{
  return number < minimizer->term_count ? minimizer->terms[number]
                                        : minimizer->curvatures[number - minimizer->term_count];
}
static inline size_t basin__minimizer_term_total(const basin_minimizer *minimizer)
{
  return minimizer->term_count + minimizer->curvature_count;
}
/* Its kernel of a stage from VALUE on. */
static inline basin_kernel_slot *basin__term_kernel(basin_term *term, basin_stage stage)
{
  return stage == BASIN_STAGE_VALUE      ? &term->value
         : stage == BASIN_STAGE_GRADIENT ? &term->gradient
                                         : &term->hessian;
}
static inline basin_part *basin__term_part(basin_minimizer *minimizer, const basin_term *term)
{
  return &minimizer->parts[term->dynamic ? BASIN_PART_DYNAMIC : BASIN_PART_STATIC];
}

/* ---- expansion (expand.c): the global nodes that the elements of a term over maps depend on ----
 */
/* An entry of an element: the local node and the weight through which it depends on a node. */
typedef struct basin_virtual_node {
  uint32_t local, node, place; /* place: of the node among the element's nodes */
  bool full;                   /* *weight is a block x block matrix */
  const double *weight;        /* NULL: 1 */
} basin_virtual_node;
/* Lists the nodes of all elements; rows and maps are up to date. */
basin_status basin__term_list_nodes(basin_minimizer *minimizer, basin_term *term);
/* The entries of an element, at most `expansion`, rows ascending; returns their number. */
size_t basin__term_expand(const basin_minimizer *minimizer,
                          const basin_term *term,
                          size_t element,
                          basin_virtual_node *nodes);

/* The nodes of an element; those of a direct term may be BASIN_NONE or come twice. */
static inline const uint32_t *
basin__element_nodes(const basin_term *term, size_t element, size_t *count)
{
  if (term->direct) {
    *count = term->local_nodes;
    return term->rows + element * term->local_nodes;
  }
  *count = term->starts[element + 1].node - term->starts[element].node;
  return term->nodes + term->starts[element].node;
}

/* ---- schedule (schedule.c), pattern (pattern.c) ---- */
basin_status basin__schedule_build(basin_minimizer *minimizer, basin_term *term);
/* Bounds of the partitions by slot, once the slots are known. */
basin_status
basin__schedule_slots(basin_minimizer *minimizer, basin_term *term, size_t block_count);
void basin__schedule_fini(basin_minimizer *minimizer, basin_schedule *schedule);
basin_status basin__pattern_update(basin_minimizer *minimizer);
void basin__pattern_fini(basin_minimizer *minimizer);

/* ---- evaluation ---- */
typedef enum basin_run_values {
  BASIN_RUN_NO_VALUES,
  BASIN_RUN_VALUES,  /* to the values of the term's part */
  BASIN_RUN_CONSTANT /* to the constant values of the term's part */
} basin_run_values;
typedef struct basin_run {
  bool hessian; /* else the gradient kernel */
  basin_projection projection;
  bool gradient; /* also to the gradient */
  basin_run_values values;
  bool adjoint; /* also into the adjoints of curved maps */
} basin_run;
/* Energy of all enabled terms without judging whether it is finite (energy.c). */
basin_status basin__minimizer_evaluate(basin_minimizer *minimizer, double *total, double *per_term);
/* Names the first enabled term and element whose energy, gradient or Hessian is not finite;
 * BASIN_OK if there is none. */
basin_status basin__minimizer_find_bad(basin_minimizer *minimizer, basin_stage stage);
/* Counts a run of one of a term's kernels over all its elements. */
void basin__term_ran(basin_minimizer *minimizer,
                     basin_term *term,
                     basin_stage stage,
                     double seconds);
/* The mode that a term's kernel gets. */
basin_projection basin__term_projection(const basin_minimizer *minimizer,
                                        const basin_term *term,
                                        basin_projection override);

#endif
