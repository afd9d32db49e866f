/* The lists of functions that are looked up in CUDA's libraries, against the toolkit's own headers:
 * parameters of the same number, sizes and kinds, and the same numbers for results and attributes.
 * Only compiled, and only where the toolkit is. SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* every version of a function under its exported name */
#include <cuda.h>
#include <nvrtc.h>

#include "device/cuda/driver.h"

typedef nvrtcProgram basin_nvrtc_program;

/* Handles are pointers to the same structures, enumerations are as good as integers. */
template <class T> struct shape {
  static constexpr int value = 2 * sizeof(T);
};
template <class T> struct shape<T *> {
  static constexpr int value = 2 * sizeof(T *) + 1;
};

template <class... T> struct list {
};
template <class A, class B> struct alike {
  static constexpr bool value = false;
};
template <> struct alike<list<>, list<>> {
  static constexpr bool value = true;
};
template <class A, class... As, class B, class... Bs> struct alike<list<A, As...>, list<B, Bs...>> {
  static constexpr bool value =
      shape<A>::value == shape<B>::value && alike<list<As...>, list<Bs...>>::value;
};
template <class R, class... A, class S, class... B> struct alike<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = alike<list<R, A...>, list<S, B...>>::value;
};

#define X(type, name, parameters, exported)                              \
  static_assert(alike<type(*) parameters, decltype(&::exported)>::value, \
                #exported " is declared otherwise");
#include "device/cuda/driver.def"
#undef X
#define X(type, name, parameters)                                    \
  static_assert(alike<type(*) parameters, decltype(&::name)>::value, \
                #name " is declared otherwise");
#include "base/nvrtc.def"
#undef X

#define SAME(ours, theirs) static_assert((int)BASIN_CU_##ours == (int)CU_##theirs, #ours)
#define SAME_RESULT(name)  static_assert((int)BASIN_CU_##name == (int)CUDA_ERROR_##name, #name)
SAME_RESULT(INVALID_VALUE);
SAME_RESULT(OUT_OF_MEMORY);
SAME_RESULT(NOT_INITIALIZED);
SAME_RESULT(DEINITIALIZED);
SAME_RESULT(NO_DEVICE);
SAME_RESULT(INVALID_DEVICE);
SAME_RESULT(INVALID_IMAGE);
SAME_RESULT(INVALID_CONTEXT);
SAME_RESULT(NO_BINARY_FOR_GPU);
SAME_RESULT(ECC_UNCORRECTABLE);
SAME_RESULT(INVALID_PTX);
SAME_RESULT(NVLINK_UNCORRECTABLE);
SAME_RESULT(JIT_COMPILER_NOT_FOUND);
SAME_RESULT(UNSUPPORTED_PTX_VERSION);
SAME_RESULT(JIT_COMPILATION_DISABLED);
SAME_RESULT(CONTAINED);
SAME_RESULT(NOT_FOUND);
SAME_RESULT(ILLEGAL_ADDRESS);
SAME_RESULT(LAUNCH_OUT_OF_RESOURCES);
SAME_RESULT(LAUNCH_TIMEOUT);
SAME_RESULT(CONTEXT_IS_DESTROYED);
SAME_RESULT(ASSERT);
SAME_RESULT(HARDWARE_STACK_ERROR);
SAME_RESULT(ILLEGAL_INSTRUCTION);
SAME_RESULT(MISALIGNED_ADDRESS);
SAME_RESULT(INVALID_ADDRESS_SPACE);
SAME_RESULT(INVALID_PC);
SAME_RESULT(LAUNCH_FAILED);
SAME_RESULT(TENSOR_MEMORY_LEAK);
SAME_RESULT(MPS_CLIENT_TERMINATED);
SAME_RESULT(STREAM_CAPTURE_UNSUPPORTED);
SAME_RESULT(STREAM_CAPTURE_INVALIDATED);
SAME_RESULT(STREAM_CAPTURE_IMPLICIT);
SAME_RESULT(EXTERNAL_DEVICE);
SAME_RESULT(UNKNOWN);
SAME(MAX_THREADS_PER_BLOCK, DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(MAX_SHARED_MEMORY_PER_BLOCK, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(WARP_SIZE, DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(CLOCK_RATE, DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(MULTIPROCESSOR_COUNT, DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(MEMORY_CLOCK_RATE, DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(MEMORY_BUS_WIDTH, DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(L2_CACHE_SIZE, DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(COMPUTE_CAPABILITY_MAJOR, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(COMPUTE_CAPABILITY_MINOR, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(FUNCTION_MAX_THREADS_PER_BLOCK, FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(FUNCTION_SHARED_SIZE_BYTES, FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(FUNCTION_LOCAL_SIZE_BYTES, FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(FUNCTION_NUM_REGS, FUNC_ATTRIBUTE_NUM_REGS);
SAME(FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES, FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(STREAM_DEFAULT, STREAM_DEFAULT);
SAME(STREAM_NON_BLOCKING, STREAM_NON_BLOCKING);
SAME(STREAM_CAPTURE_MODE_RELAXED, STREAM_CAPTURE_MODE_RELAXED);
SAME(EVENT_DEFAULT, EVENT_DEFAULT);
SAME(JIT_ERROR_LOG, JIT_ERROR_LOG_BUFFER);
SAME(JIT_ERROR_LOG_SIZE, JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
