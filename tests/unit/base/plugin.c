/* A library for the test of runtime/base/dl.c to open.
 * SPDX-License-Identifier: Apache-2.0 */

int plugin_answer(void);

int plugin_answer(void)
{
  return 42;
}
