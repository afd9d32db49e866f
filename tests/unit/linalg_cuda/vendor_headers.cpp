/* The lists of functions of cuSOLVER and cuSPARSE against the toolkit's own headers: parameters of
 * the same number and sizes, and the same numbers for constants. Only compiled, and only where the
 * toolkit is. SPDX-License-Identifier: Apache-2.0 */
#define DISABLE_CUSOLVER_DEPRECATED
#include <cublas_api.h>
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include "device/cuda/driver.h"

/* Handles are pointers, addresses 64-bit numbers, enumerations as good as integers. */
template <class... T> struct list {
};
template <class A, class B> struct alike {
  static constexpr bool value = false;
};
template <> struct alike<list<>, list<>> {
  static constexpr bool value = true;
};
template <class A, class... As, class B, class... Bs> struct alike<list<A, As...>, list<B, Bs...>> {
  static constexpr bool value = sizeof(A) == sizeof(B) && alike<list<As...>, list<Bs...>>::value;
};
template <class R, class... A, class S, class... B> struct alike<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = alike<list<R, A...>, list<S, B...>>::value;
};

#define SYMBOL(required, name, arguments) \
  static_assert(alike<int(*) arguments, decltype(&::name)>::value, #name " is declared otherwise");
#include "linalg/cuda/cusolver.def"
#include "linalg/cuda/cusparse.def"
#undef SYMBOL

/* As in vendor.h, which is C. */
enum { REAL_64 = 1, INTEGER_32 = 10, ALLOCATION = 2, VECTORS = 1, LOWER = 0, INDEX_32 = 2 };
static_assert((int)CUDA_R_64F == REAL_64 && (int)CUDA_R_32I == INTEGER_32, "types of numbers");
static_assert((int)CUSOLVER_STATUS_ALLOC_FAILED == ALLOCATION, "cuSOLVER's status");
static_assert((int)CUSPARSE_STATUS_ALLOC_FAILED == ALLOCATION, "cuSPARSE's status");
static_assert((int)CUSOLVER_EIG_MODE_VECTOR == VECTORS, "eigenvectors");
static_assert((int)CUBLAS_FILL_MODE_LOWER == LOWER, "triangle");
static_assert((int)CUSPARSE_INDEX_32I == INDEX_32, "indices");
static_assert((int)CUSPARSE_INDEX_BASE_ZERO == 0 && (int)CUSPARSE_OPERATION_NON_TRANSPOSE == 0 &&
                  (int)CUSPARSE_SPMV_ALG_DEFAULT == 0 && (int)CUSPARSE_SPGEMM_DEFAULT == 0,
              "defaults");
