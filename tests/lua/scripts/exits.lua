-- A script that tries to end the program around it.
-- SPDX-License-Identifier: Apache-2.0
os.exit(7)
