/* cuSOLVER, cuSPARSE and cuDSS, opened at run time. Types and numbers of their interfaces as far as
 * Basin uses them. Sources: the reference manuals of CUDA 13 and of cuDSS 0.7.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_VENDOR_H
#define BASIN_LINALG_CUDA_VENDOR_H

#include "device/cuda/cuda.h"

/* numbers that all three share: cudaDataType */
enum { BASIN__CUDA_REAL_64 = 1, BASIN__CUDA_INTEGER_32 = 10 };

#define SYMBOL(required, name, arguments) int(*name) arguments;

enum {
  BASIN__CUSOLVER_ALLOCATION = 2,
  BASIN__CUSOLVER_VECTORS = 1, /* CUSOLVER_EIG_MODE_VECTOR */
  BASIN__CUSOLVER_LOWER = 0    /* CUBLAS_FILL_MODE_LOWER */
};
typedef struct basin__cusolver {
  basin_context *context;
  basin_dl *library;
#include "cusolver.def"
} basin__cusolver;

enum {
  BASIN__CUSPARSE_ALLOCATION = 2,
  BASIN__CUSPARSE_INDEX_32 = 2,
  BASIN__CUSPARSE_DEFAULT = 0 /* base, operation, algorithms */
};
typedef struct basin__cusparse {
  basin_context *context;
  basin_dl *library;
#include "cusparse.def"
} basin__cusparse;

enum {
  BASIN__CUDSS_ALLOCATION = 2,
  BASIN__CUDSS_ANALYSIS = 3,
  BASIN__CUDSS_FACTORIZATION = 4,
  BASIN__CUDSS_SOLVE = 1008,
  BASIN__CUDSS_SYMMETRIC = 1,
  BASIN__CUDSS_DEFINITE = 3,
  BASIN__CUDSS_FULL = 0,
  BASIN__CUDSS_DATA_INFO = 0,
  BASIN__CUDSS_DATA_ENTRIES = 1,
  BASIN__CUDSS_DATA_INERTIA = 3
};
typedef struct basin__cudss {
  basin_context *context;
  basin_dl *library;
  int minor; /* of version 0.minor */
#include "cudss.def"
} basin__cudss;
#undef SYMBOL

/* MISSING_LIBRARY says what to install and how to point at the file; UNSUPPORTED names the version
 * or the function. */
basin_status basin__cusolver_open(basin_context *context, basin__cusolver **library);
void basin__cusolver_close(basin__cusolver *library); /* NULL is fine, as below */
basin_status basin__cusparse_open(basin_context *context, basin__cusparse **library);
void basin__cusparse_close(basin__cusparse *library);
basin_status basin__cudss_open(basin_context *context, basin__cudss **library);
void basin__cudss_close(basin__cudss *library);

/* An error of such a function: MEMORY for the library's number of a failed allocation, else DEVICE.
 */
basin_status
basin__vendor_failed(basin_context *context, const char *call, int result, int allocation);
#define BASIN__VENDOR(context, allocation, call)                                   \
  do {                                                                             \
    int vendor_result_ = (call);                                                   \
    if (vendor_result_ != 0)                                                       \
      return basin__vendor_failed((context), #call, vendor_result_, (allocation)); \
  } while (0)

#endif
