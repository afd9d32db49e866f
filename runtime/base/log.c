/* Log messages, to the context's function or to stderr.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdio.h>

static void log_stderr(basin_log_level level, const char *message)
{
  static const char *const names[] = {"error", "warning", "info", "debug", "trace"};
  static_assert(BASIN_COUNT(names) == BASIN_LOG_TRACE + 1, "one name a level");
  fprintf(stderr, "basin: %s: %s\n", names[level], message);
}

bool basin__log_enabled(const basin_context *context, basin_log_level level)
{
  return context && level <= context->options.log_level;
}

void basin__log(basin_context *context, basin_log_level level, const char *format, ...)
{
  if (!basin__log_enabled(context, level)) return;
  char message[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (length < 0) return;

  /* A message that does not fit is formatted again; without memory for it, its start must do. */
  char *whole = NULL;
  size_t size = (size_t)length + 1;
  if (size > sizeof message) {
    whole = context->options.allocate(context->options.allocate_user, NULL, 0, size);
    if (whole) {
      va_start(arguments, format);
      vsnprintf(whole, size, format, arguments);
      va_end(arguments);
    }
  }
  const char *text = whole ? whole : message;
  if (context->options.log)
    context->options.log(context->options.log_user, level, text);
  else
    log_stderr(level, text);
  if (whole) basin__free(context, whole, size);
}
