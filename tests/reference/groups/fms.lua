-- Hanging cloth of springs: local/global iterations against projected Newton.
-- SPDX-License-Identifier: Apache-2.0
return { { "fms_", require "groups.fms.hanging_cloth" } }
