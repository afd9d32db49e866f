/* Elements a Hessian kernel holds at once: read by the dialect and by the library that sizes the
 * scratch. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CHUNK_H
#define BASIN_DEVICE_CHUNK_H

#define BASIN_CHUNK 256

#endif
