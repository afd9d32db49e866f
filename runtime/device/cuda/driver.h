/* Types and numbers of the CUDA driver's interface, as far as Basin uses it, without its header.
 * Source: CUDA Driver API reference manual. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_DRIVER_H
#define BASIN_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned long long basin_address; /* of device memory; 0 = none */
typedef struct CUctx_st *basin_cu_context;
typedef struct CUstream_st *basin_cu_stream;
typedef struct CUmod_st *basin_cu_module;
typedef struct CUfunc_st *basin_cu_function;
typedef struct CUevent_st *basin_cu_event;
typedef struct CUgraph_st *basin_cu_graph;
typedef struct CUgraphExec_st *basin_cu_graph_exec;

/* results */
enum {
  BASIN_CU_SUCCESS = 0,
  BASIN_CU_INVALID_VALUE = 1,
  BASIN_CU_OUT_OF_MEMORY = 2,
  BASIN_CU_NOT_INITIALIZED = 3,
  BASIN_CU_NO_DEVICE = 100,
  BASIN_CU_INVALID_DEVICE = 101,
  BASIN_CU_INVALID_IMAGE = 200,
  BASIN_CU_INVALID_CONTEXT = 201,
  BASIN_CU_NO_BINARY_FOR_GPU = 209,
  BASIN_CU_INVALID_PTX = 218,
  BASIN_CU_UNSUPPORTED_PTX_VERSION = 222,
  BASIN_CU_NOT_FOUND = 500,
  BASIN_CU_ILLEGAL_ADDRESS = 700,
  BASIN_CU_LAUNCH_OUT_OF_RESOURCES = 701,
  BASIN_CU_LAUNCH_TIMEOUT = 702,
  BASIN_CU_MISALIGNED_ADDRESS = 716,
  BASIN_CU_LAUNCH_FAILED = 719,
  BASIN_CU_STREAM_CAPTURE_UNSUPPORTED = 900,
  BASIN_CU_STREAM_CAPTURE_INVALIDATED = 901
};

/* device attributes */
enum {
  BASIN_CU_MAX_THREADS_PER_BLOCK = 1,
  BASIN_CU_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  BASIN_CU_WARP_SIZE = 10,
  BASIN_CU_CLOCK_RATE = 13,
  BASIN_CU_MULTIPROCESSOR_COUNT = 16,
  BASIN_CU_MEMORY_CLOCK_RATE = 36,
  BASIN_CU_MEMORY_BUS_WIDTH = 37,
  BASIN_CU_L2_CACHE_SIZE = 38,
  BASIN_CU_COMPUTE_CAPABILITY_MAJOR = 75,
  BASIN_CU_COMPUTE_CAPABILITY_MINOR = 76,
  BASIN_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

/* function attributes */
enum {
  BASIN_CU_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
  BASIN_CU_FUNCTION_SHARED_SIZE_BYTES = 1,
  BASIN_CU_FUNCTION_LOCAL_SIZE_BYTES = 3,
  BASIN_CU_FUNCTION_NUM_REGS = 4,
  BASIN_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

/* flags */
enum {
  BASIN_CU_STREAM_NON_BLOCKING = 1,
  BASIN_CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  BASIN_CU_EVENT_DEFAULT = 0
};

#endif
