/* Work in stream order: put into a queue, run when somebody waits for it. Errors of kernels show at
 * that point, as on a device. SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUE_MAX = 4096 };

softcuda_operation *softcuda_operation_create(softcuda_kind kind, size_t data_size)
{
  softcuda_operation *o = calloc(1, sizeof *o + data_size);
  if (!o) return NULL;
  o->kind = kind;
  o->data_size = data_size;
  return o;
}

void softcuda_list_add(softcuda_list *list, softcuda_operation *operation)
{
  operation->next = NULL;
  *(list->last ? &list->last->next : &list->first) = operation;
  list->last = operation;
  list->count++;
}

void softcuda_list_clear(softcuda_list *list)
{
  while (list->first) {
    softcuda_operation *o = list->first;
    list->first = o->next;
    free(o);
  }
  *list = (softcuda_list){0};
}

/* The default stream and those kept in step with it have one order; work of another one may run
 * before or after theirs, which no caller can mean that has not waited in between. A capture of a
 * stream that is kept in step ends with work on the default one. */
static int check_order(softcuda_context *context, const softcuda_stream *stream)
{
  bool is_default = stream == &context->none;
  for (softcuda_stream *s = context->streams; s && is_default; s = s->next)
    if (s->capture && !s->alone) {
      s->invalidated = true;
      softcuda_log("work on the default stream while another one is captured");
      return BASIN_CU_STREAM_CAPTURE_IMPLICIT;
    }
  bool apart = is_default ? false : stream->alone && context->none.pending > 0;
  for (const softcuda_stream *s = context->streams; s && is_default; s = s->next)
    apart = apart || (s->alone && s->pending > 0);
  if (!apart) return BASIN_CU_SUCCESS;
  softcuda_log("work on the default stream and on one that is not kept in step with it");
  return SOFTCUDA_ILLEGAL_STATE;
}

int softcuda_submit(softcuda_stream *stream, softcuda_operation *operation)
{
  if (!operation) return BASIN_CU_OUT_OF_MEMORY;
  if (stream->capture) {
    softcuda_list_add(&stream->capture->operations, operation);
    return BASIN_CU_SUCCESS;
  }
  softcuda_context *context = stream->context;
  int result = check_order(context, stream);
  if (result) {
    free(operation);
    return result;
  }
  operation->stream = stream;
  stream->pending++;
  softcuda_list_add(&context->queue, operation);
  /* Errors stay for the next call that waits. */
  if (context->queue.count >= QUEUE_MAX || softcuda_setting("SOFTCUDA_EAGER", 0))
    softcuda_drain(context);
  return BASIN_CU_SUCCESS;
}

int softcuda_submit_all(softcuda_stream *stream, const softcuda_list *list)
{
  for (const softcuda_operation *o = list->first; o; o = o->next) {
    softcuda_operation *copy = malloc(sizeof *o + o->data_size);
    if (copy) memcpy(copy, o, sizeof *o + o->data_size);
    int result = softcuda_submit(stream, copy);
    if (result) return result;
  }
  return BASIN_CU_SUCCESS;
}

/* ---- running ---- */

static unsigned char *memory_at(unsigned long long address)
{
  return (unsigned char *)(uintptr_t)address;
}

static void set(const softcuda_operation *o)
{
  unsigned char *at = memory_at(o->to);
  if (o->width == 1)
    memset(at, (int)o->value, o->bytes);
  else
    for (size_t i = 0; i + 4 <= o->bytes; i += 4) memcpy(at + i, &o->value, 4);
}

/* Memory that was freed between the call and now, or as a graph is launched again. */
static bool still_there(const softcuda_context *c, unsigned long long address, size_t bytes)
{
  if (!softcuda_is_device_address(address) || !bytes) return true;
  if (softcuda_find(address, bytes, c->device)) return true;
  softcuda_log("a copy or fill of %zu bytes at 0x%llx, which has been freed", bytes, address);
  return false;
}

/* The first bytes of the data are an array of pointers to the parameters behind it. */
static int launch(const softcuda_context *context, softcuda_operation *o)
{
  const softcuda_entry *entry = o->function->entry;
  void **pointers = (void **)(void *)o->data;
  size_t at = (entry->count * sizeof *pointers + 15) / 16 * 16;
  for (unsigned i = 0; i < entry->count; i++) {
    pointers[i] = o->data + at;
    at += (entry->sizes[i] + 15u) / 16u * 16u;
  }
  softcuda_launch l = {.image = o->function->module->image,
                       .entry = entry,
                       .shared = o->shared,
                       .device = context->device,
                       .parameters = pointers};
  memcpy(l.grid, o->grid, sizeof l.grid);
  memcpy(l.block, o->block, sizeof l.block);
  return softcuda_execute(&l);
}

static int run(const softcuda_context *context, softcuda_operation *o)
{
  struct timespec now;
  switch (o->kind) {
  case SOFTCUDA_COPY:
    if (!still_there(context, o->to, o->bytes) || !still_there(context, o->from, o->bytes))
      return BASIN_CU_ILLEGAL_ADDRESS;
    memmove(memory_at(o->to), memory_at(o->from), o->bytes);
    return 0;
  case SOFTCUDA_UPLOAD:
    if (!still_there(context, o->to, o->bytes)) return BASIN_CU_ILLEGAL_ADDRESS;
    memcpy(memory_at(o->to), o->data, o->bytes);
    return 0;
  case SOFTCUDA_SET:
    if (!still_there(context, o->to, o->bytes)) return BASIN_CU_ILLEGAL_ADDRESS;
    set(o);
    return 0;
  case SOFTCUDA_LAUNCH:
    return launch(context, o);
  case SOFTCUDA_RECORD:
    clock_gettime(CLOCK_MONOTONIC, &now);
    o->event->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    o->event->done = true;
    return 0;
  case SOFTCUDA_HOST:
    return o->host(o->data);
  }
  return SOFTCUDA_UNKNOWN;
}

int softcuda_drain(softcuda_context *context)
{
  if (context->lost || !context->queue.first) {
    softcuda_list_clear(&context->queue);
    return context->lost;
  }
  softcuda_list work = context->queue;
  context->queue = (softcuda_list){0};
  bool host = false; /* kernels, copies and fills are looked at as they run */
  softcuda_memory_open();
  for (softcuda_operation *o = work.first; o; o = o->next) o->stream->pending--;
  for (softcuda_operation *o = work.first; o && !context->lost; o = o->next) {
    context->lost = run(context, o);
    host = host || o->kind == SOFTCUDA_HOST;
  }
  if (host && !context->lost) context->lost = softcuda_check_guards(context->device);
  softcuda_memory_close();
  softcuda_list_clear(&work);
  return context->lost;
}

/* ---- for libraries beside the driver ---- */

int softcuda_enqueue(void *stream, int (*function)(void *), const void *data, size_t bytes)
{
  softcuda_context *context;
  softcuda_stream *s;
  int result = softcuda_stream_get(stream, &context, &s);
  if (result) return result;
  softcuda_operation *o = softcuda_operation_create(SOFTCUDA_HOST, bytes);
  if (!o) return BASIN_CU_OUT_OF_MEMORY;
  o->host = function;
  if (bytes) memcpy(o->data, data, bytes);
  return softcuda_submit(s, o);
}

int softcuda_synchronize(void)
{
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (softcuda_capture_spoil(context)) return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  return softcuda_drain(context);
}

int softcuda_current_device(void)
{
  softcuda_context *context;
  return softcuda_context_get(&context) ? -1 : context->device;
}
