-- Bodies that fall on a floor.
-- SPDX-License-Identifier: Apache-2.0
return { { "drop_two_tets", require "groups.drop.two_tets" } }
