-- Annotations and one-line descriptions of everything public, for editors and reference pages.
-- tests/lua/test_meta.lua compares it with the modules, in both directions.
-- SPDX-License-Identifier: Apache-2.0
-- luacheck: ignore
---@meta basin

---Numbers as a script gives them: a number, a table of numbers or tables, or an array.
---@alias basin.Data number|number[]|number[][]|basin.Array

---What operators take: an expression or a number.
---@alias basin.Operand basin.Expression|number

---An array: count instances of rows x cols numbers.
---@class basin.Array
---@field count integer number of instances
---@field rows integer
---@field cols integer
---@field size integer numbers an instance
---@operator add(basin.Array|number): basin.Array
---@operator sub(basin.Array|number): basin.Array
---@operator mul(basin.Array|number): basin.Array
---@operator div(basin.Array|number): basin.Array
---@operator pow(basin.Array|number): basin.Array
---@operator unm: basin.Array
---@operator len: integer
local Array = {}

---One number; positions count from 1. With two arguments `row` is the entry in storage order.
---@param instance integer
---@param row? integer
---@param column? integer
---@return number
function Array:at(instance, row, column) end

---The k-th number of every instance, counted from 1.
---@param k integer
---@return basin.Array
function Array:component(k) end

---The instances first to last, both included, counted from 1.
---@param first integer
---@param last? integer
---@return basin.Array
function Array:slice(first, last) end

---Instances by 0-based index, as mesh data counts.
---@param indices basin.Data
---@return basin.Array
function Array:select(indices) end

---A copy with other instances at these indices, counted from 0.
---@param indices basin.Data
---@param values basin.Data
---@return basin.Array
function Array:replaced(indices, values) end

---A copy.
---@return basin.Array
function Array:copy() end

---A table of numbers, or of one table an instance.
---@return table
function Array:table() end

---The numbers as a string of their bytes; equal strings are equal bits.
---@return string
function Array:bytes() end

---The largest absolute value; 0 for an empty array.
---@return number
function Array:max_abs() end

---The largest number.
---@return number
function Array:max() end

---The smallest number.
---@return number
function Array:min() end

---The sum of all numbers.
---@return number
function Array:sum() end

---The mean of all numbers.
---@return number
function Array:mean() end

---The Euclidean norm over all numbers.
---@return number
function Array:norm() end

---The sum of products with another array.
---@param other basin.Data
---@return number
function Array:dot(other) end

---Absolute values.
---@return basin.Array
function Array:abs() end

---Square roots.
---@return basin.Array
function Array:sqrt() end

---Exponentials.
---@return basin.Array
function Array:exp() end

---Natural logarithms.
---@return basin.Array
function Array:log() end

---Sines.
---@return basin.Array
function Array:sin() end

---Cosines.
---@return basin.Array
function Array:cos() end

---The Euclidean norm of each instance.
---@return basin.Array
function Array:lengths() end

---The function's value for each number.
---@param call fun(value: number): number
---@return basin.Array
function Array:map(call) end

---Whether no number is NaN or infinite.
---@return boolean
function Array:is_finite() end

---A sparse matrix. Never changes once made.
---@class basin.Matrix
---@field rows integer
---@field columns integer
---@field count integer stored entries
---@operator add(basin.Matrix): basin.Matrix
---@operator sub(basin.Matrix): basin.Matrix
---@operator mul(basin.Matrix|number): basin.Matrix
---@operator mul(basin.Data): basin.Array
---@operator div(number): basin.Matrix
---@operator unm: basin.Matrix
local Matrix = {}

---The transpose.
---@return basin.Matrix
function Matrix:T() end

---The transpose.
---@return basin.Matrix
function Matrix:transpose() end

---The transpose times a vector.
---@param x basin.Data
---@return basin.Array
function Matrix:apply_transposed(x) end

---The Kronecker product.
---@param other basin.Matrix
---@return basin.Matrix
function Matrix:kron(other) end

---Rows and columns by 0-based index; nil takes all.
---@param rows basin.Data?
---@param columns basin.Data?
---@return basin.Matrix
function Matrix:select(rows, columns) end

---One entry; rows and columns count from 1.
---@param row integer
---@param column integer
---@return number
function Matrix:at(row, column) end

---The norm: "frobenius" (the default), "one", "infinity" or "max".
---@param kind? string
---@return number
function Matrix:norm(kind) end

---Whether the matrix equals its transpose, up to tolerance times its largest entry.
---@param tolerance? number
---@return boolean
function Matrix:is_symmetric(tolerance) end

---The diagonal.
---@return basin.Array
function Matrix:diagonal() end

---All entries, one instance a row.
---@return basin.Array
function Matrix:dense() end

---Compressed rows, 0-based: starts, columns, values.
---@return {starts: basin.Array, columns: basin.Array, values: basin.Array}
function Matrix:csr() end

---A factorization: "cholesky", "ldlt" or "lu"; without a kind LDLT for symmetric matrices, else
---LU.
---@param kind? string
---@return basin.Factor
function Matrix:factorize(kind) end

---Solves A x = b.
---@param b basin.Data
---@param kind? string
---@return basin.Array
function Matrix:solve(b, kind) end

---A factorization that is kept.
---@class basin.Factor
local Factor = {}

---New values, or another matrix; the analysis is kept while the pattern stands.
---@param matrix basin.Matrix
---@return basin.Factor
function Factor:update(matrix) end

---Solves for one right-hand side, or for one a component.
---@param b basin.Data
---@return basin.Array
function Factor:solve(b) end

---Library, algorithm, counts.
---@return table
function Factor:info() end

---A saddle point system, factorized.
---@class basin.Saddle
---@field unknowns integer
---@field rank integer constraints that are kept
---@field kept integer[] their rows, from 0
---@field dropped integer[] rows that depend on those, from 0
---@field factor basin.Factor
local Saddle = {}

---x and the multipliers y; nil stands for zeros. Multipliers of dropped rows are zero; the third
---result is the largest violation of a dropped row.
---@param b basin.Data?
---@param c basin.Data?
---@return basin.Array
---@return basin.Array
---@return number
function Saddle:solve(b, c) end

---New values of H, or another H, under the same constraints.
---@param matrix basin.Matrix
---@return basin.Saddle
function Saddle:update(matrix) end

---The projection S = I - C^T (C C^T)^-1 C.
---@class basin.Projection
---@field constraints basin.Matrix
---@field rank integer
---@field singular_values basin.Array descending
---@field basis basin.Matrix rank rows, orthonormal, that span the rows of C
local Projection = {}

---S x.
---@param x basin.Data
---@return basin.Array
function Projection:apply(x) end

---S as a sparse matrix; full where constraints share unknowns.
---@return basin.Matrix
function Projection:matrix() end

---The smallest z with C z = c, or with the smallest |C z - c|.
---@param c basin.Data
---@return basin.Array
function Projection:particular(c) end

---The smallest y with C^T y = r, for an r in the row space of C.
---@param r basin.Data
---@return basin.Array
function Projection:multipliers(r) end

---An orthonormal basis of the null space of C, a column each.
---@return basin.Matrix
function Projection:null_space() end

---Solves A x = b in the free directions with C x = c (nil: zero): conjugate gradients on
---S A S + I - S with the options of basin.sparse.cg. The second result has multipliers, too.
---@param a basin.Matrix
---@param b basin.Data
---@param c basin.Data?
---@param given? table
---@return basin.Array
---@return table
function Projection:solve(a, b, c, given) end

---Unknowns x = offset + basis z.
---@class basin.Subspace
---@field basis basin.Matrix
---@field offset basin.Array
local Subspace = {}

---x of coordinates z, in the grouping of the offset.
---@param z basin.Data
---@return basin.Array
function Subspace:lift(z) end

---B^T g.
---@param g basin.Data
---@return basin.Array
function Subspace:restrict(g) end

---B^T H B, a sparse matrix that stores every entry that can be different from zero.
---@param h basin.Matrix
---@return basin.Matrix
function Subspace:reduce(h) end

---The coordinates nearest to x, in the norm of the mass (nil: the identity).
---@param x basin.Data
---@param mass? basin.Matrix
---@return basin.Array
function Subspace:coordinates(x, mass) end

---Newton's method with line search for the energies of a scene that has one target: {start = z,
---tolerance = 1e-8, max_iterations = 100, projection = "abs"}; the tolerance is of |B^T g|. Returns z
---and {converged =, iterations =, energy =, gradient =, status =}.
---@param scene basin.Scene
---@param target basin.Attribute
---@param given? table
---@return basin.Array
---@return table
function Subspace:minimize(scene, target, given) end

---A mesh: points, cells, named groups. Methods that change it return a new mesh. Indices count from 0.
---@class basin.Mesh
---@field points basin.Array
---@field vertices basin.Array
---@field edges basin.Array edge cells, or the edges of all other cells where there are none
---@field triangles basin.Array
---@field quads basin.Array
---@field tets basin.Array
---@field surface_points basin.Array points on the surface
---@field dim integer
---@field groups table<string, table<string, basin.Array>>
local Mesh = {}

---0-based indices of the points in any of the groups.
---@param names string[]
---@return basin.Array
function Mesh:select(names) end

---The same as select.
---@param names string[]
---@return basin.Array
function Mesh:corners(names) end

---1 for the points in any of the groups, else 0.
---@param names string[]
---@return basin.Array
function Mesh:mask(names) end

---The edges of all cells, each once.
---@return basin.Array
function Mesh:unique_edges() end

---Edges of exactly one triangle.
---@return basin.Array
function Mesh:boundary_edges() end

---Points on the boundary.
---@return basin.Array
function Mesh:boundary_points() end

---Pairs of triangles at an edge: p0 p1 (the edge), p2, p3; and how many edges of three or more
---were skipped.
---@return basin.Array
---@return integer
function Mesh:hinges() end

---Smallest and largest coordinates.
---@return number[]
---@return number[]
function Mesh:bounds() end

---Lengths, areas or volumes of the cells of a kind ("edges", "triangles", "quads", "tets").
---@param kind? string
---@return basin.Array
function Mesh:measure(kind) end

---Unit normals of the triangles.
---@return basin.Array
function Mesh:triangle_normals() end

---Area-weighted unit normals of the points.
---@return basin.Array
function Mesh:point_normals() end

---Writes .vtu, .ply or .obj.
---@param path string
---@param positions? basin.Data
function Mesh:write(path, positions) end

---The boundary triangles over the same points.
---@return basin.Mesh
function Mesh:surface() end

---A copy.
---@return basin.Mesh
function Mesh:copy() end

---A copy scaled about the origin, by one factor or one an axis.
---@param factor number|number[]
---@return basin.Mesh
function Mesh:scaled(factor) end

---A moved copy.
---@param offset number[]
---@return basin.Mesh
function Mesh:translated(offset) end

---A copy with x replaced by A x + b; 12 numbers, [A | b] row by row.
---@param matrix number[]
---@return basin.Mesh
function Mesh:transformed(matrix) end

---A copy with near points merged.
---@param tolerance? number
---@return basin.Mesh
function Mesh:welded(tolerance) end

---A copy without unused points, and the old number of each point.
---@return basin.Mesh
---@return basin.Array
function Mesh:compacted() end

---A copy with quads cut into triangles.
---@return basin.Mesh
function Mesh:triangulated() end

---A copy with all cells positive, and how many were turned.
---@return basin.Mesh
---@return integer
function Mesh:oriented() end

---A copy with a group of points, or of cells of a kind.
---@param name string
---@param indices basin.Data
---@param kind? string
---@return basin.Mesh
function Mesh:with_group(name, indices, kind) end

---A scaled copy: {height = 0.3} makes its extent along y that high, {factor = 2} multiplies.
---@param given? table
---@return basin.Mesh
function Mesh:scaled_to(given) end

---Copies in one mesh, each moved by its offset: copies{{0, 0, 0}, {0, 1, 0}}.
---@param offsets number[][]
---@return basin.Mesh
function Mesh:copies(offsets) end

---A turned copy: {axis = {0, 1, 0}, angle = radians} or {degrees = 90}.
---@param given? table
---@return basin.Mesh
function Mesh:rotated(given) end

---The mass of each point: {density=, thickness=, radius=, matter=}.
---@param given? table
---@return basin.Array
function Mesh:lumped_mass(given) end

---Volume, mass, first ({x, y, z}) and second moments (3 rows) of the solid, in its own
---coordinates: {density=, …}.
---@param given? table
---@return {volume: number, mass: number, first: number[], second: number[][]}
function Mesh:affine_moments(given) end

---Finds close pairs of points, edges and triangles, the largest step without contact, and
---intersections. Made by basin.contact.detector.
---@class basin.ContactDetector
---@field seconds_detect number
---@field seconds_step number
---@field seconds_fill number
local ContactDetector = {}

---Finds the pairs closer than a distance (beyond the thickness) and puts them into the pair
---primitives: {positions=, distance= or squared_distance=}. Returns the number of pairs.
---@param given table
---@return integer
function ContactDetector:detect(given) end

---Pairs of the last detect: a number for each kind, total, and smallest_distance among them.
---@return table<string, number>
function ContactDetector:counts() end

---The pairs of one kind: {vertices=, multiplicity=, squared_distance=, separation=, threshold=,
---planes=}, arrays.
---@param kind string
---@return table<string, basin.Array>
function ContactDetector:pairs(kind) end

---Changes when a detect finds other pairs than the one before it.
---@return integer
function ContactDetector:version() end

---The largest step of at most `limit` (1) on which every pair keeps a part of its distance: {from=,
---direction=, slackness=, limit=}. As in minimize_energy the motion is minus the direction: x -
---step * direction. With slackness 0.8 a fifth of the distance stays. Also returns the pair that
---limits the step, {kind=, vertices=}, or nil.
---@param given table
---@return number
---@return table?
function ContactDetector:largest_step(given) end

---The step on which pairs farther apart than `distance` cannot touch, whatever their directions:
---distance over twice the largest motion of a point of the surfaces, at most 1. {direction=,
---distance=}
---@param given table
---@return number
function ContactDetector:cfl_step(given) end

---For each vertex the distance, less the thickness, of everything that its points, edges and
---triangles may touch from all else; that of `reach`, which is longer than the thickness, if
---nothing is closer. An array. {positions=, reach=}
---@param given table
---@return basin.Array
function ContactDetector:safe_distances(given) end

---A step filter for basin.newton: {slackness=, rule=, distance=}. It lets steps go as far as
---largest_step; rules are how that is found: "sweep" (default), from the whole motion; "cfl", from
---a sweep of at most cfl_step with `distance`, where a contact ends that; "safe_distance", without
---a sweep where every vertex moves by less than half of its safe distance, at most `distance`.
---@param given? table
---@return basin.Filter
function ContactDetector:filter(given) end

---Edges that meet triangles: rows of two and three vertices, at most `limit` (100) of them, and
---their number. {positions=, limit=}
---@param given? table
---@return basin.Array
---@return integer
function ContactDetector:intersections(given) end

---The smallest distance of all pairs that may touch (infinite without one), and {gap=, kind=,
---vertices=}; the gap is the distance less the thickness. {positions=}
---@param given? table
---@return number
---@return table
function ContactDetector:smallest_distance(given) end

---Raises an error that lists the pairs that intersect, are closer than their thickness, or lie
---behind a plane. {positions=}
---@param given? table
---@return basin.ContactDetector
function ContactDetector:check(given) end

---Bytes that the detector holds.
---@return integer
function ContactDetector:memory() end

---What it has cost: calls (detections, steps), how often candidates were collected anew
---(collections), and seconds: seconds_broad, seconds_narrow, seconds_step.
---@return table<string, number>
function ContactDetector:statistics() end

---A small matrix for each instance of its owner. Entries, rows and columns count from 1.
---@class basin.Expression
---@field rows integer
---@field cols integer
---@operator add(basin.Operand): basin.Expression
---@operator sub(basin.Operand): basin.Expression
---@operator mul(basin.Operand): basin.Expression
---@operator div(basin.Operand): basin.Expression
---@operator pow(basin.Operand): basin.Expression
---@operator unm: basin.Expression
---@operator len: integer
local Expression = {}

---A + b, entry by entry; a scalar is added to every entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:add(other) end

---A - b, entry by entry; a scalar goes with every entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:sub(other) end

---A * b: scaling if one is a scalar, else the matrix product.
---@param other basin.Operand
---@return basin.Expression
function Expression:mul(other) end

---A / b with a scalar b.
---@param other basin.Operand
---@return basin.Expression
function Expression:div(other) end

---Product of entries.
---@param other basin.Operand
---@return basin.Expression
function Expression:hadamard(other) end

---Quotient of entries.
---@param other basin.Operand
---@return basin.Expression
function Expression:element_div(other) end

---Matrix product.
---@param other basin.Operand
---@return basin.Expression
function Expression:matmul(other) end

---Outer product of two vectors, len(a) x len(b).
---@param other basin.Operand
---@return basin.Expression
function Expression:outer(other) end

---Kronecker product.
---@param other basin.Operand
---@return basin.Expression
function Expression:kron(other) end

---Transpose.
---@return basin.Expression
function Expression:transpose() end

---Sum of the products of entries.
---@param other basin.Operand
---@return basin.Expression
function Expression:dot(other) end

---Cross product of 3-vectors; of 2-vectors a scalar.
---@param other basin.Operand
---@return basin.Expression
function Expression:cross(other) end

---Square root of the sum of the squared entries; its derivative is 0 at 0.
---@return basin.Expression
function Expression:norm() end

---Sum of the squared entries.
---@return basin.Expression
function Expression:squared_norm() end

---Divided by its norm; zero stays zero.
---@return basin.Expression
function Expression:normalized() end

---Sum of the entries.
---@return basin.Expression
function Expression:sum() end

---Sum of the diagonal.
---@return basin.Expression
function Expression:trace() end

---Determinant, up to 4 x 4.
---@return basin.Expression
function Expression:det() end

---Inverse, up to 4 x 4.
---@return basin.Expression
function Expression:inverse() end

----a, entry by entry.
---@return basin.Expression
function Expression:neg() end

---Absolute value of each entry; its derivative is 0 at 0.
---@return basin.Expression
function Expression:abs() end

----1, 0 or 1.
---@return basin.Expression
function Expression:sign() end

---Square root of each entry; its derivative is 0 at 0.
---@return basin.Expression
function Expression:sqrt() end

---Exponential of each entry.
---@return basin.Expression
function Expression:exp() end

---Exp(a) - 1 without cancellation.
---@return basin.Expression
function Expression:expm1() end

---Natural logarithm of each entry.
---@return basin.Expression
function Expression:log() end

---Log(1 + a) without cancellation.
---@return basin.Expression
function Expression:log1p() end

---Sine of each entry.
---@return basin.Expression
function Expression:sin() end

---Cosine of each entry.
---@return basin.Expression
function Expression:cos() end

---Tangent of each entry.
---@return basin.Expression
function Expression:tan() end

---Arc sine of each entry; its derivative is 0 at -1 and 1.
---@return basin.Expression
function Expression:asin() end

---Arc cosine of each entry; its derivative is 0 at -1 and 1.
---@return basin.Expression
function Expression:acos() end

---Arc tangent of each entry.
---@return basin.Expression
function Expression:atan() end

---Hyperbolic sine of each entry.
---@return basin.Expression
function Expression:sinh() end

---Hyperbolic cosine of each entry.
---@return basin.Expression
function Expression:cosh() end

---Hyperbolic tangent of each entry.
---@return basin.Expression
function Expression:tanh() end

---Angle of the point (b, a); its derivative is 0 at the origin.
---@param other basin.Operand
---@return basin.Expression
function Expression:atan2(other) end

---A ^ b, entry by entry; small literal exponents become products.
---@param other basin.Operand
---@return basin.Expression
function Expression:pow(other) end

---A * log(b), and 0 where a is 0.
---@param other basin.Operand
---@return basin.Expression
function Expression:xlogy(other) end

---Smaller entry; at a tie the derivative is that of a.
---@param other basin.Operand
---@return basin.Expression
function Expression:min(other) end

---Larger entry; at a tie the derivative is that of a.
---@param other basin.Operand
---@return basin.Expression
function Expression:max(other) end

---Min(max(a, low), high).
---@param low basin.Operand
---@param high basin.Operand
---@return basin.Expression
function Expression:clamp(low, high) end

---A < b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:lt(other) end

---A <= b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:le(other) end

---A > b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:gt(other) end

---A >= b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:ge(other) end

---A == b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:eq(other) end

---A != b, entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:ne(other) end

---Both are true (not zero), entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:logical_and(other) end

---One is true (not zero), entry by entry.
---@param other basin.Operand
---@return basin.Expression
function Expression:logical_or(other) end

---Is zero, entry by entry.
---@return basin.Expression
function Expression:logical_not() end

---Every entry is true (not zero).
---@return basin.Expression
function Expression:all() end

---Some entry is true (not zero).
---@return basin.Expression
function Expression:any() end

---The value with derivative zero.
---@return basin.Expression
function Expression:stop() end

---Rotation of the polar decomposition, 2 x 2 or 3 x 3.
---@return basin.Expression
function Expression:polar() end

---Left rotation of the singular value decomposition, 2 x 2 or 3 x 3.
---@return basin.Expression
function Expression:svd_u() end

---Singular values, descending; the last carries the sign of the determinant.
---@return basin.Expression
function Expression:svd_s() end

---Right rotation of the singular value decomposition, 2 x 2 or 3 x 3.
---@return basin.Expression
function Expression:svd_v() end

---Eigenvalues of a symmetric 2 x 2 or 3 x 3 matrix, ascending.
---@return basin.Expression
function Expression:eig_values() end

---Eigenvectors of a symmetric 2 x 2 or 3 x 3 matrix as columns.
---@return basin.Expression
function Expression:eig_vectors() end

---Row i, counted from 1, as a 1 x cols matrix.
---@param i integer
---@return basin.Expression
function Expression:row(i) end

---Column j, counted from 1, as a rows x 1 matrix.
---@param j? integer
---@return basin.Expression
function Expression:col(j) end

---Entry i of a vector, or entry (i, j) of a matrix, counted from 1.
---@param i integer
---@param j? integer
---@return basin.Expression
function Expression:at(i, j) end

---The transpose.
---@return basin.Expression
function Expression:T() end

---The same entries, row after row, in another shape.
---@param rows integer
---@param cols? integer
---@return basin.Expression
function Expression:reshape(rows, cols) end

---a where the expression is true, else b.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function Expression:where(a, b) end

---What the expression lives on: a scene, mesh, primitive or union; nil for literals.
---@return basin.Scene|basin.SceneMesh|basin.Primitive|basin.Union|nil
function Expression:owner() end

---The expression as one line.
---@param limit? integer
---@return string
function Expression:text(limit) end

---The number of a literal scalar, else nil.
---@return number?
function Expression:number() end

---The values of all instances, as an array. Kept up to date: computed again only when something
---it reads has changed.
---@return basin.Array
function Expression:compute() end

---The singular value decomposition U diag(S) V^T of a 2x2 or 3x3 matrix.
---@return basin.Expression
---@return basin.Expression
---@return basin.Expression
function Expression:svd() end

---Eigenvalues (ascending) and eigenvectors (columns) of a symmetric 2x2 or 3x3 matrix.
---@return basin.Expression
---@return basin.Expression
function Expression:eig() end

---The same as at.
---@param i integer
---@param j? integer
---@return basin.Expression
function Expression:entry(i, j) end

---A named expression of an owner; stored ones hold data.
---@class basin.Attribute: basin.Expression
local Attribute = {}

---The name given when it was added.
---@return string
function Attribute:name() end

---owner's full name and the name: "cloth.vertices.position".
---@return string
function Attribute:full_name() end

---"data", "constant", "union", "reduction", "join" or "named".
---@return string
function Attribute:kind() end

---What it belongs to.
---@return basin.Scene|basin.SceneMesh|basin.Primitive|basin.Union
function Attribute:owner() end

---Whether it stores data of its own.
---@return boolean
function Attribute:is_stored() end

---Replaces the data: an array, mesh data, a table, or a number for all instances.
---@param value basin.Data
---@return basin.Attribute
function Attribute:update(value) end

---A copy of the present values, as an array.
---@return basin.Array
function Attribute:value() end

---The same as value.
---@return basin.Array
function Attribute:compute() end

---Holds instances: every minimization that has this attribute as an unknown leaves them exactly as
---they are. indices: a number, list or array, from 0; nil: all. {entries = {2}}: these entries of
---them alone, by number from 1 or as {row, column}. What was held before stays held.
---@param indices? basin.Data
---@param given? table
---@return basin.Attribute
function Attribute:hold(indices, given) end

---The opposite of hold, with the same arguments; without any, nothing is held.
---@param indices? basin.Data
---@param given? table
---@return basin.Attribute
function Attribute:release(indices, given) end

---The instances of which something is held, as an array; and a mask in the shape of the attribute,
---1 where an entry is held.
---@return basin.Array
---@return basin.Array
function Attribute:held() end

---What scenes, meshes, primitives and unions share. Children are fields by name.
---@class basin.Owner
---@field name string
---@field count integer number of instances
---@field [string] any
local Owner = {}

---add_attribute(name, {rows=, cols=, value=}): differentiable data. add_attribute(name,
---expression): a name for it. On primitives also {through = connectivity, source = expression,
---reduce = nil, "sum" or "mean"}.
---@param name string
---@param given? table|basin.Expression
---@return basin.Attribute
function Owner:add_attribute(name, given) end

---add_constant(name, {rows=, cols=, value=, parameter=}): data whose derivative is zero. With
---parameter = true it is a setting of the script, which checkpoints neither hold nor restore.
---@param name string
---@param given? table
---@return basin.Attribute
function Owner:add_constant(name, given) end

---The names of its children in the order they were added.
---@return string[]
function Owner:names() end

---The child of that name, or nil.
---@param name string
---@return any
function Owner:find(name) end

---The number of instances.
---@return integer
function Owner:instances() end

---A group of primitives.
---@class basin.SceneMesh: basin.Owner
local SceneMesh = {}

---Its name.
---@return string
function SceneMesh:full_name() end

---Adds an index space of count instances; dynamic ones may be resized and empty.
---@param name string
---@param count integer
---@param given? table
---@return basin.Primitive
function SceneMesh:add_primitive(name, count, given) end

---Stacks primitives and unions, of this mesh or others, into one index space.
---@param name string
---@param members (basin.Primitive|basin.Union)[]
---@return basin.Union
function SceneMesh:add_primitive_union(name, members) end

---An index space: vertices, tets, contact pairs, bodies.
---@class basin.Primitive: basin.Owner
local Primitive = {}

---add_connectivity(name, to, indices, arity): arity indices an instance into another primitive,
---counted from 0; arity 0: rows of any length, as {{0, 1}, {2}} or {indices=, offsets=}.
---@param name string
---@param to basin.Primitive|basin.Union
---@param indices? basin.Data
---@param arity integer
---@return basin.Connectivity
function Primitive:add_connectivity(name, to, indices, arity) end

---The values of an expression of this primitive, as an array.
---@param value basin.Operand
---@return basin.Array
function Primitive:evaluate(value) end

---The mesh's name and its own: "cloth.vertices".
---@return string
function Primitive:full_name() end

---Changes the number of instances of a dynamic primitive. Common leading data stays, new data is
---zero, its connectivities are empty until updated.
---@param count integer
---@return basin.Primitive
function Primitive:resize(count) end

---Primitives and unions, one after the other, as one index space.
---@class basin.Union: basin.Owner
local Union = {}

---add_connectivity(name, to, indices, arity): arity indices an instance into another primitive,
---counted from 0; arity 0: rows of any length, as {{0, 1}, {2}} or {indices=, offsets=}.
---@param name string
---@param to basin.Primitive|basin.Union
---@param indices? basin.Data
---@param arity integer
---@return basin.Connectivity
function Union:add_connectivity(name, to, indices, arity) end

---The values of an expression of this primitive, as an array.
---@param value basin.Operand
---@return basin.Array
function Union:evaluate(value) end

---The mesh's name and its own: "cloth.vertices".
---@return string
function Union:full_name() end

---The members, in order.
---@return (basin.Primitive|basin.Union)[]
function Union:members() end

---Indices of every instance into another primitive.
---@class basin.Connectivity
local Connectivity = {}

---Its owner's full name and its own.
---@return string
function Connectivity:full_name() end

---Indices an instance; 0 for a variable number.
---@return integer
function Connectivity:arity() end

---The primitives it leads from and to.
---@return basin.Primitive|basin.Union
function Connectivity:from() end

---The primitive it leads to.
---@return basin.Primitive|basin.Union
function Connectivity:to() end

---JOIN: reads an expression of the target primitive at every instance named. r x c through arity
---k gives k rows of r*c; arity 1 keeps r x c.
---@param source basin.Operand
---@return basin.Expression
function Connectivity:gather(source) end

---The sum of an expression over the instances named; differentiable.
---@param source basin.Operand
---@return basin.Expression
function Connectivity:sum(source) end

---The mean of an expression over the instances named (zero where there are none); differentiable.
---@param source basin.Operand
---@return basin.Expression
function Connectivity:mean(source) end

---Replaces the indices; their number must fit the instances (resize the primitive first).
---@param indices basin.Data
---@return basin.Connectivity
function Connectivity:update(indices) end

---The indices, one instance a row; for variable arity also the offsets.
---@return basin.Array
---@return basin.Array?
function Connectivity:value() end

---The root of a scene; owns attributes shared by everything in it.
---@class basin.Scene: basin.Owner
local Scene = {}

---The empty text: names start below the scene.
---@return string
function Scene:full_name() end

---Adds a mesh: a group of primitives.
---@param name string
---@return basin.SceneMesh
function Scene:add_mesh(name) end

---Adds a scalar expression of a primitive (or mesh, or scene) to the energy. Options: projection
---("abs" by default, "clamp", "none", "adaptive"), project ("inner" or "unknowns"), targets,
---name, dynamic.
---@param value basin.Expression
---@param given? table
---@return basin.Energy
function Scene:add_energy(value, given) end

---The energy of that name; the last part of the name is enough where it is unambiguous.
---@param name string
---@return basin.Energy
function Scene:energy(name) end

---All energies, in the order they were added.
---@return basin.Energy[]
function Scene:energies() end

---Adds unknowns of the minimization: data attributes.
---@param list basin.Attribute[]
function Scene:add_minimize_target(list) end

---The unknowns, in the order they were added.
---@return basin.Attribute[]
function Scene:targets() end

---A minimizer of its own: {targets = {…}, energies = {…}}; without energies all that depend on
---the targets.
---@param given? table
---@return basin.Minimizer
function Scene:minimizer(given) end

---The minimizer of add_minimize_target's unknowns and all energies.
---@return basin.Minimizer
function Scene:main_minimizer() end

---d2E / d rows d columns of one energy as a sparse matrix; rows and columns are lists of
---attributes, columns may be constants.
---@param term basin.Energy|basin.Expression|string
---@param rows basin.Attribute[]
---@param columns basin.Attribute[]
---@return basin.Matrix
function Scene:mixed_derivative(term, rows, columns) end

---{compiled, from_disk, from_memory, seconds}: kernels so far, and the time to compile them.
---@return table
function Scene:kernel_statistics() end

---The product of two matrices on the scene's device: by cuSPARSE on a CUDA device, which pays where
---it takes many operations an entry.
---@param a basin.Matrix
---@param b basin.Matrix
---@return basin.Matrix
function Scene:multiply(a, b) end

---The device in words; for a CUDA device also whether sums may have any order.
---@return string
function Scene:device() end

---An account of one energy, or of all and of the whole system: inner variables, operations,
---kernel sizes, projection, sparsity.
---@param name? string
---@return string
function Scene:explain(name) end

---The text of one energy, or of all, at a stage: "ir", "scalar", "hoist", "frontier", "gradient",
---"hessian", "waist" and "map_out" of the compiler; "kernel" (the emitted text), "llvm", "asm" and
---"cuda" of one of its kernels, "value", "gradient", "hessian" (the default) or "compute" (what is
---computed once from constants); an architecture, "sm_90": registers, stack and spills there.
---@param stage string
---@param name? string
---@param kernel? string
---@return string
function Scene:dump(stage, name, kernel) end

---One linear solve H d = g at the present values: a direction for each target (the step is minus
---the direction) and a table of what happened.
---@param given? table
---@return basin.Array ...
function Scene:minimize_energy(given) end

---The sum of all enabled energies over all instances.
---@return number
function Scene:compute_total_energy() end

---The total and a table of energy by name.
---@return number
---@return table<string, number>
function Scene:energy_of_terms() end

---The gradient: one array for each target; of all entries, held or not. {drop_held = true}: as
---minimizing sees it, zero where entries are held.
---@param given? table
---@return basin.Array ...
function Scene:gradient(given) end

---The Hessian as a sparse matrix; {projection = "none"} overrides that of every energy. Rows are
---the entries of the targets, one target after the other, each in the order of its array: instance
---by instance, row after row. {drop_held = true}: as minimizing sees it: after the projection, rows
---and columns of held entries are those of the identity.
---@param given? table
---@return basin.Matrix
function Scene:hessian(given) end

---A solver that is used again and again: {method = "auto", "direct", "pcg" or "minres", tolerance =,
---max_iterations =}. Fields: constant (whether the compiler found the Hessian constant),
---factorizations, report (of the last solve).
---@param given? table
---@return basin.Solver
function Scene:solver(given) end

---Registers unknowns that move, for basin.simulate: {name=, unknowns=, velocities=, inertia=,
---gravity=, surface=} and the fields of add_step_hook.
---@param given table
---@return basin.Body
function Scene:add_body(given) end

---Registers what happens around steps: {name=, begin_step=, end_step=, refresh=, solved=, report=,
---filters=, planes=, surface=}. solved(state, report) may return true to minimize again; report()
---gives a line of simulate's report.
---@param given table
---@return table
function Scene:add_step_hook(given) end

---Adds c(x) = 0 for every instance: an expression that depends on data, which std.integrate's
---steppers keep. {name =, compliance =}: the inverse of a stiffness for those that know it, a number
---or a constant; 0, the default, is rigid.
---@param value basin.Expression
---@param given? table
---@return basin.Constraint
function Scene:add_constraint(value, given) end

---The constraints that were added, in order.
---@return basin.Constraint[]
function Scene:constraints() end

---The constants of motion: time_step, gravity, inertia_weight.
---@return {time_step: basin.Attribute, gravity: basin.Attribute, inertia_weight: basin.Attribute}
function Scene:motion() end

---The bodies that were added.
---@return basin.Body[]
function Scene:bodies() end

---Writes the state as .npz.
---@param path string
function Scene:save(path) end

---Reads a state back. The scene must have the name and the arrays of the one that was saved. A
---relative name is looked up in the working directory, then beside the script.
---@param path string
function Scene:restore(path) end

---A registered body.
---@class basin.Body
---@field name string
---@field unknowns {value: basin.Attribute, velocity: basin.Attribute, last: basin.Attribute, predicted: basin.Attribute}[]
---@field surface table?
---@field inertia basin.Energy
---@field gravity basin.Energy?

---A constraint: what scene:add_constraint returns.
---@class basin.Constraint
---@field name string
---@field rows integer of an instance
---@field enabled boolean
local Constraint = {}

---Its values: a block of rows an instance, zero where it holds.
---@return basin.Array
function Constraint:compute() end

---Its Jacobian by a list of stored attributes.
---@param targets basin.Attribute[]
---@return basin.Matrix
function Constraint:jacobian(targets) end

---The second derivative of weights . c by a list of stored attributes; weights: one number a row.
---With minus the forces of its rows as weights it is the geometric stiffness.
---@param weights basin.Array|number[]
---@param targets basin.Attribute[]
---@return basin.Matrix
function Constraint:hessian(weights, targets) end

---The compliance of every row; nil where the constraint is rigid.
---@return basin.Array?
function Constraint:compliances() end

---The expression it was made from.
---@return basin.Expression
function Constraint:expression() end

---Switches the constraint on (or, with false, off).
---@param on? boolean
---@return basin.Constraint
function Constraint:enable(on) end

---Switches the constraint off.
---@return basin.Constraint
function Constraint:disable() end

---A term of the energy.
---@class basin.Energy
---@field name string
---@field enabled boolean
---@field projection string
local Energy = {}

---Switches the energy on (or, with false, off) in every minimizer.
---@param on? boolean
---@return basin.Energy
function Energy:enable(on) end

---Switches the energy off.
---@return basin.Energy
function Energy:disable() end

---Its values, one an instance.
---@return basin.Array
function Energy:compute() end

---The expression it was made from.
---@return basin.Expression
function Energy:expression() end

---Unknowns, the energies that depend on them, one linear system.
---@class basin.Minimizer
local Minimizer = {}

---The energies of this minimizer, in order.
---@return basin.Energy[]
function Minimizer:energies() end

---The unknowns, in order.
---@return basin.Attribute[]
function Minimizer:targets() end

---Whether the Hessian of every enabled energy is constant: it contains no unknown.
---@return boolean
function Minimizer:is_constant() end

---The sum of all enabled energies over all instances.
---@return number
function Minimizer:compute_total_energy() end

---The total and a table of energy by name.
---@return number
---@return table<string, number>
function Minimizer:energy_of_terms() end

---The gradient: one array for each target; of all entries, held or not. {drop_held = true}: as
---minimizing sees it, zero where entries are held.
---@param given? table
---@return basin.Array ...
function Minimizer:gradient(given) end

---The Hessian as a sparse matrix; {projection = "none"} overrides that of every energy. Rows are
---the entries of the targets, one target after the other, each in the order of its array: instance
---by instance, row after row. {drop_held = true}: as minimizing sees it: after the projection, rows
---and columns of held entries are those of the identity.
---@param given? table
---@return basin.Matrix
function Minimizer:hessian(given) end

---One linear solve H d = g at the present values: a direction for each target (the step is minus
---the direction) and a table of what happened.
---@param given? table
---@return basin.Array ...
function Minimizer:minimize_energy(given) end

---A solver that is used again and again: {method = "auto", "direct", "pcg" or "minres", tolerance =,
---max_iterations =}. Fields: constant (whether the compiler found the Hessian constant),
---factorizations, report (of the last solve).
---@param given? table
---@return basin.Solver
function Minimizer:solver(given) end

---A solver used again and again.
---@class basin.Solver
---@field constant boolean whether the compiler found the Hessian constant
---@field factorizations integer
---@field report table? of the last solve
local Solver = {}

---Gradient and solve at the present values: a direction for each target. A constant Hessian is
---assembled and factorized once.
---@return basin.Array ...
function Solver:solve() end

---A frame series.
---@class basin.Output
---@field folder string
local Output = {}

---Writes the next frame at a time (by default the number of the frame). Returns its number.
---@param time? number
---@return integer
function Output:write(time) end

---Chooses the camera for the present state, unless there is one: what the first frame does.
function Output:aim() end

---The number of frames written; continue_at(n) makes the next frame number n (after a restart).
---@return integer
function Output:count() end

---Makes the next frame number n.
---@param number integer
function Output:continue_at(number) end

---What limits a step.
---@class basin.Filter
---@field name string

---How a minimization went.
---@class basin.NewtonReport
---@field reason string
---@field cause? string what ended the solve, where the reason is "barrier too weak"
---@field converged boolean
---@field interrupted boolean
---@field diverged boolean
---@field iterations integer
---@field linear_iterations integer
---@field line_search_trials integer
---@field energy number
---@field gradient_norm number
---@field direction_norm number
---@field seconds number

---How a simulation went; prints itself.
---@class basin.Report
---@field steps integer
---@field iterations integer
---@field reasons table<string, integer>
---@field seconds number
---@field interrupted boolean

---How a derivative check went; prints itself.
---@class basin.CheckReport
---@field passed boolean
---@field terms {name: string, passed: boolean, gradient: number, hessian: number}[]

---@class basin.module
---@field version string
---@field settings table<string, any> values of --set
local basin = {}

---A + b, entry by entry; a scalar is added to every entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.add(a, b) end

---A - b, entry by entry; a scalar goes with every entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.sub(a, b) end

---A * b: scaling if one is a scalar, else the matrix product.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.mul(a, b) end

---A / b with a scalar b.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.div(a, b) end

---Product of entries.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.hadamard(a, b) end

---Quotient of entries.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.element_div(a, b) end

---Matrix product.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.matmul(a, b) end

---Outer product of two vectors, len(a) x len(b).
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.outer(a, b) end

---Kronecker product.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.kron(a, b) end

---Transpose.
---@param a basin.Operand
---@return basin.Expression
function basin.transpose(a) end

---Entry i in storage order, row after row.
---@param a basin.Operand
---@param i integer
---@return basin.Expression
function basin.entry(a, i) end

---Sum of the products of entries.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.dot(a, b) end

---Cross product of 3-vectors; of 2-vectors a scalar.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.cross(a, b) end

---Square root of the sum of the squared entries; its derivative is 0 at 0.
---@param a basin.Operand
---@return basin.Expression
function basin.norm(a) end

---Sum of the squared entries.
---@param a basin.Operand
---@return basin.Expression
function basin.squared_norm(a) end

---Divided by its norm; zero stays zero.
---@param a basin.Operand
---@return basin.Expression
function basin.normalized(a) end

---Sum of the entries.
---@param a basin.Operand
---@return basin.Expression
function basin.sum(a) end

---Sum of the diagonal.
---@param a basin.Operand
---@return basin.Expression
function basin.trace(a) end

---Determinant, up to 4 x 4.
---@param a basin.Operand
---@return basin.Expression
function basin.det(a) end

---Inverse, up to 4 x 4.
---@param a basin.Operand
---@return basin.Expression
function basin.inverse(a) end

----a, entry by entry.
---@param a basin.Operand
---@return basin.Expression
function basin.neg(a) end

---Absolute value of each entry; its derivative is 0 at 0.
---@param a basin.Operand
---@return basin.Expression
function basin.abs(a) end

----1, 0 or 1.
---@param a basin.Operand
---@return basin.Expression
function basin.sign(a) end

---Square root of each entry; its derivative is 0 at 0.
---@param a basin.Operand
---@return basin.Expression
function basin.sqrt(a) end

---Exponential of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.exp(a) end

---Exp(a) - 1 without cancellation.
---@param a basin.Operand
---@return basin.Expression
function basin.expm1(a) end

---Natural logarithm of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.log(a) end

---Log(1 + a) without cancellation.
---@param a basin.Operand
---@return basin.Expression
function basin.log1p(a) end

---Sine of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.sin(a) end

---Cosine of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.cos(a) end

---Tangent of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.tan(a) end

---Arc sine of each entry; its derivative is 0 at -1 and 1.
---@param a basin.Operand
---@return basin.Expression
function basin.asin(a) end

---Arc cosine of each entry; its derivative is 0 at -1 and 1.
---@param a basin.Operand
---@return basin.Expression
function basin.acos(a) end

---Arc tangent of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.atan(a) end

---Hyperbolic sine of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.sinh(a) end

---Hyperbolic cosine of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.cosh(a) end

---Hyperbolic tangent of each entry.
---@param a basin.Operand
---@return basin.Expression
function basin.tanh(a) end

---Angle of the point (b, a); its derivative is 0 at the origin.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.atan2(a, b) end

---A ^ b, entry by entry; small literal exponents become products.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.pow(a, b) end

---A * log(b), and 0 where a is 0.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.xlogy(a, b) end

---Smaller entry; at a tie the derivative is that of a.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.min(a, b) end

---Larger entry; at a tie the derivative is that of a.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.max(a, b) end

---Min(max(a, low), high).
---@param a basin.Operand
---@param low basin.Operand
---@param high basin.Operand
---@return basin.Expression
function basin.clamp(a, low, high) end

---A < b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.lt(a, b) end

---A <= b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.le(a, b) end

---A > b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.gt(a, b) end

---A >= b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.ge(a, b) end

---A == b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.eq(a, b) end

---A != b, entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.ne(a, b) end

---Both are true (not zero), entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.logical_and(a, b) end

---One is true (not zero), entry by entry.
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.logical_or(a, b) end

---Is zero, entry by entry.
---@param a basin.Operand
---@return basin.Expression
function basin.logical_not(a) end

---Every entry is true (not zero).
---@param a basin.Operand
---@return basin.Expression
function basin.all(a) end

---Some entry is true (not zero).
---@param a basin.Operand
---@return basin.Expression
function basin.any(a) end

---The value with derivative zero.
---@param a basin.Operand
---@return basin.Expression
function basin.stop(a) end

---Rotation of the polar decomposition, 2 x 2 or 3 x 3.
---@param a basin.Operand
---@return basin.Expression
function basin.polar(a) end

---Left rotation of the singular value decomposition, 2 x 2 or 3 x 3.
---@param a basin.Operand
---@return basin.Expression
function basin.svd_u(a) end

---Singular values, descending; the last carries the sign of the determinant.
---@param a basin.Operand
---@return basin.Expression
function basin.svd_s(a) end

---Right rotation of the singular value decomposition, 2 x 2 or 3 x 3.
---@param a basin.Operand
---@return basin.Expression
function basin.svd_v(a) end

---Eigenvalues of a symmetric 2 x 2 or 3 x 3 matrix, ascending.
---@param a basin.Operand
---@return basin.Expression
function basin.eig_values(a) end

---Eigenvectors of a symmetric 2 x 2 or 3 x 3 matrix as columns.
---@param a basin.Operand
---@return basin.Expression
function basin.eig_vectors(a) end

---Row i, counted from 1, as a 1 x cols matrix.
---@param a basin.Operand
---@param i integer
---@return basin.Expression
function basin.row(a, i) end

---Column j, counted from 1, as a rows x 1 matrix.
---@param a basin.Operand
---@param j integer
---@return basin.Expression
function basin.col(a, j) end

---Entry i of a vector, or entry (i, j) of a matrix, counted from 1.
---@param a basin.Operand
---@param i integer
---@param j? integer
---@return basin.Expression
function basin.at(a, i, j) end

---The same entries, row after row, in another shape.
---@param a basin.Operand
---@param rows integer
---@param cols? integer
---@return basin.Expression
function basin.reshape(a, rows, cols) end

---a where the condition is true, else b; the branch not taken never matters.
---@param condition basin.Operand
---@param a basin.Operand
---@param b basin.Operand
---@return basin.Expression
function basin.where(condition, a, b) end

---The singular value decomposition U diag(S) V^T of a 2x2 or 3x3 matrix.
---@param a basin.Operand
---@return basin.Expression
---@return basin.Expression
---@return basin.Expression
function basin.svd(a) end

---Eigenvalues (ascending) and eigenvectors (columns) of a symmetric 2x2 or 3x3 matrix.
---@param a basin.Operand
---@return basin.Expression
---@return basin.Expression
function basin.eig(a) end

---A column vector of numbers and scalar expressions.
---@param list basin.Operand[]
---@return basin.Expression
function basin.vector(list) end

---A matrix from rows of numbers and scalar expressions: {{a, b}, {c, d}}.
---@param rows basin.Operand[][]
---@return basin.Expression
function basin.matrix(rows) end

---The identity matrix of n rows.
---@param n integer
---@return basin.Expression
function basin.identity(n) end

---A matrix of zeros.
---@param rows integer
---@param cols? integer
---@return basin.Expression
function basin.zeros(rows, cols) end

---A diagonal matrix.
---@param list basin.Operand[]
---@return basin.Expression
function basin.diagonal(list) end

---Vectors of equal length as the columns of a matrix.
---@param list basin.Operand[]
---@return basin.Expression
function basin.columns(list) end

---Vectors of equal length as the rows of a matrix.
---@param list basin.Operand[]
---@return basin.Expression
function basin.rows(list) end

---Matrices of equal width, one below the other.
---@param list basin.Operand[]
---@return basin.Expression
function basin.concat_rows(list) end

---Matrices of equal height, side by side.
---@param list basin.Operand[]
---@return basin.Expression
function basin.concat_cols(list) end

---A value with derivatives of your own: custom(value, {arguments}, {derivatives}); derivative i
---has (size of value) x (size of argument i) entries.
---@param value basin.Operand
---@param arguments basin.Operand[]
---@param derivatives basin.Operand[]
---@return basin.Expression
function basin.custom(value, arguments, derivatives) end

---Makes a scene. Options: device ("auto", "cpu", "cpu:interp", "cuda", "cuda:N"), precision
---("double", "float"), threads, deterministic (true; false: on a CUDA device sums may have any
---order, which changes the last digits from run to run).
---@param name string
---@param given? table
---@return basin.Scene
function basin.scene(name, given) end

---Options: folder, name, frames ("vtu", "ply", "obj" or a list), pictures ("png"), positions (an
---expression), triangles, edges, tets (indices into it), labels (one a point, colours of the
---pictures), planes, camera, width, height, fields {name = expression}.
---@param given table
---@return basin.Output
function basin.output(given) end

---Rows of neighbours from edges: adjacency{edges = …, count = …} gives {indices=, offsets=} for a
---connectivity of arity 0.
---@param given table
---@return {indices: basin.Array, offsets: basin.Array}
function basin.adjacency(given) end

---The Jacobian of an expression by stored attributes: rows are the entries of all instances,
---columns those of the attributes, each instance by instance, row after row.
---@param value? basin.Expression
---@param targets basin.Attribute[]
---@return basin.Matrix
function basin.jacobian(value, targets) end

---Checks every energy at the present values and at a disturbed state; the values are put back.
---Options: tolerance (relative to the largest entry), energies (a list). The report has passed,
---terms and prints itself.
---@param scene basin.Scene
---@param given? table
---@return basin.CheckReport
function basin.check(scene, given) end

---basin.newton(scene or minimizer, {rule=, tolerance=, step_scale=, max_iterations=,
---line_search_limit=, sufficient_decrease=, linear=, filters=, refresh=, monitor=}): returns a
---report; report.converged and report.reason say how it ended.
---@param target basin.Scene|basin.Minimizer
---@param given? table
---@return basin.NewtonReport
function basin.newton(target, given) end

---basin.minimize(scene or minimizer, {method=, rule=, tolerance=, step_scale=, max_iterations=,
---line_search_limit=, sufficient_decrease=, curvature=, memory=, fixed_scale=, filters=, refresh=,
---monitor=}): minimizes from the present values; returns a report as basin.newton does. Methods:
---"lbfgs" (the default), "bfgs", "dfp", "gradient_descent", "fletcher_reeves", "polak_ribiere",
---"hestenes_stiefel", "dai_yuan"; "newton" takes the options of basin.newton.
---@param target basin.Scene|basin.Minimizer
---@param given? table
---@return basin.NewtonReport
function basin.minimize(target, given) end

---basin.simulate(scene, {dt=, steps=, gravity=, integrator=, newmark={…}, newton={…},
---solve={method=, …}, output={…}, checkpoint={file=, every=}, restart=, on_step=, log=,
---progress=}). `solve` takes the options of basin.minimize in the place of `newton`. In a host
---program, and under `basin check`, it only records what was asked.
---@param scene basin.Scene
---@param given table
---@return basin.Report
function basin.simulate(scene, given) end

---The setting of that name, or a default; its type must be the default's.
---@param key string
---@param default? any
---@return any
function basin.setting(key, default) end

---Whether a value is an expression (attributes are).
---@param value? any
---@return boolean
function basin.is_expression(value) end

---Options of the context that meshes, matrices and scenes share; only before its first use:
---{threads=, device=, log=, cache_folder=}.
---@param given table
function basin.configure(given) end

---The options in effect: {options = {{name=, value=, from=}, …}, settings = {{name=, value=}, …},
---environment = {{name=, value=, does=}, …}}; tostring() gives a table. The context is in use
---afterwards: basin.configure comes before.
---@return table
function basin.config() end

---pairs() in the order of the keys: numbers, then texts.
---@param list table
---@return fun(): any, any
function basin.sorted(list) end

---A description of a value: its type, fields and methods.
---@param value? any
---@return string
function basin.help(value) end

---@class basin.module.array
basin.array = {}

---An array from a table of numbers, of vectors or of matrices; rows and cols regroup the numbers.
---@param value basin.Data
---@param shape? table
---@return basin.Array
function basin.array.from(value, shape) end

---count instances of one value (a number or one instance's table).
---@param count integer
---@param value basin.Data
---@return basin.Array
function basin.array.filled(count, value) end

---count instances of zero.
---@param count integer
---@param shape? table
---@return basin.Array
function basin.array.zeros(count, shape) end

---first, first + step, …: count numbers.
---@param first number
---@param count integer
---@param step? number
---@return basin.Array
function basin.array.range(first, count, step) end

---count equally spaced points from one to the other, both included.
---@param from basin.Data
---@param to basin.Data
---@param count integer
---@return basin.Array
function basin.array.line(from, to, count) end

---The index pairs {0, 1}, {1, 2}, … of a chain of count points.
---@param count integer
---@return basin.Array
function basin.array.chain(count) end

---Each label repeated count times: labels{{count, label}, …}.
---@param list basin.Data[]
---@return basin.Array
function basin.array.labels(list) end

---Arrays of equal shape, one after the other.
---@param list basin.Data[]
---@return basin.Array
function basin.array.joined(list) end

---Whether a value is an array.
---@param value any
---@return boolean
function basin.array.is(value) end

---@class basin.module.mesh
basin.mesh = {}

---Reads OBJ, PLY, STL, MSH, MEDIT, VTK or VTU. A relative name is looked up in the working
---directory, then beside the script. Options: keep_quads, keep_orientation, weld, weld_tolerance.
---@param path string
---@param given? table
---@return basin.Mesh
function basin.mesh.read(path, given) end

---A mesh from data: {points = …, tets = …, triangles = …, quads = …, edges = …, vertices = …, dim
---= 3}.
---@param given table
---@return basin.Mesh
function basin.mesh.new(given) end

---A rectangle of nx x ny points around the origin, two triangles a cell; groups bottom, top,
---left, right and the four corners. plane = "xy" (upright) or, in space, "xz" (lying, top at -z).
---@param given table
---@return basin.Mesh
function basin.mesh.grid(given) end

---A box of nx x ny x nz cells around the origin: tetrahedra, or with surface = true its
---triangles.
---@param given? table
---@return basin.Mesh
function basin.mesh.box(given) end

---A sphere around the origin: an icosphere of 20 * 4^level triangles, with layers > 0 filled with
---tetrahedra.
---@param given? table
---@return basin.Mesh
function basin.mesh.sphere(given) end

---A sphere with poles along y: segments around, rings from pole to pole.
---@param given? table
---@return basin.Mesh
function basin.mesh.globe(given) end

---count equally spaced points and the edges between them: {from = {…}, to = {…}, count = n}.
---@param given table
---@return basin.Mesh
function basin.mesh.line(given) end

---One mesh of several, in order; indices shift.
---@param list basin.Mesh[]
---@return basin.Mesh
function basin.mesh.joined(list) end

---Whether a value is a mesh.
---@param value any
---@return boolean
function basin.mesh.is(value) end

---@class basin.module.filter
basin.filter = {}

---Keeps positions on the positive side of the plane normal . x = offset.
---@param given table
---@return basin.Filter
function basin.filter.plane(given) end

---Keeps the signed volumes of simplices (tets in space, triangles in the plane) from changing
---sign.
---@param given table
---@return basin.Filter
function basin.filter.inversion(given) end

---Gives computed positions of filters the map by which directions reach them.
---@param list basin.Data[]
---@param minimizer any
---@return basin.Filter
function basin.filter.prepare(list, minimizer) end

---@class basin.module.contact
basin.contact = {}

---What finds close pairs: {positions = attribute or array, triangles=, edges=, points=, body = a number
---a vertex (0: may touch itself), table = body x body of true and false, thickness = number or one a
---body, planes = {{normal=, offset=}}, plane_bodies = true or false a body, rest_positions = for the
---mollifier of parallel edges, pairs = {point_point = connectivity, …} filled by detect, weights = a
---number a pair of bodies with one more column for planes, which the constant `weight` has times the
---multiplicity (of vertices in several bodies the mean over the vertex pairs across), pair_limit=}.
---Constants of a pair primitive named multiplicity, weight, separation, threshold, plane (4 numbers)
---are filled, too; without the first two every pair is there as often as its multiplicity says.
---Edges and triangles may be degenerate (name a vertex twice): they are what their vertices span.
---@param given table
---@return basin.ContactDetector
function basin.contact.detector(given) end

---Distance of one pair {kind=, points=}: {squared_distance=, coefficients=, vertices=}. The
---closest vector is the sum of coefficients times points; vertices names the closest features.
---@param given table
---@return table
function basin.contact.distance(given) end

---Time of one pair that moves along straight lines: {kind=, from=, to=, thickness=, limit=,
---slackness=, method=}. Returns the largest safe time, and whether contact ended it. With method =
---"additive" that of plain additive advancement, and as a third result the times it stopped at.
---With turns = {{centre=, axis=, angle=} or false, one a point} instead of `to` the points move
---along arcs: by `angle` (rad) over the time 1.
---@param given table
---@return number
---@return boolean
---@return number[]?
function basin.contact.time(given) end

---How two surfaces cross (meshes, or {points =, triangles =}): {points =, pairs =, edges_a =,
---edges_b =, loops =, length =}. points: where edges of a go through triangles of b, then edges of
---b through a; edges_a, edges_b: rows of two vertices and the other surface's triangle for each of
---them; pairs: rows of a triangle of a and one of b that cross; loops: lists of points in order,
---from 0, whose field `closed` says whether the last leads to the first; length: of all loops.
---@param a basin.Mesh|table
---@param b basin.Mesh|table
---@return table
function basin.contact.crossings(a, b) end

---How often a surface winds around each of some points: 1 inside of a closed surface whose
---triangles look outwards, 0 outside, between the two where it is open.
---@param surface basin.Mesh|table
---@param points basin.Data
---@return basin.Array
function basin.contact.winding(surface, points) end

---How far each ray goes to the surface, in lengths of its direction; infinite where it misses.
---@param surface basin.Mesh|table
---@param origins basin.Data
---@param directions basin.Data
---@return basin.Array
function basin.contact.rays(surface, origins, directions) end

---Whether a segment of two points and a triangle have a point in common; exact.
---@param segment basin.Data
---@param triangle basin.Data
---@return boolean
function basin.contact.meets(segment, triangle) end

---@class basin.module.sparse
basin.sparse = {}

---From triplets, counted from 0; entries at equal places are added: {rows=, columns=, i = {…}, j
---= {…}, values = {…}}.
---@param given table
---@return basin.Matrix
function basin.sparse.new(given) end

---From rows of numbers; zeros are left out.
---@param rows any
---@return basin.Matrix
function basin.sparse.from(rows) end

---The identity (or a multiple of it) of n rows.
---@param n integer
---@param value basin.Data
---@return basin.Matrix
function basin.sparse.identity(n, value) end

---A diagonal matrix.
---@param values basin.Data
---@return basin.Matrix
function basin.sparse.diagonal(values) end

---A matrix without entries.
---@param rows any
---@param columns integer
---@return basin.Matrix
function basin.sparse.zero(rows, columns) end

---Matrices side by side and one below the other; false is a zero block: blocks{{A, B}, {C,
---false}}.
---@param rows any
---@return basin.Matrix
function basin.sparse.blocks(rows) end

---Columns side by side: arrays of one number a row (or of more: a column each), sparse matrices.
---@param list table
---@return basin.Matrix
function basin.sparse.columns(list) end

---Eigenvalues (ascending) and eigenvectors (a column each) of A x = lambda M x among the x with
---C x = 0, and how they were found: {mass = M, count = 6 or all, near = shift, constraints = C, cut =
---1e-10, tolerance =, max_iterations = 1000, basis =}. Without near the lowest. The vectors are orthonormal
---in the mass, which must be positive definite; their largest component is positive. Up to 256
---unknowns by dense methods, beyond by ARPACK.
---@param matrix basin.Matrix
---@param given? table
---@return basin.Array
---@return basin.Array
---@return {method: string, iterations: integer, solves: integer, shift: number}
function basin.sparse.eigen(matrix, given) end

---The system H x + C^T y = b, C x = c, factorized. {cut = 1e-10, compliance =, kind =}. Rows that
---depend on others, by pivoted QR with entries up to cut times the largest taken for zero, are
---dropped. With compliance E, a number, a number a constraint or a matrix, C x - E y = c.
---@param matrix basin.Matrix
---@param constraints basin.Matrix
---@param given? table
---@return basin.Saddle
function basin.sparse.kkt(matrix, constraints, given) end

---The projection on the directions that constraints C leave free, by singular values of C; those up
---to cut times the largest are taken for zero: {cut = 1e-10, keep =}. keep: no more than so many.
---@param constraints basin.Matrix
---@param given? table
---@return basin.Projection
function basin.sparse.projection(constraints, given) end

---Unknowns x = offset + basis z.
---@param basis basin.Matrix
---@param offset? basin.Data
---@return basin.Subspace
function basin.sparse.subspace(basis, offset) end

---Conjugate gradients for a positive definite A, a matrix or a function of a vector: {tolerance =
---1e-10 of |b|, max_iterations =, preconditioner =, start =}. The preconditioner is a matrix or a
---function too. Returns x and {converged =, iterations =, residuals = {…}, status =}.
---@param a basin.Matrix|function
---@param b basin.Data
---@param given? table
---@return basin.Array
---@return table
function basin.sparse.cg(a, b, given) end

---The x that minimizes |A x - b|^2 + ridge |x|^2, and b - A x: {ridge = 0}.
---@param matrix basin.Matrix
---@param b basin.Data
---@param given? table
---@return basin.Array
---@return basin.Array
function basin.sparse.least_squares(matrix, b, given) end

---Whether a value is a sparse matrix.
---@param value any
---@return boolean
function basin.sparse.is(value) end

---Dense matrices are arrays of one row an instance; rows of numbers and sparse matrices are taken,
---too. Up to 48 rows or columns, whichever are fewer, are done by methods of Basin's own, larger ones
---by LAPACK.
---@class basin.module.dense
basin.dense = {}

---Eigenvalues (ascending) and eigenvectors (a column each) of a symmetric matrix: A x = lambda M x
---with {mass = M}.
---@param a any
---@param given? table
---@return basin.Array
---@return basin.Array
function basin.dense.eigen(a, given) end

---U, singular values (descending) and V of A = U diag(s) V^T; {full = true} completes U and V.
---@param a any
---@param given? table
---@return basin.Array
---@return basin.Array
---@return basin.Array
function basin.dense.svd(a, given) end

---Q, R and, with {pivot = true}, the order of the columns from 0: A P = Q R; {full = true} completes
---Q.
---@param a any
---@param given? table
---@return basin.Array
---@return basin.Array
---@return basin.Array?
function basin.dense.qr(a, given) end

---A B.
---@param a any
---@param b any
---@return basin.Array
function basin.dense.multiply(a, b) end

---The transpose.
---@param a any
---@return basin.Array
function basin.dense.transpose(a) end

---How many singular values are above cut = 1e-10 times the largest.
---@param a any
---@param given? table
---@return integer
function basin.dense.rank(a, given) end

---The smallest x among those that minimize |A x - b|, for each column of b, and the rank: singular
---values up to cut = 1e-10 times the largest are taken for zero.
---@param a any
---@param b any
---@param given? table
---@return basin.Array
---@return integer
function basin.dense.least_squares(a, b, given) end

---@class basin.module.quasi_newton
basin.quasi_newton = {}

---The approximate inverse Hessian H after a BFGS update by a step s and the change of gradient y
---along it, s·y > 0. H: n rows of n numbers, symmetric; the result is an array of them.
---@param H basin.Data
---@param s basin.Data
---@param y basin.Data
---@return basin.Array
function basin.quasi_newton.inverse_bfgs(H, s, y) end

---The same by the update of Davidon, Fletcher and Powell.
---@param H basin.Data
---@param s basin.Data
---@param y basin.Data
---@return basin.Array
function basin.quasi_newton.inverse_dfp(H, s, y) end

---An approximate Hessian B after a BFGS update.
---@param B basin.Data
---@param s basin.Data
---@param y basin.Data
---@return basin.Array
function basin.quasi_newton.direct_bfgs(B, s, y) end

---H g, where H is what BFGS updates by the rows of S and Y, the oldest first, make of a multiple of
---the identity: by default s·y / y·y of the newest pair, and 1 if there is none.
---@param S basin.Data
---@param Y basin.Data
---@param g basin.Data
---@param scale? number
---@return basin.Array
function basin.quasi_newton.two_loop(S, Y, g, scale) end

---The coefficient b of the next direction -g + b d of conjugate gradients by "fletcher_reeves",
---"polak_ribiere", "hestenes_stiefel" or "dai_yuan", after a step along d from where the gradient
---was g_old. It may be negative; basin.minimize then takes 0.
---@param method string
---@param g basin.Data
---@param g_old basin.Data
---@param d basin.Data
---@return number
function basin.quasi_newton.coefficient(method, g, g_old, d) end

return basin
