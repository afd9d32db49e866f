local basin = require "basin"
local scene = basin.scene("scene")
local cloth = scene:add_mesh("cloth")
local verts = cloth:add_primitive("vertices", 4)
local x = verts:add_attribute("position", { rows = 3 })
local A = verts:add_attribute("matrix", { rows = 3, cols = 3 })
local function stretch(F)
  return F:det() + F:row(1):cross(x):dot(F:reshape(9, 1))
end
local function material(F)
  return 2 * stretch(F)
end
scene:add_energy(material(A))
