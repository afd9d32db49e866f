/* The compiler: expression graphs in, kernel programs and plans (plain data) out, and backends that
 * make them callable. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_COMPILER_H
#define BASIN_COMPILER_H

#include <basin/base.h>
#include <basin/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct basin_graph basin_graph;
typedef uint32_t basin_expression; /* belongs to its graph; 0 = none */

/* One graph a scene. Expressions live as long as the graph. */
BASIN_API basin_status basin_graph_create(basin_context *context, basin_graph **graph);
BASIN_API void basin_graph_destroy(basin_graph *graph);

/* ---- declarations, under the ids of the runtime's system ---- */
#define BASIN_SPACE_LITERAL UINT32_MAX /* the owner of literals: combines with every space */

/* `parent`: BASIN_NONE for a scene's space; a mesh's parent is its scene, a primitive's its mesh.
 * `shared`: one instance (scene, mesh). */
BASIN_API basin_status basin_graph_declare_space(
    basin_graph *graph, basin_space_id id, basin_space_id parent, bool shared, const char *name);

typedef enum basin_array_role {
  BASIN_ARRAY_DATA,    /* differentiable: data attributes, unions, reductions */
  BASIN_ARRAY_CONSTANT /* derivative zero unless named in a mixed derivative */
} basin_array_role;
BASIN_API basin_status basin_graph_declare_array(basin_graph *graph,
                                                 basin_array_id id,
                                                 basin_space_id space,
                                                 unsigned rows,
                                                 unsigned cols,
                                                 basin_array_role role,
                                                 const char *name);
BASIN_API basin_status basin_graph_declare_connectivity(basin_graph *graph,
                                                        basin_connectivity_id id,
                                                        basin_space_id from,
                                                        basin_space_id to,
                                                        unsigned arity,
                                                        const char *name);

/* The script position given to expressions built from now on. The string is copied once and shared.
 */
BASIN_API basin_status basin_graph_set_origin(basin_graph *graph, const char *script, int line);

/* ---- expressions: owner and shape are checked; errors carry script position, the printed
 * expression and the shapes ---- */
BASIN_API basin_status basin_expression_constant(basin_graph *graph,
                                                 double value,
                                                 basin_expression *result);
BASIN_API basin_status basin_expression_array(basin_graph *graph,
                                              basin_array_id array,
                                              basin_expression *result);
/* JOIN: r x c through arity k gives k x (r c); arity 1 keeps r x c. The expression must live on the
 * connectivity's target (or above it). */
BASIN_API basin_status basin_expression_join(basin_graph *graph,
                                             basin_connectivity_id connectivity,
                                             basin_expression source,
                                             basin_expression *result);
/* Any operator of ops.def by its lower-case name ("add", "matmul", "dot", "where", "row",
 * "reshape", "matrix", "concat_rows", …): `integers` are the static parameters that the row names
 * (index, rows, cols). Unknown names give BASIN_ERROR_NAME with the nearest spelling. */
BASIN_API basin_status basin_expression_apply(basin_graph *graph,
                                              const char *op,
                                              const basin_expression *arguments,
                                              size_t count,
                                              const int *integers,
                                              size_t integer_count,
                                              basin_expression *result);
/* A user operator: has the value of `value` and, for each argument i, the given derivative (shape:
 * (value size) x (argument size)). */
BASIN_API basin_status basin_expression_custom(basin_graph *graph,
                                               basin_expression value,
                                               const basin_expression *arguments,
                                               const basin_expression *derivatives,
                                               size_t count,
                                               basin_expression *result);

BASIN_API void basin_expression_shape(const basin_graph *graph,
                                      basin_expression expression,
                                      unsigned *rows,
                                      unsigned *cols);
BASIN_API basin_space_id basin_expression_owner(
    const basin_graph *graph, basin_expression expression); /* BASIN_SPACE_LITERAL for literals */
/* True and *value if the expression is a literal scalar. */
BASIN_API bool
basin_expression_is_literal(const basin_graph *graph, basin_expression expression, double *value);
/* The expression as one line of at most `limit` characters; the string belongs to the graph and
 * lives until the next call. */
BASIN_API const char *
basin_expression_text(basin_graph *graph, basin_expression expression, size_t limit);
/* The arrays / connectivities an expression reads, through joins: *count of them; the pointer lives
 * until the next call. */
BASIN_API const basin_array_id *
basin_expression_arrays(basin_graph *graph, basin_expression expression, size_t *count);
BASIN_API const basin_connectivity_id *
basin_expression_connectivities(basin_graph *graph, basin_expression expression, size_t *count);

/* Operators by number, for bindings that register them all: name, number of arguments (-1 = any),
 * number of integer parameters, one-line doc. */
typedef struct basin_operator_info {
  const char *name;
  int argument_count, integer_count;
  const char *doc;
} basin_operator_info;
BASIN_API size_t basin_operator_count(void);
BASIN_API const basin_operator_info *basin_operator(size_t number);

/* ---- plans ---- */

/* Unknowns that an expression is differentiated by. Arrays of role DATA that are in neither list
 * count as held: they take part in the projection, have no rows. Everything else is constant. */
typedef struct basin_unknowns {
  const basin_array_id *outputs; /* targets, unions and reductions: get rows */
  size_t output_count;
  const basin_array_id
      *constants; /* DATA arrays to treat as constant (an energy with targets of its own) */
  size_t constant_count;
  unsigned block; /* b */
} basin_unknowns;

typedef struct basin_energy_request {
  basin_expression expression; /* scalar */
  const char *name;            /* for kernels, errors, reports */
  basin_unknowns unknowns;
  bool project_unknowns; /* project the whole local matrix instead of the inner one */
  bool hoist; /* move subexpressions of constants into arrays of their own (`hoisted` below) */
  basin_array_id
      hoisted_array; /* a fresh id for that array; the plan declares it to the graph if it
                        uses it (hoisted_size > 0), the caller defines it in the system */
} basin_energy_request;

typedef struct basin_plan basin_plan; /* immutable once made; kernels, programs, texts */

/* Kernels of stages VALUE, GRADIENT and HESSIAN; if something was hoisted also a COMPUTE kernel
 * that fills the hoisted array. */
BASIN_API basin_status basin_plan_energy(basin_graph *graph,
                                         const basin_energy_request *request,
                                         basin_plan **plan);
/* A COMPUTE kernel for rows x cols doubles an element. */
BASIN_API basin_status basin_plan_compute(basin_graph *graph,
                                          basin_expression expression,
                                          const char *name,
                                          basin_plan **plan);
/* Jacobian of a vector or matrix expression: a COMPUTE kernel whose output is the dense local
 * matrix, (rows cols of the expression) x (local unknowns), row-major. */
BASIN_API basin_status basin_plan_jacobian(basin_graph *graph,
                                           basin_expression expression,
                                           const char *name,
                                           const basin_unknowns *unknowns,
                                           basin_plan **plan);
/* d²E / (d row unknowns d column unknowns), columns may be constants: COMPUTE kernel, dense local
 * rows x columns, row-major. */
BASIN_API basin_status basin_plan_mixed(basin_graph *graph,
                                        basin_expression expression,
                                        const char *name,
                                        const basin_array_id *rows,
                                        size_t row_count,
                                        const basin_array_id *columns,
                                        size_t column_count,
                                        basin_plan **plan);
BASIN_API void basin_plan_destroy(basin_plan *plan);

/* What a plan says. Pointers belong to the plan. */
typedef struct basin_plan_info {
  basin_space_id space; /* the elements */
  size_t unknown_count; /* row unknowns (energy, Jacobian columns, mixed rows) */
  const basin_unknown_access *unknowns;
  size_t column_count; /* mixed only */
  const basin_unknown_access *columns;
  unsigned inner_size;   /* energy: inner variables */
  bool constant_hessian; /* no unknown in the second derivative */
  bool affine;           /* Jacobian: no unknown in it */
  bool uniform; /* Jacobian: expression of `block` rows whose blocks are all weight * identity */
  size_t hessian_array_count; /* arrays that the Hessian (or Jacobian) depends on */
  const basin_array_id *hessian_arrays;
  unsigned hoisted_size; /* doubles an element in the hoisted array, 0 = none */
  bool convex_proven; /* the inner Hessian is positive semidefinite by construction: projection is
                         skipped */
} basin_plan_info;
BASIN_API const basin_plan_info *basin_plan_get_info(const basin_plan *plan);
/* The kernel of a stage; NULL if the plan has none. For energies COMPUTE is the hoisting kernel. */
BASIN_API const basin_kernel_info *basin_plan_kernel(const basin_plan *plan, basin_stage stage);
/* Human-readable account (inner variables and their meaning, operation counts per stage,
 * projection, constant or not, sparsity). Belongs to the plan. */
BASIN_API const char *basin_plan_explain(basin_plan *plan);
/* Text of a stage of the pipeline: "ir", "scalar", "frontier", "gradient", "hessian", "program", …
 * ; NULL + error if unknown. Belongs to the plan. */
BASIN_API const char *basin_plan_dump(basin_plan *plan, const char *stage);

/* ---- backends ---- */
typedef struct basin_backend basin_backend;

/* name: "interp" (always there), "clang" (needs basin-clang.so and LLVM), "nvrtc" (texts for checks
 * only) or "nvrtc:sm_90" (device code for that architecture; "nvrtc:compute_90": PTX;
 * "nvrtc:sm_90:12": by an NVRTC of CUDA 12 at most, if there is one). A missing
 * library is BASIN_ERROR_MISSING_LIBRARY with the package to install. precision: "double" or
 * "float". */
BASIN_API basin_status basin_backend_create(basin_context *context,
                                            const char *name,
                                            const char *precision,
                                            basin_backend **backend);
BASIN_API void basin_backend_destroy(basin_backend *backend); /* kernels die with it */

typedef struct basin_compile_request {
  const basin_plan *plan;
  basin_stage stage;
  basin_kernel kernel; /* result */
} basin_compile_request;
/* Compiles all requests, in parallel on the context's threads; from the cache where the text is
 * known. */
BASIN_API basin_status basin_backend_compile(basin_backend *backend,
                                             basin_compile_request *requests,
                                             size_t count);

typedef struct basin_backend_statistics {
  size_t compiled, from_disk, from_memory; /* kernels */
  double seconds;                          /* wall time spent compiling */
} basin_backend_statistics;
BASIN_API basin_backend_statistics basin_backend_get_statistics(const basin_backend *backend);

/* The emitted text ("kernel"), LLVM IR ("llvm"), assembly ("asm") of a kernel, or its text with all
 * that it includes ("cuda"). Allocated; release with basin_text_free. */
BASIN_API basin_status basin_backend_text(basin_backend *backend,
                                          const basin_plan *plan,
                                          basin_stage stage,
                                          const char *form,
                                          char **text);
BASIN_API void basin_text_free(basin_context *context, char *text);
/* File of the compiler that the back end uses, which is opened; NULL if it cannot be (the error
 * says why) or if the kind has none. Belongs to the back end. */
BASIN_API const char *basin_backend_library(basin_backend *backend);
/* "AMD EPYC, AVX-512, 8 lanes of double, LLVM 19.1.7" or why it is missing. Belongs to the backend.
 */
BASIN_API const char *basin_backend_describe(const basin_backend *backend);

#ifdef __cplusplus
}
#endif
#endif
