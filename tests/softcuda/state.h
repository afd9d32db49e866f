/* What the driver keeps: contexts, modules, streams, graphs, events. All of it is made and released
 * under the lock of softcuda_enter. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_STATE_H
#define BASIN_SOFTCUDA_STATE_H

#include "abi.h"
#include "device/cuda/driver.h"
#include "memory.h"

/* results that only the software CUDA needs */
enum {
  SOFTCUDA_INVALID_HANDLE = 400,
  SOFTCUDA_ILLEGAL_STATE = 401,
  SOFTCUDA_NOT_READY = 600,
  SOFTCUDA_NOT_SUPPORTED = 801,
  SOFTCUDA_CAPTURE_UNMATCHED = 903,
  SOFTCUDA_UNKNOWN = 999
};

typedef struct CUctx_st softcuda_context;
typedef struct CUstream_st softcuda_stream;
typedef struct CUmod_st softcuda_module;
typedef struct CUfunc_st softcuda_function;
typedef struct CUevent_st softcuda_event;

typedef enum softcuda_kind {
  SOFTCUDA_COPY,   /* `from` to `to` */
  SOFTCUDA_UPLOAD, /* data to `to` */
  SOFTCUDA_SET,    /* `bytes` bytes with the low `width` bytes of `value` */
  SOFTCUDA_LAUNCH,
  SOFTCUDA_RECORD,
  SOFTCUDA_HOST
} softcuda_kind;

/* One thing to do in stream order. `data` follows: parameters, or bytes to upload. */
typedef struct softcuda_operation {
  struct softcuda_operation *next;
  softcuda_kind kind;
  unsigned long long to, from;
  size_t bytes, width, data_size;
  unsigned value, grid[3], block[3], shared;
  softcuda_function *function;
  softcuda_event *event;
  softcuda_stream *stream;
  int (*host)(void *);
  _Alignas(16) unsigned char data[];
} softcuda_operation;

typedef struct softcuda_list {
  softcuda_operation *first, *last;
  size_t count;
} softcuda_list;

/* Handles are in lists, so that a stale one is found out. */
struct CUfunc_st {
  softcuda_module *module;
  const softcuda_entry *entry;
  size_t shared;          /* static */
  unsigned dynamic_limit; /* by consent */
  softcuda_function *next;
};
struct CUmod_st {
  softcuda_context *context;
  softcuda_image *image;
  softcuda_function *functions;
  softcuda_module *next;
};
struct CUgraph_st {
  softcuda_list operations;
  bool instantiated; /* then it is a basin_cu_graph_exec */
  softcuda_context *context;
  struct CUgraph_st *next;
};
struct CUstream_st {
  softcuda_context *context;
  struct CUgraph_st *capture; /* what is being recorded */
  int mode;                   /* of the capture */
  bool invalidated;           /* by a call that a capture does not allow */
  bool alone;                 /* not kept in step with the default stream */
  size_t pending;             /* operations in the queue */
  softcuda_stream *next;
};
struct CUevent_st {
  softcuda_context *context;
  bool timed, recorded, captured, done;
  double time;
  softcuda_event *next;
};
/* A device's primary context; exists while it is retained. */
struct CUctx_st {
  int device, retained;
  int lost; /* the error that all calls give from now on */
  softcuda_list queue;
  softcuda_module *modules;
  softcuda_stream *streams;
  struct CUgraph_st *graphs;
  softcuda_event *events;
  softcuda_stream none; /* the default stream */
};

/* The context of this thread, sound; else INVALID_CONTEXT, NOT_INITIALIZED, or its error. */
int softcuda_context_get(softcuda_context **context);
/* The same, and the stream: NULL is the default one. */
int softcuda_stream_get(basin_cu_stream handle,
                        softcuda_context **context,
                        softcuda_stream **stream);
/* Is anything being captured in this context? Then that capture is spoilt. */
bool softcuda_capture_spoil(softcuda_context *context);
/* Whether a capture forbids calls that may be unsafe; such a capture is spoilt. */
bool softcuda_capture_forbids(softcuda_context *context);
/* The context's error is from now on `result`. */
/* Compute capability of the devices: 90 for 9.0. */
int softcuda_capability(void);
int softcuda_context_lose(softcuda_context *context, int result);
softcuda_context *softcuda_context_of(int device);

/* ---- queue.c ---- */
softcuda_operation *softcuda_operation_create(softcuda_kind kind, size_t data_size);
void softcuda_list_add(softcuda_list *list, softcuda_operation *operation);
void softcuda_list_clear(softcuda_list *list);
/* Into the stream's capture if there is one, else into the queue. Takes the operation over. */
int softcuda_submit(softcuda_stream *stream, softcuda_operation *operation);
/* Runs what is queued; the context's error. */
int softcuda_drain(softcuda_context *context);
/* Queues a copy of each operation of a graph. */
int softcuda_submit_all(softcuda_stream *stream, const softcuda_list *list);

/* ---- driver_module.c ---- */
bool softcuda_function_exists(const softcuda_context *context, const softcuda_function *function);
void softcuda_modules_release(softcuda_context *context);

#endif
