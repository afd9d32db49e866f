/* The pipeline of an energy: one state, a list of passes, each timed and dumpable.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_PIPELINE_H
#define BASIN_PASSES_PIPELINE_H

#include "passes/pass.h"

enum { BASIN_PASS_LIMIT = 12 };

/* What the passes read and write. Arrays belong to the pipeline. */
typedef struct basin_pipeline {
  basin_graph *graph;
  basin_context *context;
  /* in */
  basin_ref expression; /* scalar matrix node */
  bool project_unknowns, hoist;
  basin_array_id hoisted_array;
  uint32_t
      stand_in; /* an access whose loads stand for the inner variables; an unknown to `analysis` */
  uint32_t multiplier; /* an access whose loads stand for held factors; constant to `analysis` */
  const basin_ref *unknowns; /* loads in local order */
  uint32_t unknown_count;
  basin_analysis analysis;
  /* out, pass by pass */
  basin_ref root;       /* lower, hoist */
  basin_refs hoisted;   /* hoist */
  basin_refs frontier;  /* frontier */
  basin_refs variables; /* frontier: stand-ins for it, loads of the access `stand_in` */
  basin_ref inner_root; /* frontier: the root over the stand-ins */
  basin_gradient gradient;
  basin_refs inner_gradient, inner_hessian; /* gradient, hessian */
  basin_refs local_gradient, local_hessian; /* map_out */
  double seconds[BASIN_PASS_LIMIT];
} basin_pipeline;

typedef struct basin_pass {
  const char *name; /* of the pass and of its dump */
  basin_status (*run)(basin_pipeline *pipeline);
  /* The roots after the pass, for dumps and checks; NULL: nothing to show. */
  const basin_refs *(*roots)(const basin_pipeline *pipeline);
} basin_pass;

/* The passes in order; *count of them. */
const basin_pass *basin__pipeline_passes(uint32_t *count);

/* Runs all passes; the caller has set the `in` fields and zeroed the rest. On error the pipeline
 * can still be finalized. */
basin_status basin__pipeline_run(basin_pipeline *pipeline);
void basin__pipeline_fini(basin_pipeline *pipeline);

#endif
