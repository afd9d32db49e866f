/* Nothing: loaded to see whether the driver takes what the compiler makes.
 * SPDX-License-Identifier: Apache-2.0 */
extern "C" __global__ void probe() {}
