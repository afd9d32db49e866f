/* What every iterative minimization does around its iterations: whether it may go on, how it ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_COURSE_H
#define BASIN_SOLVE_COURSE_H

#include "solve/engine.h"

/* Between iterations, of which `done` of at most `most` are over: true to go on. A veto of the
 * progress callback, which hears `name`, ends this minimization alone; a request from outside stays
 * until it is taken back. */
bool basin__course_goes_on(basin_context *context, const char *name, unsigned done, unsigned most);

/* Ends a minimization whose start and iterations gave `status`. On an error the targets get x, the
 * last accepted values, and *reason says what kind of error. INTERRUPTED if that is the reason.
 * Returns `status` otherwise. */
basin_status basin__course_end(basin_minimizer *minimizer,
                               basin_status status,
                               const double *x,
                               unsigned iterations,
                               basin_stop_reason *reason);

#endif
