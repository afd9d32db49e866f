/* Status texts, and the context's record of its last error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_texts[] = {
#define X(code, text) [BASIN_##code] = (text),
    BASIN_STATUS_LIST(X)
#undef X
};

static const basin_error no_error = {.code = BASIN_OK, .message = "", .site = ""};

const char *basin_status_text(basin_status status)
{
  size_t index = (size_t)status;
  return index < BASIN_COUNT(status_texts) ? status_texts[index] : "unknown status";
}

const char *basin_version(void)
{
  return BASIN_VERSION_STRING;
}

void basin__error_init(basin_context *context)
{
  pthread_mutex_init(&context->record.lock, NULL);
  context->record.error = no_error;
}

void basin__error_fini(basin_context *context)
{
  pthread_mutex_destroy(&context->record.lock);
}

/* Copies text that may not fit: it is cut before a whole UTF-8 character and "..." marks the cut.
 */
static void copy_cut(char *target, size_t capacity, const char *text)
{
  size_t length = strlen(text);
  if (length < capacity) {
    memcpy(target, text, length + 1);
    return;
  }
  size_t keep = capacity - sizeof("...");
  while (keep > 0 && ((unsigned char)text[keep] & 0xC0) == 0x80) --keep;
  memcpy(target, text, keep);
  memcpy(target + keep, "...", sizeof("..."));
}

/* Composes the text form from the fields. The caller holds the lock. */
static void compose(basin_error_record *record)
{
  const basin_error *error = &record->error;
  int used = 0;
  if (error->script && error->script_line > 0)
    used =
        snprintf(record->text, sizeof record->text, "%s:%d:\n", error->script, error->script_line);
  else if (error->script)
    used = snprintf(record->text, sizeof record->text, "%s:\n", error->script);
  used += snprintf(record->text + used, sizeof record->text - (size_t)used, "%s", error->message);
  if (error->expression)
    snprintf(
        record->text + used, sizeof record->text - (size_t)used, "\nin: %s", error->expression);
}

basin_status
basin__fail(basin_context *context, basin_status status, const char *site, const char *format, ...)
{
  if (!context) return status;
  basin_error_record *record = &context->record;
  char message[sizeof record->message];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (length < 0) message[0] = '\0';
  if (length >= (int)sizeof message) {
    size_t keep = sizeof message - sizeof("...");
    while (keep > 0 && ((unsigned char)message[keep] & 0xC0) == 0x80) --keep;
    memcpy(message + keep, "...", sizeof("..."));
  }
  for (char *c = message; *c; ++c)
    if (*c == '\n' || *c == '\r') *c = ' ';

  pthread_mutex_lock(&record->lock);
  if (record->held == 0) {
    memcpy(record->message, message, sizeof message);
    record->error = (basin_error){.code = status, .message = record->message, .site = site};
    compose(record);
  }
  pthread_mutex_unlock(&record->lock);
  return status;
}

void basin__error_where(basin_context *context,
                        const char *script,
                        int script_line,
                        const char *expression)
{
  if (!context) return;
  basin_error_record *record = &context->record;
  pthread_mutex_lock(&record->lock);
  if (record->error.code != BASIN_OK && record->held == 0) {
    if (script) {
      copy_cut(record->script, sizeof record->script, script);
      record->error.script = record->script;
      record->error.script_line = script_line;
    }
    if (expression) {
      copy_cut(record->expression, sizeof record->expression, expression);
      record->error.expression = record->expression;
    }
    compose(record);
  }
  pthread_mutex_unlock(&record->lock);
}

void basin__error_clear(basin_context *context)
{
  if (!context) return;
  pthread_mutex_lock(&context->record.lock);
  if (context->record.held == 0) {
    context->record.error = no_error;
    context->record.text[0] = '\0';
  }
  pthread_mutex_unlock(&context->record.lock);
}

void basin__error_hold(basin_context *context)
{
  if (!context) return;
  pthread_mutex_lock(&context->record.lock);
  context->record.held++;
  pthread_mutex_unlock(&context->record.lock);
}

void basin__error_release(basin_context *context)
{
  if (!context) return;
  pthread_mutex_lock(&context->record.lock);
  context->record.held--;
  pthread_mutex_unlock(&context->record.lock);
}

const basin_error *basin_error_last(const basin_context *context)
{
  return context ? &context->record.error : &no_error;
}

const char *basin_error_text(const basin_context *context)
{
  if (!context || context->record.error.code == BASIN_OK) return "no error";
  return context->record.text;
}

void basin__assert_failed(const char *condition, const char *site)
{
  /* A broken invariant: the state cannot be trusted, so not even the log is used. */
  fprintf(stderr, "basin: %s: assertion failed: %s\n", site, condition);
  abort();
}
