/* What a minimizer keeps on a CUDA device: DOF maps, rows, sorted contributions, patterns, values.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_CUDA_MINIMIZER_H
#define BASIN_ASSEMBLY_CUDA_MINIMIZER_H

#include "assembly/cuda/tasks.h"
#include "assembly/engine.h"
#include "linalg/cuda/linear.h"

/* What the elements of a term add to, sorted by batch and place (a node, or a block of the upper
 * triangle), in element order within a place: runs of equal places. Sums follow the runs, so they
 * have one order. For atomic additions a list of blocks has its places alone, once each, and as
 * `words` the slot of each contribution. */
typedef struct basin_cuda_list {
  basin_buffer words, heads, places, longs; /* of each contribution; of each run; long runs */
  basin_buffer slots;                       /* blocks: the slot of each run in the part */
  size_t run_count, long_count;
  uint32_t long_length; /* runs longer than this are long */
  uint32_t *starts;     /* first run of each batch, and the number of runs */
  size_t start_capacity;
} basin_cuda_list;

typedef struct basin_cuda_term {
  uint64_t structure;    /* as basin_term.structure */
  uint64_t number;       /* grows with every structure made */
  size_t batch, batches; /* elements a batch */
  basin_buffer rows;     /* local_nodes * elements: global nodes if direct, else rows of the maps */
  basin_buffer local;    /* direct: the pairs of local nodes */
  /* terms over maps */
  basin_buffer tables, node_starts, pair_starts, nodes, pairs;
  size_t node_count, pair_count;
  basin_dof_table *sent; /* what `tables` holds: local_nodes of them */
  basin_cuda_list gradient, hessian, adjoint;
  basin_buffer bases; /* of each local node: first row of its map among the adjoints */
  uint64_t adjoint_number, adjoint_version; /* what `adjoint` and `bases` stand for */
  basin_device_binding bindings[BASIN_STAGE_COUNT];
  basin_buffer energies; /* one an element, for benchmarks */
} basin_cuda_term;

typedef struct basin_cuda_map {
  uint64_t structure, filled;           /* what the entries and the values stand for */
  basin_buffer entries, starts, values; /* as in basin_dof_map; plain maps: entries alone */
  basin_buffer children, links;         /* tables of the children, rows that are taken of them */
  basin_buffer sorted, spans;           /* what each weight is the sum of */
  size_t link_count, entry_count;
  basin_map_mode mode;
  uint32_t local;                        /* mapped expressions: local unknowns */
  basin_buffer jacobian;                 /* of these, dense, an instance after the other */
  uint32_t adjoint;                      /* first row in the vector of adjoints, or BASIN_NONE */
  basin_cuda_list down;                  /* links by rows of curved children */
  uint64_t down_structure, down_version; /* what it stands for */
} basin_cuda_map;

/* One part of the matrix: blocks of the upper triangle, in which terms are summed, and both
 * triangles, which the solvers get. */
typedef struct basin_cuda_part {
  basin_buffer unique;            /* keys of the upper blocks */
  size_t upper_count, full_count; /* blocks */
  bool used;                      /* some term adds to it */
  basin_buffer columns, row_starts, sources;
  basin_buffer upper, constant, full; /* values */
} basin_cuda_part;

typedef struct basin_cuda_minimizer {
  basin_cuda *cuda;
  bool atomic; /* sums in any order */
  basin_cuda_scratch scratch;
  basin_cuda_part parts[BASIN_PART_COUNT];
  basin_cuda_map *maps;
  size_t map_capacity;
  uint64_t structures;                    /* made so far */
  basin_buffer energies, partial, places; /* of all terms' elements; of chunks; where they lie */
  uint32_t *sent_places;                  /* what `places` holds: 2 (term_count + 1) words */
  size_t sent_capacity, sent_terms;
  basin_buffer adjoints; /* of all curved maps: their rows one after the other */
  size_t adjoint_rows;
  uint64_t adjoint_version; /* grows when a map gets another place there */
  basin_buffer gradient, local, keys, words, sources, heads, numbers, results, tables;
  size_t batch_bytes; /* local results kept at once */
  double gradient_largest;
  basin_buffer held;     /* basin_hold.bits ... */
  uint64_t held_version; /* ... of this version */
  /* copies for the host */
  double *host_gradient;
  size_t host_gradient_capacity;
  bool host_gradient_valid;
  basin_bsr *host_matrix;
  uint64_t host_matrix_version; /* matrix_version that it stands for */
} basin_cuda_minimizer;

extern const basin_engine basin__engine_cuda;

/* A minimizer of a system with a device. */
basin_status basin__cuda_minimizer_create(basin_minimizer *minimizer);

/* ---- maps.c ---- */
basin_status basin__cuda_maps_update(basin_minimizer *minimizer);
/* The device's copy of map `number`. */
basin_dof_table basin__cuda_map_table(const basin_minimizer *minimizer, size_t number);
void basin__cuda_map_release(basin_minimizer *minimizer, basin_cuda_map *own);
/* The path of an access as the device texts walk it; checked. */
basin_status basin__cuda_path(basin_minimizer *minimizer,
                              basin_space_id space,
                              const basin_access *access,
                              basin_cuda_path *path);

/* ---- map_links.c, map_entries.c: maps with weights, whose children are up to date ---- */
/* Which rows of its children a map takes, what its rows consist of then, and their weights. */
basin_status
basin__cuda_map_links(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own);
basin_status
basin__cuda_map_entries(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own);
basin_status
basin__cuda_map_values(basin_minimizer *minimizer, basin_dof_map *map, basin_cuda_map *own);

/* ---- adjoints.c: gradients with respect to curved maps, as in assembly/dof_map.h ---- */
basin_status basin__cuda_adjoint_begin(basin_minimizer *minimizer);
/* The list by which a term's local gradients are added. */
basin_status basin__cuda_adjoint_list(basin_minimizer *minimizer, basin_term *term);
basin_status basin__cuda_adjoint_propagate(basin_minimizer *minimizer);
basin_status basin__cuda_adjoint_store(basin_minimizer *minimizer, size_t number);

/* ---- rows.c, list.c, pattern.c ---- */
basin_status basin__cuda_term_structure(basin_minimizer *minimizer, basin_term *term);
/* Sorts contributions into `list`: keys (batch and place) of `count` of them lie in the minimizer's
 * buffer, words in the list; `bits` bits of a key say the place. `name` is for errors. */
basin_status basin__cuda_list_build(basin_minimizer *minimizer,
                                    const char *name,
                                    size_t batches,
                                    size_t count,
                                    unsigned bits,
                                    basin_cuda_list *list);
/* For atomic additions: only which places there are, as list->places. The keys have no batch. */
basin_status basin__cuda_list_places(basin_minimizer *minimizer,
                                     const char *name,
                                     size_t count,
                                     unsigned bits,
                                     basin_cuda_list *list);
/* And then, once the blocks of the term's part are known, the slot of each contribution. */
basin_status basin__cuda_term_slots(basin_minimizer *minimizer, basin_term *term);
void basin__cuda_list_release(basin_minimizer *minimizer, basin_cuda_list *list);
basin_status basin__cuda_pattern_update(basin_minimizer *minimizer);

/* ---- sums.c: adds the local results of a batch ---- */
typedef struct basin_cuda_sum {
  size_t batch, begin, count;      /* elements [begin, begin + count) */
  basin_address gradient, hessian; /* local results */
  basin_address to;                /* Hessians: blocks of the term's part, and how many */
  uint32_t limit;
} basin_cuda_sum;
basin_status basin__cuda_add_gradient(basin_minimizer *minimizer,
                                      const basin_term *term,
                                      const basin_cuda_sum *sum);
basin_status basin__cuda_add_adjoint(basin_minimizer *minimizer,
                                     const basin_term *term,
                                     const basin_cuda_sum *sum);
basin_status basin__cuda_add_hessian(basin_minimizer *minimizer,
                                     const basin_term *term,
                                     const basin_cuda_sum *sum);

/* ---- run.c, energy.c, host.c ---- */
basin_status
basin__cuda_term_run(basin_minimizer *minimizer, basin_term *term, const basin_run *run);
/* Launches one of a term's kernels for elements [begin, end): where an address is not 0, energies
 * go to it, and local results to the others. */
typedef struct basin_cuda_results {
  basin_address energy, gradient, hessian;
} basin_cuda_results;
/* Whether the kernels of a term stage their local results: numbers of an element stand back to
 * back, else those of neighbouring elements (BASIN_CUDA_STAGED). */
static inline bool basin__cuda_staged(const basin_minimizer *minimizer, const basin_term *term)
{
  return (size_t)term->local_nodes * minimizer->layout.block <= BASIN_CUDA_STAGED;
}
/* Address of `count` numbers behind others: whole sectors of memory. */
basin_address basin__cuda_behind(basin_address address, size_t count);
basin_status basin__cuda_term_launch(basin_minimizer *minimizer,
                                     basin_term *term,
                                     basin_stage stage,
                                     basin_projection projection,
                                     size_t begin,
                                     size_t end,
                                     const basin_cuda_results *results);
basin_status basin__cuda_energies(basin_minimizer *minimizer, double *per_term);
basin_status
basin__cuda_element_energies(basin_minimizer *minimizer, basin_term *term, double *energies);
basin_status basin__cuda_find_bad(basin_minimizer *minimizer, basin_term *term, basin_stage stage);
/* The assembled matrix, as the sum of its parts. */
basin_cuda_matrix basin__cuda_minimizer_matrix(const basin_minimizer *minimizer);
const double *basin__cuda_host_gradient(const basin_minimizer *minimizer);
const basin_bsr *basin__cuda_host_matrix(const basin_minimizer *minimizer);

/* ---- hold.c: basin_hold on the device ---- */
/* The bits, sent if they have changed; 0 where nothing is held. */
basin_status basin__cuda_held(basin_minimizer *minimizer, basin_address *bits);
/* Zeroes the held entries of a node-major vector. */
basin_status basin__cuda_hold_vector(basin_minimizer *minimizer, basin_address vector);
basin_status basin__cuda_hold_gradient(basin_minimizer *minimizer);
basin_status basin__cuda_hold_matrix(basin_minimizer *minimizer);

/* ---- small helpers ---- */
/* A kernel of the assembly's own texts with one struct as its argument, one thread an item. */
basin_status basin__cuda_simple(basin_minimizer *minimizer,
                                const char *file,
                                const char *entry,
                                const char *definitions,
                                size_t items,
                                void **parameters);
/* Elements [0, count) of 4 or 8 bytes from the host; the buffer grows. */
basin_status
basin__cuda_send(basin_minimizer *minimizer, basin_buffer *buffer, const void *from, size_t size);

#endif
