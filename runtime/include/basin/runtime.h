/* The runtime: data of a scene, energy terms on kernels, assembly, solves, minimizer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_RUNTIME_H
#define BASIN_RUNTIME_H

#include <basin/base.h>
#include <basin/kernel.h>
#include <basin/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where kernels come from: the runtime asks, when it first needs them, for all it needs at
 * once ---- */
typedef struct basin_kernel_request {
  const void *plan; /* what the description below carried; opaque here */
  basin_stage stage;
  basin_kernel kernel; /* result */
} basin_kernel_request;
typedef basin_status (*basin_kernel_provider)(void *user,
                                              basin_kernel_request *requests,
                                              size_t count);

typedef struct basin_system basin_system;
/* The system borrows the provider's user pointer until destroyed. Minimizers are destroyed before
 * their system. Names are copied; plans and kernel infos are borrowed and must outlive the system.
 */
BASIN_API basin_status basin_system_create(basin_context *context,
                                           basin_kernel_provider provider,
                                           void *user,
                                           basin_system **system);
BASIN_API void basin_system_destroy(basin_system *system);
/* What has gone to and from the system's device since it was opened; all zero on the CPU. */
typedef struct basin_transfers {
  size_t size, launches, graph_launches, uploads, uploaded_bytes, downloads, downloaded_bytes;
} basin_transfers;
BASIN_API basin_transfers basin_system_transfers(const basin_system *system);
BASIN_API basin_context *basin_system_context(const basin_system *system);

/* ---- devices ---- */
typedef struct basin_device_info {
  char name[128];
  char architecture[16]; /* of its own: "sm_90" */
  size_t memory;         /* bytes */
  unsigned multiprocessors;
  int driver_version; /* 13000 for CUDA 13.0 */
} basin_device_info;
/* CUDA devices of this machine. 0: the context's last error says what is missing. Opens the driver,
 * not the devices. */
BASIN_API int basin_device_count(basin_context *context);
/* Opens the device, which stays open as long as the context. */
BASIN_API basin_status basin_device_get_info(basin_context *context,
                                             int ordinal,
                                             basin_device_info *info);
/* Where the system's data live and its kernels run: "cpu", "cuda" (the first device), "cuda:N".
 * Before arrays are added. On a CUDA device the provider gives kernels with an image. */
BASIN_API basin_status basin_system_set_device(basin_system *system, const char *device);
/* False: minimizers made afterwards add gradients and matrices by atomic operations on a CUDA
 * device, in an order that may differ from run to run, and sort nothing for it. The default is
 * true: the same bits in every run. On the CPU sums have one order, whatever is said here. */
BASIN_API void basin_system_set_deterministic(basin_system *system, bool deterministic);
/* Whether results have the same bits in every run. */
BASIN_API bool basin_system_is_deterministic(const basin_system *system);
/* What the provider compiles for: "sm_90", or "compute_89" where PTX is needed; NULL on the CPU. */
BASIN_API const char *basin_system_architecture(const basin_system *system);
/* a b on the system's device: by cuSPARSE on a CUDA device (MISSING_LIBRARY without it), where
 * matrices and result cross over; else as basin_csr_multiply. */
BASIN_API basin_status basin_system_multiply(basin_system *system,
                                             const basin_csr *a,
                                             const basin_csr *b,
                                             basin_csr **result);
/* "cpu" or "cuda:0", written into `device`. */
BASIN_API void basin_system_device(const basin_system *system, char device[16]);

/* ---- spaces ---- */
typedef struct basin_space_description {
  const char *name;      /* full name, "soft.vertices"; for errors */
  basin_space_id parent; /* BASIN_NONE: a scene */
  bool shared, dynamic;  /* shared: one instance; dynamic: may be resized */
  size_t count;
} basin_space_description;
BASIN_API basin_status basin_system_add_space(basin_system *system,
                                              const basin_space_description *description,
                                              basin_space_id *id);
/* A union: its instances are those of the members, one after the other; its count follows theirs.
 */
BASIN_API basin_status basin_system_add_union(basin_system *system,
                                              const char *name,
                                              basin_space_id parent,
                                              const basin_space_id *members,
                                              size_t count,
                                              basin_space_id *id);
BASIN_API size_t basin_system_space_count(const basin_system *system, basin_space_id id);
/* Dynamic spaces only. Arrays keep the common leading instances, new ones are zero; connectivities
 * from the space become empty until set. */
BASIN_API basin_status basin_system_resize(basin_system *system, basin_space_id id, size_t count);

/* ---- connectivities ---- */
BASIN_API basin_status basin_system_add_connectivity(basin_system *system,
                                                     const char *name,
                                                     basin_space_id from,
                                                     basin_space_id to,
                                                     unsigned arity,
                                                     basin_connectivity_id *id);
/* `count` indices (copied): length must be arity * instances of `from`, every index < instances of
 * `to`; errors name the first offender. */
BASIN_API basin_status basin_system_set_connectivity(basin_system *system,
                                                     basin_connectivity_id id,
                                                     const uint32_t *indices,
                                                     size_t count);
/* Arity 0: `offsets` has one entry more than `from` has instances. */
BASIN_API basin_status basin_system_set_connectivity_rows(basin_system *system,
                                                          basin_connectivity_id id,
                                                          const uint32_t *offsets,
                                                          size_t offset_count,
                                                          const uint32_t *indices,
                                                          size_t count);
BASIN_API const uint32_t *basin_system_connectivity(const basin_system *system,
                                                    basin_connectivity_id id,
                                                    size_t *count,
                                                    const uint32_t **offsets);

/* ---- arrays ---- */
/* Reserves an id; it must be defined by one of the functions below before use. */
BASIN_API basin_status basin_system_reserve_array(basin_system *system, basin_array_id *id);
/* Stored data, zero at first. *id: BASIN_NONE takes a new id, else a reserved one. */
BASIN_API basin_status basin_system_add_array(basin_system *system,
                                              const char *name,
                                              basin_space_id space,
                                              unsigned rows,
                                              unsigned cols,
                                              basin_array_id *id);
/* An expression: computed by a COMPUTE kernel when read and anything it reads has changed. */
typedef struct basin_computed_description {
  const char *name;
  basin_space_id space;
  unsigned rows, cols;
  const void *plan;
  const basin_kernel_info *info;
} basin_computed_description;
BASIN_API basin_status basin_system_add_computed(basin_system *system,
                                                 const basin_computed_description *description,
                                                 basin_array_id *id);
/* A union array: the members' arrays, one after the other; shapes must agree. Differentiable if the
 * members are. */
BASIN_API basin_status basin_system_add_union_array(basin_system *system,
                                                    const char *name,
                                                    basin_space_id space,
                                                    const basin_array_id *members,
                                                    size_t count,
                                                    basin_array_id *id);
/* sum (or mean) over a connectivity of any arity of an array on its target space. Differentiable if
 * the source is. An empty mean is zero. */
BASIN_API basin_status basin_system_add_reduction(basin_system *system,
                                                  const char *name,
                                                  basin_connectivity_id connectivity,
                                                  basin_array_id source,
                                                  bool mean,
                                                  basin_array_id *id);
/* How a computed array depends on unknowns: needed before a union or reduction over it can carry
 * derivatives. An array takes one map for each number of unknowns a node (`block` of the kernel).
 */
typedef struct basin_map_description {
  const void *plan; /* a Jacobian plan's COMPUTE kernel */
  const basin_kernel_info *info;
  size_t unknown_count;
  const basin_unknown_access *unknowns;
  bool affine, uniform;
  const void *curvature_plan; /* NULL if affine: the energy plan of dot(weight array, expression) */
  const basin_kernel_info *curvature_hessian;
  basin_array_id curvature_weight; /* a stored array of the same shape on the same space, filled by
                                      the runtime */
} basin_map_description;
BASIN_API basin_status basin_system_set_map(basin_system *system,
                                            basin_array_id array,
                                            const basin_map_description *description);

/* Instance-major row-major data; `count` doubles in all. Not finite or wrong length: error naming
 * array and instance, data unchanged. */
BASIN_API basin_status basin_system_set_array(basin_system *system,
                                              basin_array_id id,
                                              const double *data,
                                              size_t count);
/* Keeps the present values of a stored array, wherever they are: on a device they stay there. One
 * copy an array; the next call replaces it. */
BASIN_API basin_status basin_system_keep_array(basin_system *system, basin_array_id id);
/* Puts the kept values back. STATE if there are none, LENGTH if the number of instances is another
 * one. */
BASIN_API basin_status basin_system_restore_array(basin_system *system, basin_array_id id);
/* One instance's values for all instances. */
BASIN_API basin_status basin_system_fill_array(basin_system *system,
                                               basin_array_id id,
                                               const double *data,
                                               size_t count);
/* Up-to-date view (computes what is stale); valid until the array or its space changes. */
BASIN_API basin_status basin_system_array(basin_system *system,
                                          basin_array_id id,
                                          basin_span *view);
/* Evaluates a COMPUTE kernel that belongs to no array, for elements [0, count): info->output_size
 * numbers an element. The plan is used during the call only. */
BASIN_API basin_status basin_system_compute(basin_system *system,
                                            const void *plan,
                                            const basin_kernel_info *info,
                                            size_t count,
                                            double *output);
/* Direct access to stored data for in-place edits; call basin_system_touch afterwards. NULL for
 * computed arrays. */
BASIN_API double *basin_system_array_data(basin_system *system, basin_array_id id);
BASIN_API void basin_system_touch(basin_system *system, basin_array_id id);
BASIN_API void basin_system_array_shape(const basin_system *system,
                                        basin_array_id id,
                                        basin_space_id *space,
                                        unsigned *rows,
                                        unsigned *cols);
BASIN_API const char *basin_system_array_name(const basin_system *system, basin_array_id id);
/* Grows with every change of the array (for computed ones: of anything it depends on). */
BASIN_API uint64_t basin_system_array_version(basin_system *system, basin_array_id id);

/* ---- sparse matrices of Jacobian and mixed plans ---- */
/* The COMPUTE kernel of basin_plan_jacobian or basin_plan_mixed with what the plan's info says
 * about its local matrix. Columns are numbered by `column_arrays`, one array after the other, each
 * in its own order (instance-major, row-major). Rows of a Jacobian (row_unknowns NULL): element *
 * expression_size + entry. Rows of a mixed derivative: as the columns, by `row_arrays`. Unknowns
 * read through unions, reductions and mapped arrays are spread to the listed arrays; what leads to
 * none of them is left out. */
typedef struct basin_jacobian_description {
  const char *name; /* for errors */
  basin_space_id space;
  const void *plan;
  const basin_kernel_info *info;
  size_t expression_size; /* rows * cols of the expression; Jacobians only */
  size_t row_unknown_count, column_unknown_count;
  const basin_unknown_access *row_unknowns, *column_unknowns;
  size_t row_array_count, column_array_count;
  const basin_array_id *row_arrays, *column_arrays;
} basin_jacobian_description;
/* Evaluates the kernel over all elements and sums the local matrices; local zeros stay in the
 * pattern. The caller destroys *matrix. */
BASIN_API basin_status basin_system_jacobian_matrix(basin_system *system,
                                                    const basin_jacobian_description *description,
                                                    basin_csr **matrix);

/* ---- sweeps over constraints ---- */
/* An expression whose entries c are to be zero: each entry of each element is a row. It reads the
 * unknowns themselves, through connectivities, not through unions or computed arrays. */
typedef struct basin_sweep_rows {
  const char *name; /* for errors */
  basin_space_id space;
  const void *value_plan, *jacobian_plan;
  const basin_kernel_info *value, *jacobian; /* COMPUTE kernels of c and dc/dx */
  size_t expression_size;                    /* rows * cols of the expression */
  size_t unknown_count;
  const basin_unknown_access *unknowns; /* of the Jacobian plan */
  const double *compliance;             /* a number a row; NULL: 0 */
  const double *bias;  /* a number a row: the residual is bias + J (x - from); NULL: it is c */
  double *multipliers; /* a number a row, in and out */
} basin_sweep_rows;
typedef struct basin_sweep_description {
  size_t set_count;
  const basin_sweep_rows *sets;
  size_t array_count;
  const basin_array_id *arrays; /* stored: the unknowns x, one array after the other */
  const double *inverse_mass;   /* w, a number an unknown */
  const double *from;           /* a number an unknown; needed with a bias */
  size_t sweeps;
} basin_sweep_description;
/* Gauss-Seidel: `sweeps` times all rows, set after set, element after element, entry after entry.
 * A row with residual r, compliance a and multiplier m changes
 *   y = -(r + a m) / (sum w J^2 + a),  m += y,  x += w J y,
 * c and J taken at the x that the rows before have left. Rows that nothing moves are passed over.
 * One thread; on a CUDA device rows that share no unknown are evaluated at once, with the same
 * result. */
BASIN_API basin_status basin_system_sweep(basin_system *system,
                                          const basin_sweep_description *description);

/* ---- terms ---- */
typedef uint32_t basin_term_id;
typedef struct basin_term_description {
  const char *name;
  const char *script; /* where it was added; may be NULL */
  int line;
  basin_space_id space;
  const void *plan;
  const basin_kernel_info *value, *gradient, *hessian;
  size_t unknown_count;
  const basin_unknown_access *unknowns;
  bool constant_hessian;
  size_t hessian_array_count;
  const basin_array_id *hessian_arrays;
  basin_projection projection;
  bool dynamic; /* its elements change often: its part of the pattern is kept apart */
} basin_term_description;

/* ---- minimizers: targets, terms, one linear system ---- */
typedef struct basin_minimizer basin_minimizer;
BASIN_API basin_status basin_minimizer_create(basin_system *system,
                                              const basin_array_id *targets,
                                              size_t count,
                                              unsigned block,
                                              basin_minimizer **minimizer);
BASIN_API void basin_minimizer_destroy(basin_minimizer *minimizer);
/* Copies the description (strings and lists), borrows the plan. */
BASIN_API basin_status basin_minimizer_add_term(basin_minimizer *minimizer,
                                                const basin_term_description *description,
                                                basin_term_id *id);
BASIN_API basin_status basin_minimizer_enable(basin_minimizer *minimizer,
                                              basin_term_id term,
                                              bool enabled);
/* Nodes as of the last evaluation (energy, assembly, minimization; at first, of the creation): the
 * layout of all vectors below. Resizing a target's space changes it at the next evaluation. */
BASIN_API size_t basin_minimizer_node_count(const basin_minimizer *minimizer);

/* Sum of all enabled terms; per_term (may be NULL) has one entry a term, 0 for disabled ones.
 * Not finite: BASIN_ERROR_NOT_FINITE, the message names term and element. */
BASIN_API basin_status basin_minimizer_energy(basin_minimizer *minimizer,
                                              double *total,
                                              double *per_term);
/* Holds entries of target `number`: minimizing leaves them as they are. Entry (i, j) of an instance
 * of a rows x cols target is instance * rows * cols + i * cols + j. They replace what was held of
 * this target before; count 0 releases all. Entries beyond the present instances hold nothing until
 * there are so many. Copies the list. */
BASIN_API basin_status basin_minimizer_hold(basin_minimizer *minimizer,
                                            size_t number,
                                            const size_t *entries,
                                            size_t count);
/* Gradient (and, if `hessian`, the matrix) at the current arrays, as a minimization sees them: held
 * entries are zero in the gradient, and their rows and columns those of the identity, after the
 * projection of each term. override:
 * BASIN_PROJECTION_ADAPTIVE keeps each term's own mode. Constant terms are assembled once; the
 * pattern is found once and again only after connectivities or counts changed. */
BASIN_API basin_status basin_minimizer_assemble(basin_minimizer *minimizer,
                                                bool hessian,
                                                basin_projection override);
/* The same with nothing held: the derivatives of the energy by all entries of the targets. */
BASIN_API basin_status basin_minimizer_assemble_whole(basin_minimizer *minimizer,
                                                      bool hessian,
                                                      basin_projection override);
/* Node-major: entry node * block + i; *count is the length of every such vector. NULL if nothing
 * was assembled for the present layout. Valid until the next assembly. */
BASIN_API const double *basin_minimizer_gradient(const basin_minimizer *minimizer, size_t *count);
BASIN_API const basin_bsr *basin_minimizer_matrix(const basin_minimizer *minimizer);
/* Copies the part of a node-major vector that belongs to target `number` into the array's own
 * row-major order, and back. `array` has room for all present instances of the space; those that
 * the layout does not know yet become zero, or are left out. */
BASIN_API void basin_minimizer_to_array(const basin_minimizer *minimizer,
                                        size_t number,
                                        const double *vector,
                                        double *array);
BASIN_API void basin_minimizer_from_array(const basin_minimizer *minimizer,
                                          size_t number,
                                          const double *array,
                                          double *vector);
/* First node of target `number` and nodes an instance: node first + instance * per_instance + j. */
BASIN_API void basin_minimizer_target_nodes(const basin_minimizer *minimizer,
                                            size_t number,
                                            size_t *first,
                                            size_t *per_instance);

/* What one term cost since it was added; for report tables. Seconds are wall time. */
typedef struct basin_term_statistics {
  const char *name;
  size_t elements; /* at the last evaluation */
  size_t value_calls, gradient_calls, hessian_calls;
  double value_seconds, gradient_seconds, hessian_seconds;
} basin_term_statistics;
BASIN_API basin_status basin_minimizer_term_statistics(const basin_minimizer *minimizer,
                                                       basin_term_id term,
                                                       basin_term_statistics *statistics);
BASIN_API size_t basin_minimizer_term_count(const basin_minimizer *minimizer);

typedef enum basin_solver_kind {
  BASIN_SOLVER_AUTO,
  BASIN_SOLVER_DIRECT,
  BASIN_SOLVER_PCG,
  BASIN_SOLVER_MINRES /* for matrices that may be indefinite; AUTO never takes it */
} basin_solver_kind;
typedef struct basin_solve_options {
  size_t size;
  basin_solver_kind kind;
  double tolerance; /* PCG, MINRES: on r^T M^-1 r relative to the start (squared norm) */
  unsigned max_iterations;
  bool warm_start;
  basin_preconditioner_kind preconditioner; /* PCG, MINRES */
  bool single_precision; /* PCG on a CUDA device: matrix and iterations in float, sums and the
                            confirmation in double */
} basin_solve_options;
BASIN_API basin_solve_options basin_solve_options_defaults(void);
typedef struct basin_solve_report {
  size_t size;
  basin_solver_kind kind; /* what AUTO chose */
  basin_linear_status status;
  unsigned iterations, factorizations,
      symbolic_factorizations; /* the last two: since the minimizer was made */
  double residual;             /* true relative residual */
} basin_solve_report;
/* Solves H d = g (the step is -d) for the last assembly; *direction is node-major, 0 where an entry
 * was held, and lives until the next solve. Held entries of a right-hand side count as 0. How the
 * solve ended is in the report, no error: *direction is the last iterate, or zero if the
 * factorization failed. */
BASIN_API basin_status basin_minimizer_solve(basin_minimizer *minimizer,
                                             const basin_solve_options *options,
                                             const double *right_hand_side /* NULL: g */,
                                             const double **direction,
                                             basin_solve_report *report);

/* ---- Newton ---- */
#define BASIN_STOP_REASON_LIST(X)                        \
  X(CONVERGED, "converged")                              \
  X(ITERATION_LIMIT, "iteration limit")                  \
  X(LINE_SEARCH_FAILED, "line search found no decrease") \
  X(STEP_VANISHED, "the step filters left no step")      \
  X(STALLED, "rounding hides any further decrease")      \
  X(DIVERGED, "the energy falls without bound")          \
  X(NOT_FINITE, "energy or gradient not finite")         \
  X(SOLVE_FAILED, "linear solve failed")                 \
  X(INTERRUPTED, "interrupted")                          \
  X(ERROR, "error")
typedef enum basin_stop_reason {
#define X(code, text) BASIN_STOP_##code,
  BASIN_STOP_REASON_LIST(X)
#undef X
      BASIN_STOP_REASON_COUNT
} basin_stop_reason;
BASIN_API const char *basin_stop_reason_text(basin_stop_reason reason);

/* Largest admissible fraction of the step: *alpha comes in as the bound so far and may only be
 * lowered. direction: node-major, x - alpha * direction is taken. On a system with a device it lies
 * there: it is for basin_filter_* and basin_minimizer_vector. */
typedef basin_status (*basin_step_filter)(void *user,
                                          basin_minimizer *minimizer,
                                          const double *direction,
                                          double *alpha);

typedef struct basin_iteration {
  unsigned number;
  double energy, gradient_norm, direction_norm, alpha;
  unsigned line_search_trials, linear_iterations;
  const char *flags; /* one letter each: p projection strengthened, f step filtered, s solver
                        retried, l line search cut the step */
  double seconds;
} basin_iteration;

typedef enum basin_stop_rule {
  BASIN_STOP_RULE_STEP,
  BASIN_STOP_RULE_GRADIENT,
  BASIN_STOP_RULE_DECREMENT
} basin_stop_rule;
typedef struct basin_newton_options {
  size_t size;
  basin_stop_rule rule;
  double tolerance;  /* STEP: max |d| / step_scale; GRADIENT: max |g|; DECREMENT: d·g / 2 */
  double step_scale; /* usually the time step */
  unsigned max_iterations, line_search_limit;
  double sufficient_decrease; /* c in E(x - a d) <= E - c a d·g; 0 accepts any decrease */
  basin_solve_options linear;
  basin_step_filter filter; /* may be NULL */
  void *filter_user;
  basin_status (*refresh)(void *user,
                          basin_minimizer *minimizer); /* after every change of the targets (contact
                                                          sets); may be NULL */
  void *refresh_user;
  bool (*monitor)(void *user, const basin_iteration *iteration); /* false interrupts; may be NULL */
  void *monitor_user;
} basin_newton_options;
BASIN_API basin_newton_options basin_newton_options_defaults(void);
typedef struct basin_newton_report {
  size_t size;
  basin_stop_reason reason;
  unsigned iterations, linear_iterations, line_search_trials;
  double energy, gradient_norm,
      direction_norm; /* the norms: largest entries at the last assembly */
  double seconds, seconds_assembly, seconds_solve, seconds_line_search, seconds_filter;
  /* Parts of the above that dynamic primitives take: of the assembly (their structure, the pattern,
   * kernels, spreading, merging), and of the line search (energies). */
  double seconds_pairs, seconds_pair_energy;
} basin_newton_report;
/* Minimizes from the present values of the targets. BASIN_OK: ended as the report's reason says,
 * the targets hold the last accepted state. BASIN_ERROR_NOT_FINITE (the start is not finite: the
 * message names term and element), BASIN_ERROR_INTERRUPTED and other errors also fill the report
 * and leave the last accepted state in the targets. */
BASIN_API basin_status basin_newton(basin_minimizer *minimizer,
                                    const basin_newton_options *options,
                                    basin_newton_report *report);

/* ---- first-order minimizers ---- */
/* X(code, word, curvature constant) */
#define BASIN_FIRST_ORDER_LIST(X)              \
  X(GRADIENT_DESCENT, "gradient_descent", 0.1) \
  X(FLETCHER_REEVES, "fletcher_reeves", 0.1)   \
  X(POLAK_RIBIERE, "polak_ribiere", 0.1)       \
  X(HESTENES_STIEFEL, "hestenes_stiefel", 0.1) \
  X(DAI_YUAN, "dai_yuan", 0.1)                 \
  X(LBFGS, "lbfgs", 0.9)                       \
  X(BFGS, "bfgs", 0.9)                         \
  X(DFP, "dfp", 0.1)
typedef enum basin_first_order_method {
#define X(code, word, curvature) BASIN_METHOD_##code,
  BASIN_FIRST_ORDER_LIST(X)
#undef X
      BASIN_METHOD_COUNT
} basin_first_order_method;
BASIN_API const char *basin_first_order_word(basin_first_order_method method);
/* Unknowns of BFGS and DFP at most: they keep a dense matrix. */
#define BASIN_DENSE_UNKNOWNS 4000u

typedef struct basin_first_order_options {
  size_t size;
  basin_first_order_method method;
  basin_stop_rule rule;
  double tolerance;  /* GRADIENT: max |g|; STEP: max |alpha d| / step_scale of the last step;
                        DECREMENT: alpha d·g / 2 of it. The last two do not count after a first step
                        and after one that a filter bounded. */
  double step_scale; /* usually the time step */
  unsigned max_iterations, line_search_limit;
  unsigned memory;            /* LBFGS: pairs of vectors that are kept */
  double sufficient_decrease; /* c1 in E(x - a d) <= E - c1 a d·g, in (0, 0.5) */
  double curvature; /* c2 in |g(x - a d)·d| <= c2 d·g, in (c1, 1); 0: the method's own */
  bool
      fixed_scale; /* quasi-Newton methods start from the identity, instead of y·s / y·y times it */
  basin_step_filter filter; /* may be NULL */
  void *filter_user;
  basin_status (*refresh)(void *user, basin_minimizer *minimizer); /* as in Newton's options */
  void *refresh_user;
  bool (*monitor)(void *user, const basin_iteration *iteration);
  void *monitor_user;
} basin_first_order_options;
BASIN_API basin_first_order_options
basin_first_order_options_defaults(basin_first_order_method method);
/* Minimizes as basin_newton does, with the same report and the same promises, but from gradients
 * alone: no Hessian is assembled and `linear_iterations` stays 0. The flags of an iteration are f,
 * s (started again along the gradient) and l.
 *
 * Every step meets the strong Wolfe conditions, unless a filter bounds it or the trials run out:
 * then only sufficient decrease is certain. The filter is asked once for each line search, with a
 * direction four times as long as its first trial; no trial goes beyond what it allows. */
BASIN_API basin_status basin_first_order(basin_minimizer *minimizer,
                                         const basin_first_order_options *options,
                                         basin_newton_report *report);

/* ---- the formulas of first-order minimizers, for vectors and matrices of the host ---- */
/* Symmetric n x n matrices are changed in place, by a step s and the change of gradient y, y·s > 0:
 * approximate inverse Hessians by BFGS and DFP, an approximate Hessian by BFGS. */
BASIN_API basin_status basin_update_inverse_bfgs(
    basin_context *context, size_t n, const double *s, const double *y, double *H);
BASIN_API basin_status basin_update_inverse_dfp(
    basin_context *context, size_t n, const double *s, const double *y, double *H);
BASIN_API basin_status
basin_update_bfgs(basin_context *context, size_t n, const double *s, const double *y, double *B);
/* result = H g with the inverse Hessian that `count` updates by BFGS make of scale times the
 * identity. S and Y: a row a pair, the oldest first. */
BASIN_API basin_status basin_two_loop(basin_context *context,
                                      size_t n,
                                      size_t count,
                                      const double *S,
                                      const double *Y,
                                      double scale,
                                      const double *g,
                                      double *result);
/* The coefficient b of the next direction -g + b d of conjugate gradients, where d is the direction
 * of the step (x + alpha d) between g_old and g. Polak-Ribière and Hestenes-Stiefel may be
 * negative; the minimizer takes no less than 0. 0 for other methods. */
BASIN_API double basin_conjugacy(basin_first_order_method method,
                                 size_t n,
                                 const double *g,
                                 const double *g_old,
                                 const double *d);

/* The numbers of a step filter's direction on the host, until the next call or solve. */
BASIN_API basin_status basin_minimizer_vector(basin_minimizer *minimizer,
                                              const double *direction,
                                              const double **vector);

/* ---- step filters ---- */
/* Keeps signed simplex volumes (4 x 3 positions through a connectivity of arity 4, or 3 x 2 of
 * arity 3) above (1 - keep) of their present value. */
BASIN_API basin_status basin_filter_inversion(basin_minimizer *minimizer,
                                              basin_array_id positions,
                                              basin_connectivity_id simplices,
                                              double keep,
                                              const double *direction,
                                              double *alpha);
/* Keeps every instance of `positions` on the positive side of the plane n·x = offset: at least (1 -
 * keep) of its present distance. */
BASIN_API basin_status basin_filter_plane(basin_minimizer *minimizer,
                                          basin_array_id positions,
                                          const double normal[3],
                                          double offset,
                                          double keep,
                                          const double *direction,
                                          double *alpha);
/* How `positions` move along a step: a step alpha adds alpha * motion. `motion` has room for all
 * numbers of the array; on a system with a device it lies there. */
BASIN_API basin_status basin_filter_motion(basin_minimizer *minimizer,
                                           basin_array_id positions,
                                           const double *direction,
                                           double *motion);
/* The same into memory of the host, on every system. */
BASIN_API basin_status basin_filter_motion_copy(basin_minimizer *minimizer,
                                                basin_array_id positions,
                                                const double *direction,
                                                double *motion);

/* ---- derivative check ---- */
typedef struct basin_check_options {
  size_t size;
  double tolerance; /* largest relative error that passes */
  size_t samples;   /* unknown entries to perturb, spread over all targets; 0 = all */
  uint64_t seed;    /* chooses the entries */
} basin_check_options;
BASIN_API basin_check_options basin_check_options_defaults(void);
/* The worst entry of a comparison. */
typedef struct basin_check_entry {
  double error; /* |analytic - numeric| / (|analytic| + |numeric| + floor) */
  double analytic, numeric;
  size_t target,
      instance; /* the unknown that was moved: number in the minimizer's targets and instance ... */
  unsigned row, col;                   /* ... and entry of its matrix */
  size_t other_target, other_instance; /* Hessian: the row; gradient: equal to the above */
  unsigned other_row, other_col;
  size_t element; /* an element of the term that depends on the unknown; SIZE_MAX = none */
} basin_check_entry;
typedef struct basin_check_report {
  size_t size;
  bool passed;
  size_t entries; /* unknown entries that were moved */
  basin_check_entry gradient, hessian;
  char text[512]; /* one line an error above the tolerance, naming term, unknown, entry and both
                     values; "" if passed */
} basin_check_report;
/* Compares the gradient of one term with central differences of its energy and its unprojected
 * Hessian with central differences of the gradient, at the present arrays, which are unchanged
 * afterwards. A failed comparison is no error: see `passed`. */
BASIN_API basin_status basin_minimizer_check(basin_minimizer *minimizer,
                                             basin_term_id term,
                                             const basin_check_options *options,
                                             basin_check_report *report);

/* ---- timing ---- */
typedef enum basin_benchmark_form {
  BASIN_BENCHMARK_CACHE,    /* results stay where the kernel made them */
  BASIN_BENCHMARK_STORED,   /* local results go to a small buffer that is used again and again */
  BASIN_BENCHMARK_ASSEMBLED /* they are added to gradient and matrix */
} basin_benchmark_form;
typedef struct basin_benchmark_options {
  size_t size;
  basin_stage stage;           /* VALUE, GRADIENT or HESSIAN */
  basin_projection projection; /* HESSIAN only; not ADAPTIVE */
  basin_benchmark_form form;
  unsigned repeats;
} basin_benchmark_options;
BASIN_API basin_benchmark_options basin_benchmark_defaults(void);
typedef struct basin_benchmark_report {
  size_t size, elements;
  double seconds, best_seconds; /* wall time of one pass over all elements: median and best */
  double processor_seconds;     /* median, of all threads of the process */
  double energy;                /* of the pass; 0 if assembled */
  unsigned operations;          /* scalar operations an element, without projection */
  size_t stored_bytes;          /* local results of an element */
} basin_benchmark_report;
/* Times one kernel of a term at the present values, on all workers of the context. Assembles first;
 * afterwards the minimizer's matrix and gradient must be assembled again. */
BASIN_API basin_status basin_minimizer_benchmark(basin_minimizer *minimizer,
                                                 basin_term_id term,
                                                 const basin_benchmark_options *options,
                                                 basin_benchmark_report *report);
/* The best of a few runs on all workers. */
typedef struct basin_machine {
  size_t size;
  unsigned workers;
  double flops;     /* a second: fused multiply-adds of the widest vectors, two flops each */
  double bandwidth; /* bytes a second: triad on 100 MB, three streams */
} basin_machine;
BASIN_API basin_status basin_machine_measure(basin_context *context, basin_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
