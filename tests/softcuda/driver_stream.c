/* The driver's part about streams, captures, graphs and events.
 * SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"

#include <stdlib.h>

/* ---- streams ---- */

int softcuda_stream_get(basin_cu_stream handle,
                        softcuda_context **context,
                        softcuda_stream **stream)
{
  int result = softcuda_context_get(context);
  if (result) return result;
  *stream = &(*context)->none;
  if (!handle) return BASIN_CU_SUCCESS;
  for (softcuda_stream *s = (*context)->streams; s; s = s->next)
    if (s == handle) {
      *stream = s;
      return BASIN_CU_SUCCESS;
    }
  return SOFTCUDA_INVALID_HANDLE;
}

int cuStreamCreate(basin_cu_stream *stream, unsigned flags)
{
  SOFTCUDA_CALL("cuStreamCreate");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!stream || flags > BASIN_CU_STREAM_NON_BLOCKING) return BASIN_CU_INVALID_VALUE;
  softcuda_stream *s = calloc(1, sizeof *s);
  if (!s) return BASIN_CU_OUT_OF_MEMORY;
  s->context = context;
  s->alone = flags == BASIN_CU_STREAM_NON_BLOCKING;
  s->next = context->streams;
  context->streams = s;
  *stream = s;
  return BASIN_CU_SUCCESS;
}

static void drop_graph(struct CUgraph_st *graph)
{
  if (!graph) return;
  softcuda_list_clear(&graph->operations);
  free(graph);
}

int cuStreamDestroy_v2(basin_cu_stream handle)
{
  SOFTCUDA_CALL("cuStreamDestroy");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(handle, &context, &stream);
  if (result) return result;
  if (!handle) return SOFTCUDA_INVALID_HANDLE;
  result = softcuda_drain(context);
  for (softcuda_stream **link = &context->streams; *link; link = &(*link)->next)
    if (*link == stream) {
      *link = stream->next;
      break;
    }
  drop_graph(stream->capture);
  free(stream);
  return result;
}

bool softcuda_capture_spoil(softcuda_context *context)
{
  bool any = false;
  for (softcuda_stream *s = context->streams; s; s = s->next)
    if (s->capture) any = s->invalidated = true;
  return any;
}

bool softcuda_capture_forbids(softcuda_context *context)
{
  bool any = false;
  for (softcuda_stream *s = context->streams; s; s = s->next)
    if (s->capture && s->mode != BASIN_CU_STREAM_CAPTURE_MODE_RELAXED) any = s->invalidated = true;
  return any;
}

int cuStreamSynchronize(basin_cu_stream handle)
{
  SOFTCUDA_CALL("cuStreamSynchronize");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(handle, &context, &stream);
  if (result) return result;
  if (stream->capture) {
    stream->invalidated = true;
    softcuda_log("cuStreamSynchronize of a stream that is being captured");
    return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  }
  return softcuda_drain(context);
}

/* ---- captures ---- */

int cuStreamBeginCapture_v2(basin_cu_stream handle, int mode)
{
  SOFTCUDA_CALL("cuStreamBeginCapture");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(handle, &context, &stream);
  if (result) return result;
  if (mode < 0 || mode > BASIN_CU_STREAM_CAPTURE_MODE_RELAXED) return BASIN_CU_INVALID_VALUE;
  if (!handle) return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture) return SOFTCUDA_ILLEGAL_STATE;
  stream->capture = calloc(1, sizeof *stream->capture);
  stream->mode = mode;
  stream->invalidated = false;
  if (!stream->capture) return BASIN_CU_OUT_OF_MEMORY;
  stream->capture->context = context;
  return BASIN_CU_SUCCESS;
}

int cuStreamEndCapture(basin_cu_stream handle, basin_cu_graph *graph)
{
  SOFTCUDA_CALL("cuStreamEndCapture");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(handle, &context, &stream);
  if (result) return result;
  if (graph) *graph = NULL;
  if (!stream->capture) return SOFTCUDA_ILLEGAL_STATE;
  struct CUgraph_st *captured = stream->capture;
  stream->capture = NULL;
  if (stream->invalidated || !graph) {
    drop_graph(captured);
    return stream->invalidated ? BASIN_CU_STREAM_CAPTURE_INVALIDATED : BASIN_CU_INVALID_VALUE;
  }
  captured->next = context->graphs;
  context->graphs = captured;
  *graph = captured;
  return BASIN_CU_SUCCESS;
}

/* ---- graphs ---- */

static struct CUgraph_st **find_graph(softcuda_context *context, const void *handle, bool instance)
{
  struct CUgraph_st **link = &context->graphs;
  while (*link && ((const void *)*link != handle || (*link)->instantiated != instance))
    link = &(*link)->next;
  return link;
}

static bool copy_operations(const softcuda_list *from, softcuda_list *to)
{
  struct CUgraph_st graph = {.instantiated = false};
  softcuda_stream recorder = {.capture = &graph};
  int result = softcuda_submit_all(&recorder, from);
  *to = graph.operations;
  return result == BASIN_CU_SUCCESS;
}

int cuGraphInstantiateWithFlags(basin_cu_graph_exec *exec,
                                basin_cu_graph graph,
                                unsigned long long flags)
{
  SOFTCUDA_CALL("cuGraphInstantiate");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!exec || flags) return BASIN_CU_INVALID_VALUE;
  if (!*find_graph(context, graph, false)) return BASIN_CU_INVALID_VALUE;
  struct CUgraph_st *instance = calloc(1, sizeof *instance);
  if (!instance || !copy_operations(&graph->operations, &instance->operations)) {
    drop_graph(instance);
    return BASIN_CU_OUT_OF_MEMORY;
  }
  instance->instantiated = true;
  instance->context = context;
  instance->next = context->graphs;
  context->graphs = instance;
  *exec = (basin_cu_graph_exec)instance;
  return BASIN_CU_SUCCESS;
}

int cuGraphLaunch(basin_cu_graph_exec exec, basin_cu_stream handle)
{
  SOFTCUDA_CALL("cuGraphLaunch");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(handle, &context, &stream);
  if (result) return result;
  const struct CUgraph_st *graph = *find_graph(context, exec, true);
  if (!graph) return BASIN_CU_INVALID_VALUE;
  for (const softcuda_operation *o = graph->operations.first; o; o = o->next)
    if (o->kind == SOFTCUDA_LAUNCH && !softcuda_function_exists(context, o->function)) {
      softcuda_log("cuGraphLaunch: a kernel of the graph was unloaded with its module");
      return SOFTCUDA_INVALID_HANDLE;
    }
  return softcuda_submit_all(stream, &graph->operations);
}

static int destroy_graph(const void *handle, bool instance)
{
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  struct CUgraph_st **link = find_graph(context, handle, instance), *graph = *link;
  if (!graph) return BASIN_CU_INVALID_VALUE;
  *link = graph->next;
  drop_graph(graph);
  return BASIN_CU_SUCCESS;
}

int cuGraphExecDestroy(basin_cu_graph_exec exec)
{
  SOFTCUDA_CALL("cuGraphExecDestroy");
  return destroy_graph(exec, true);
}

int cuGraphDestroy(basin_cu_graph graph)
{
  SOFTCUDA_CALL("cuGraphDestroy");
  return destroy_graph(graph, false);
}

/* ---- events ---- */

static int find_event(basin_cu_event handle, softcuda_context **context, softcuda_event **event)
{
  int result = softcuda_context_get(context);
  if (result) return result;
  for (softcuda_event *e = (*context)->events; e; e = e->next)
    if (e == handle) {
      *event = e;
      return BASIN_CU_SUCCESS;
    }
  return SOFTCUDA_INVALID_HANDLE;
}

int cuEventCreate(basin_cu_event *event, unsigned flags)
{
  SOFTCUDA_CALL("cuEventCreate");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!event || flags > 7) return BASIN_CU_INVALID_VALUE;
  softcuda_event *e = calloc(1, sizeof *e);
  if (!e) return BASIN_CU_OUT_OF_MEMORY;
  e->context = context;
  e->timed = !(flags & 2);
  e->next = context->events;
  context->events = e;
  *event = e;
  return BASIN_CU_SUCCESS;
}

int cuEventRecord(basin_cu_event handle, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuEventRecord");
  softcuda_context *context;
  softcuda_stream *stream;
  softcuda_event *event;
  int result = softcuda_stream_get(s, &context, &stream);
  if (!result) result = find_event(handle, &context, &event);
  if (result) return result;
  softcuda_operation *o = softcuda_operation_create(SOFTCUDA_RECORD, 0);
  if (!o) return BASIN_CU_OUT_OF_MEMORY;
  o->event = event;
  event->recorded = true;
  event->captured = stream->capture != NULL;
  event->done = false;
  return softcuda_submit(stream, o);
}

int cuEventSynchronize(basin_cu_event handle)
{
  SOFTCUDA_CALL("cuEventSynchronize");
  softcuda_context *context;
  softcuda_event *event;
  int result = find_event(handle, &context, &event);
  if (result) return result;
  if (event->captured) {
    softcuda_capture_spoil(context);
    return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  }
  return event->recorded ? softcuda_drain(context) : BASIN_CU_SUCCESS;
}

int cuEventElapsedTime(float *milliseconds, basin_cu_event start, basin_cu_event end)
{
  SOFTCUDA_CALL("cuEventElapsedTime");
  softcuda_context *context;
  softcuda_event *first, *last;
  int result = find_event(start, &context, &first);
  if (!result) result = find_event(end, &context, &last);
  if (result) return result;
  if (!first->recorded || !last->recorded || !first->timed || !last->timed || first->captured ||
      last->captured)
    return SOFTCUDA_INVALID_HANDLE;
  if (!first->done || !last->done) return SOFTCUDA_NOT_READY;
  *milliseconds = (float)(last->time - first->time);
  return BASIN_CU_SUCCESS;
}

int cuEventDestroy_v2(basin_cu_event handle)
{
  SOFTCUDA_CALL("cuEventDestroy");
  softcuda_context *context;
  softcuda_event *event;
  int result = find_event(handle, &context, &event);
  if (result) return result;
  result = softcuda_drain(context);
  for (softcuda_event **link = &context->events; *link; link = &(*link)->next)
    if (*link == event) {
      *link = event->next;
      break;
    }
  free(event);
  return result;
}
