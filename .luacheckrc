std = "lua54"
max_line_length = 100
cache = false
-- Kept as their users wrote them.
files["examples/fast_mass_springs.lua"] = { max_line_length = 130, ignore = { "213" } }
files["examples/complementary_beam.lua"] = { max_line_length = 120 }
files["examples/my_energy.lua"] = { max_line_length = 130 }
files["examples/dropping_short.lua"] = { max_line_length = 130 }
files["examples/dropping_in_container.lua"] = { max_line_length = 160, ignore = { "213" } }
