/* The prelude as data, made at build time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_TEXTS_H
#define BASIN_SOFTCUDA_TEXTS_H

extern const char softcuda_text_prelude[], softcuda_text_abi[];

#endif
