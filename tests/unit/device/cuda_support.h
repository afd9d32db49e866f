/* What tests over a CUDA device share: opening it, or skipping the test where there is none.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_CUDA_SUPPORT_H
#define BASIN_TESTS_CUDA_SUPPORT_H

#include "../support.h"
#include "device/cuda/cuda.h"
#include <stdio.h>

#define OK(call)                                                                          \
  do {                                                                                    \
    if ((call) != BASIN_OK) fail_msg("%s: %s", #call, basin_error_text(test_context_of)); \
  } while (0)

/* Ends the program with a skip where there is no device. */
static inline void skip_without_device(void)
{
  basin_context *context = test_context(NULL);
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  int count = basin__cuda_count(context, &reason);
  if (count == 0) printf("skipped: %s\n", basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  basin_context_destroy(context);
  if (count == 0) exit(77);
}

static inline bool is_software(void)
{
  const char *library = getenv("BASIN_LIB_CUDA");
  return library && strstr(library, "softcuda");
}

#endif
