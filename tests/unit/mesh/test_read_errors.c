/* Tests of what the mesh readers refuse: the message names file, place and what was expected;
 * nothing is leaked or allocated from a lie. SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

typedef struct bad_case {
  const char *name, *text, *message; /* message: how it begins or, after '*', what it contains */
  basin_status status;
} bad_case;

#define MSH4   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH2   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 MSH2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
#define PLY                                                                                      \
  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float " \
  "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define MEDIT "MeshVersionFormatted 2\nDimension 3\nVertices\n2\n0 0 0 0\n1 0 0 0\n"
#define VTK                                                                                       \
  "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 " \
  "0 1 0\n"
#define VTU(counts, points, connectivity, offsets, types)                                          \
  "<VTKFile type=\"UnstructuredGrid\">\n<Piece " counts                                            \
  ">\n<Points><DataArray type=\"Float32\" format=\"ascii\">" points "</DataArray></Points><Cells>" \
  "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" connectivity                 \
  "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" offsets               \
  "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" types                   \
  "</DataArray></Cells></Piece></VTKFile>"

static const bad_case bad_cases[] = {
    {"a.xyz",
     "1 2 3",
     "a.xyz: neither contents nor extension name a known mesh format",
     BASIN_ERROR_UNSUPPORTED},
    {"a.obj", "", "a.obj:1: expected vertices ('v x y z'), found none", BASIN_ERROR_FORMAT},
    {"a.obj",
     "v 0 0 0\nv 1 0\n",
     "a.obj:2: expected the z coordinate of a vertex, found the end of the file",
     BASIN_ERROR_FORMAT},
    {"a.obj",
     "v 0 0 0\nv 1 0 x\n",
     "a.obj:2: expected the z coordinate of a vertex, found 'x'",
     BASIN_ERROR_FORMAT},
    {"a.obj",
     "v 0 0 0\nv 1 nan 0\n",
     "a.obj:2: coordinate y of vertex 1 is nan",
     BASIN_ERROR_NOT_FINITE},
    {"a.obj",
     "v 0 0 0\nv 1 0 1e999\n",
     "a.obj:2: coordinate z of vertex 1 is inf",
     BASIN_ERROR_NOT_FINITE},
    {"a.obj",
     "v 0 0 0\nf 1 1\n",
     "a.obj:2: expected 3 or more corners of a face, found 2",
     BASIN_ERROR_FORMAT},
    {"a.obj",
     "v 0 0 0\n\nf 1 1 2\n",
     "a.obj:3: vertex 2 does not exist: 1 vertices so far",
     BASIN_ERROR_FORMAT},
    {"a.obj", "v 0 0 0\nf 0 1 1\n", "a.obj:2: vertex 0 does not exist", BASIN_ERROR_FORMAT},
    {"a.obj", "v 0 0 0\nf -2 1 1\n", "a.obj:2: vertex -2 does not exist", BASIN_ERROR_FORMAT},
    {"a.obj",
     "v 0 0 0\nf 99999999999999999999 1 1\n",
     "a.obj:2: expected a vertex number",
     BASIN_ERROR_FORMAT},
    {"a.obj", "v 0 0 0\nf / 1 1\n", "a.obj:2: expected a vertex number", BASIN_ERROR_FORMAT},
    {"a.ply", "plain\n", "a.ply:1: expected 'ply' as the first line", BASIN_ERROR_FORMAT},
    {"a.ply",
     "ply\nformat ascii 1.0\n",
     "*expected 'end_header', found the end of the file",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     "ply\nformat binary 1.0\n",
     "a.ply:2: expected ascii, binary_little_endian or binary_big_endian, found 'binary'",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     "ply\nelement vertex -3\n",
     "a.ply:2: expected the number of elements from 0 to",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     "ply\nelement vertex 3\nproperty real x\n",
     "a.ply:3: expected a type",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float "
     "y\nend_header\n0 0\n",
     "*4000000000 elements announced, but only 4 bytes follow",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     PLY "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
     "*corner 2 of cell 0 of the triangles is point 3 of 3",
     BASIN_ERROR_RANGE},
    {"a.ply",
     PLY "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
     "a.ply:13: expected a vertex number, found -1",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     PLY "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n",
     "a.ply:13: expected a vertex number, found 1.5",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     PLY "0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
     "*expected 3 or more corners of a face, found 2",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     PLY "0 0 0\n1 0 0\n0 1 0\n99999999 0 1\n",
     "*expected the length of a list",
     BASIN_ERROR_FORMAT},
    {"a.ply",
     PLY "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n",
     "a.ply:11: coordinate z of vertex 1 is nan",
     BASIN_ERROR_NOT_FINITE},
    {"a.ply",
     "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double x\nproperty double "
     "y\nend_header\n0123456789abcdef01234567",
     "a.ply: byte 124: expected 8 bytes of a property value, found 0",
     BASIN_ERROR_FORMAT},
    {"a.stl", "", "a.stl:1: expected 'solid', or a binary header of 84 bytes", BASIN_ERROR_FORMAT},
    {"a.stl",
     "solid x\nfacet normal 0 0 1\nouter lop\n",
     "a.stl:3: expected loop, found 'lop'",
     BASIN_ERROR_FORMAT},
    {"a.stl",
     "solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 0 0",
     "a.stl:2: expected a coordinate of a vertex, found the end of the file",
     BASIN_ERROR_FORMAT},
    {"a.stl",
     "solid x\n",
     "a.stl:2: expected 'facet' or 'endsolid', found the end of the file",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     "$MeshFormat\n1.0 0 8\n",
     "a.msh:2: version 1 of the format is not supported: 2.2 and 4.1 are",
     BASIN_ERROR_UNSUPPORTED},
    {"a.msh",
     "$MeshFormat\n4.1 0 4\n",
     "a.msh:2: numbers of 4 bytes are not supported",
     BASIN_ERROR_UNSUPPORTED},
    {"a.msh",
     "$MeshFormat\n4.1 1 8\n\1\1\1\1",
     "a.msh: byte 24: expected the number 1 as byte order mark",
     BASIN_ERROR_FORMAT},
    {"a.msh", MSH4, "*expected a section $Nodes, found the end of the file", BASIN_ERROR_FORMAT},
    {"a.msh", MSH4 "$Elements\n", "a.msh:4: expected $Nodes before $Elements", BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH4 "$Nodes\n1 1000000000000 1 1\n",
     "*1000000000000 nodes announced, but only",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH4 "$Nodes\n1 1 1 1\n7 0 0 1\n",
     "a.msh:6: expected a dimension from 0 to 3",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH4 "$Nodes\n1 3 1 3\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
     "*3 nodes announced, 2 found",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH4 "$Nodes\n1 2 1 1\n3 1 0 2\n1\n1\n0 0 0\n1 0 0\n",
     "*node 1 appears twice",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH2 "$Nodes\n1\n1 0 0\n$EndNodes\n",
     "a.msh:7: expected a coordinate of a node, found '$EndNodes'",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH2 "$Nodes\n1\n1 0 0 -inf\n",
     "a.msh:6: coordinate z of vertex 0 is -inf",
     BASIN_ERROR_NOT_FINITE},
    {"a.msh",
     MSH2 "$Nodes\n-1\n",
     "a.msh:5: expected the number of nodes from 0 to",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     NODES2 "$Elements\n1\n1 2 2 1 1 1 2 9\n",
     "a.msh:12: expected the tag of a node of the file, found 9",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     NODES2 "$Elements\n1\n1 5 2 1 1 1 2 3\n",
     "a.msh:12: element type 5 is not supported",
     BASIN_ERROR_UNSUPPORTED},
    {"a.msh",
     NODES2 "$Elements\n2\n1 2 2 1 1 1 2 3\n$EndElements\n",
     "a.msh:13: expected the number of an element, found '$EndElements'",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     NODES2 "$Elements\n1\n1 2 99999 1 1 1 2 3\n",
     "a.msh:12: expected a number of tags from 0 to 1000",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     NODES2 "$Periodic\n",
     "*expected $EndPeriodic before the end of the file",
     BASIN_ERROR_FORMAT},
    {"a.msh",
     MSH2 "$PhysicalNames\n1\n2 1 floor\n",
     "a.msh:6: expected a name in double quotes, found 'floor'",
     BASIN_ERROR_FORMAT},
    {"a.mesh",
     "MeshVersionFormatted 2\nVertices\n",
     "a.mesh:2: expected Dimension before Vertices",
     BASIN_ERROR_FORMAT},
    {"a.mesh",
     MEDIT "Edges\n1\n1 3 0\nEnd\n",
     "a.mesh:9: expected a vertex number from 0 to 2, found 3",
     BASIN_ERROR_FORMAT},
    {"a.mesh",
     MEDIT "Edges\n1\n0 1 0\nEnd\n",
     "a.mesh:9: expected a vertex number from 1, found 0",
     BASIN_ERROR_FORMAT},
    {"a.mesh",
     MEDIT "Hexahedra\n1\n",
     "a.mesh:7: Hexahedra are not supported",
     BASIN_ERROR_UNSUPPORTED},
    {"a.mesh", MEDIT, "a.mesh:7: expected End, found the end of the file", BASIN_ERROR_FORMAT},
    {"a.mesh",
     "MeshVersionFormatted 2\nDimension 3\nVertices\n123456789\n0 0 0 0\n",
     "*123456789 vertices announced, but only 9 bytes follow",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     "# vtk DataFile Version 3.0\nt\nTEXT\n",
     "a.vtk:3: expected ASCII or BINARY, found 'TEXT'",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET RECTILINEAR_GRID\n",
     "a.vtk:4: expected UNSTRUCTURED_GRID or POLYDATA",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     VTK "CELLS 1 4\n4 0 1 2\n",
     "*expected 1 cells, found the numbers of 0",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     VTK "CELLS 1 4\n3 0 1 -2\n",
     "a.vtk:8: expected an index, found -2",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     VTK "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n",
     "*expected 1 cell types, found 2",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     VTK "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n12\n",
     "a.vtk:10: cell type 12 is not supported",
     BASIN_ERROR_UNSUPPORTED},
    {"a.vtk",
     VTK "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n",
     "a.vtk:10: expected 4 corners of a cell, found 3",
     BASIN_ERROR_FORMAT},
    {"a.vtk",
     VTK "CELLS 1 4\n3 0 1 5\nCELL_TYPES 1\n5\n",
     "*corner 2 of cell 0 of the triangles is point 5 of 3",
     BASIN_ERROR_RANGE},
    {"a.vtk",
     VTK "POLYGONS 1 4\n",
     "a.vtk:7: expected POINTS, CELLS or CELL_TYPES, found 'POLYGONS'",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     "<VTKFile type=\"PolyData\">",
     "a.vtu:1: expected a VTKFile of type UnstructuredGrid",
     BASIN_ERROR_UNSUPPORTED},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"",
     "*expected the end of a tag",
     BASIN_ERROR_FORMAT},
    {"a.vtu", "<other/>", "*expected <VTKFile", BASIN_ERROR_FORMAT},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZMADataCompressor\">",
     "*vtkLZMADataCompressor is not supported",
     BASIN_ERROR_UNSUPPORTED},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"1\">",
     "a.vtu:2: expected the attribute NumberOfCells of <Piece>",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     VTU("NumberOfPoints=\"2\" NumberOfCells=\"0\"", "0 0 0", "", "", ""),
     "a.vtu:3: expected 3 x 2 coordinates in <Points>, found 3",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     VTU("NumberOfPoints=\"1\" NumberOfCells=\"1\"", "0 0 0", "0", "1", ""),
     "*expected 1 offsets and types in <Cells>, found 1 and 0",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     VTU("NumberOfPoints=\"1\" NumberOfCells=\"1\"", "0 0 0", "1", "1", "1"),
     "*expected a point from 0 to 0 in connectivity, found 1",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     VTU("NumberOfPoints=\"1\" NumberOfCells=\"1\"", "0 0 0", "0", "2", "1"),
     "*expected an ascending offset up to 1, found 2",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     VTU("NumberOfPoints=\"1\" NumberOfCells=\"1\"", "0 0 inf", "0", "1", "1"),
     "*coordinate z of vertex 0 is inf",
     BASIN_ERROR_NOT_FINITE},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"1\" "
     "NumberOfCells=\"0\"><Points><DataArray type=\"Float32\" "
     "format=\"binary\">AP///w==</DataArray>",
     "*the size in the header is too large",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"1\" "
     "NumberOfCells=\"0\"><Points><DataArray type=\"Float32\" format=\"binary\">****</DataArray>",
     "*expected base64 data",
     BASIN_ERROR_FORMAT},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"1\" "
     "NumberOfCells=\"0\"><Points><DataArray type=\"Float32\" format=\"appended\" offset=\"0\"/>",
     "*expected <AppendedData>",
     BASIN_ERROR_FORMAT},
};

static bool check_bad(basin_context *context, const bad_case *c, size_t size)
{
  basin_mesh *mesh;
  const basin_status status = basin_mesh_read_memory(context, c->name, c->text, size, NULL, &mesh);
  assert_null(mesh);
  const char *message = basin_error_last(context)->message;
  const bool fits = *c->message == '*' ? strstr(message, c->message + 1) != NULL
                                       : strncmp(message, c->message, strlen(c->message)) == 0;
  if (status != c->status || !fits)
    print_error("status %d, \"%s\" instead of \"%s\"\n", (int)status, message, c->message);
  return status == c->status && fits;
}

static void messages(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  size_t wrong = 0;
  for (size_t k = 0; k < BASIN_COUNT(bad_cases); ++k)
    wrong += !check_bad(context, &bad_cases[k], strlen(bad_cases[k].text));
  assert_int_equal(wrong, 0);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

/* Every cut of a good file is an error or a smaller mesh, never more. */
static void truncated_files(void **state)
{
  (void)state;
  static const char *const files[] = {
      MESHES "erleben_wedge.msh", MESHES "erleben_spike.msh", MESHES "erleben_cliff.obj"};
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  for (size_t f = 0; f < BASIN_COUNT(files); ++f) {
    char *data;
    size_t size;
    assert_ok(basin__read_file(context, files[f], &data, &size));
    size_t accepted = 0;
    for (size_t cut = 0; cut < size; ++cut) {
      char *piece = malloc(cut + 1); /* exact, for the address sanitizer */
      memcpy(piece, data, cut);
      basin_mesh *mesh;
      if (basin_mesh_read_memory(context, files[f], piece, cut, NULL, &mesh) == BASIN_OK) {
        ++accepted;
        assert_true(basin_mesh_count(mesh, BASIN_MESH_POINT) <= 20);
        basin_mesh_destroy(mesh);
      }
      free(piece);
    }
    if (f < 2)
      assert_true(accepted <= 60); /* .msh: only cuts between sections and behind the last one */
    basin__free(context, data, size + 1);
  }
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void missing_files(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh;
  assert_int_equal(basin_mesh_read(context, MESHES "none.obj", NULL, &mesh), BASIN_ERROR_IO);
  assert_non_null(strstr(basin_error_last(context)->message, "none.obj"));
  assert_int_equal(basin_mesh_read(context, MESHES, NULL, &mesh), BASIN_ERROR_IO);
  basin_mesh_read_options options = basin_mesh_read_defaults();
  options.size = 1;
  assert_int_equal(basin_mesh_read(context, MESHES "cube.msh", &options, &mesh),
                   BASIN_ERROR_ARGUMENT);
  options = basin_mesh_read_defaults();
  options.format = (basin_mesh_format)99;
  assert_int_equal(basin_mesh_read(context, MESHES "cube.msh", &options, &mesh),
                   BASIN_ERROR_ARGUMENT);
  assert_null(mesh);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages),
                                     cmocka_unit_test(truncated_files),
                                     cmocka_unit_test(missing_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
