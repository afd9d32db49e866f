/* Tests of the mesh readers: each format by small files written here, text and binary, with groups
 * and options. SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

static basin_mesh *parse(basin_context *context,
                         const char *name,
                         const void *data,
                         size_t size,
                         const basin_mesh_read_options *options)
{
  basin_mesh *mesh;
  if (basin_mesh_read_memory(context, name, data, size, options, &mesh) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  return mesh;
}

static basin_mesh *parse_text(basin_context *context, const char *name, const char *text)
{
  return parse(context, name, text, strlen(text), NULL);
}

/* A growing piece of memory for binary files. Numbers are written as this machine (little-endian)
 * has them, or swapped. */
typedef struct bytes {
  unsigned char data[4096];
  size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size, bool swap)
{
  assert_true(b->size + size <= sizeof b->data);
  for (size_t i = 0; i < size; ++i)
    b->data[b->size + i] = ((const unsigned char *)data)[swap ? size - 1 - i : i];
  b->size += size;
}

static void put_text(bytes *b, const char *text)
{
  put(b, text, strlen(text), false);
}

static void put_i32(bytes *b, int32_t value, bool swap)
{
  put(b, &value, 4, swap);
}

static void put_u64(bytes *b, uint64_t value, bool swap)
{
  put(b, &value, 8, swap);
}

static void put_f64(bytes *b, double value, bool swap)
{
  put(b, &value, 8, swap);
}

static void put_f32(bytes *b, float value, bool swap)
{
  put(b, &value, 4, swap);
}

static const double tet_points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tet_corners[4] = {0, 1, 2, 3}, tet_face[3] = {0, 2, 1};

/* One tet, its bottom triangle in the group "floor", and the tet in "inside". */
static void check_tet(basin_mesh *mesh, const char *floor, const char *inside)
{
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 4);
  assert_memory_equal(basin_mesh_points(mesh), tet_points, sizeof tet_points);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TET), 1);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TET), tet_corners, sizeof tet_corners);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 1);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), tet_face, sizeof tet_face);
  basin_mesh_group group;
  if (floor) {
    assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TRIANGLE, floor, &group));
    assert_int_equal(group.count, 1);
  }
  if (inside) assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TET, inside, &group));
  basin_mesh_destroy(mesh);
}

static void obj(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *text = "# comment\r\nmtllib none.mtl\no plate one\nv 0 0 0 1.0\nv 1 0 0\nv 1 1 0\nv "
                     "0 1 0\nv 0.5 1.5 0 # roof\nvt 0 0\nvn 0 0 1\n"
                     "usemtl red\ns off\nf 1/1/1 2/1/1 3/1/1 4/1/1 \ng side\nf -1//1 -2//1 "
                     "-3//1\nf 1 2 3 5 4\nl 1 2 3\np 5 1\n";
  basin_mesh *mesh = parse_text(context, "a.obj", text);
  const uint32_t triangles[18] = {0, 1, 2, 0, 2, 3, 4, 3, 2, 0, 1, 2, 0, 2, 4, 0, 4, 3},
                 edges[4] = {0, 1, 1, 2}, dots[2] = {4, 0};
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 5);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 6);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_EDGE), edges, sizeof edges);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_VERTEX), dots, sizeof dots);
  basin_mesh_group group;
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TRIANGLE, "side", &group));
  assert_int_equal(group.count, 4);
  assert_int_equal(group.indices[0], 2);
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TRIANGLE, "plate one", &group));
  assert_int_equal(group.count, 6);
  basin_mesh_destroy(mesh);
  basin_mesh_read_options options = basin_mesh_read_defaults();
  options.keep_quads = true;
  mesh = parse(context, "a.OBJ", text, strlen(text), &options);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_QUAD), 1);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 4);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

#define PLY_HEADER(format)                                                                     \
  "ply\nformat " format " 1.0\ncomment two triangles\nelement vertex 4\nproperty float "       \
  "x\nproperty double y\nproperty float z\nproperty uchar red\n"                               \
  "element junk 1\nproperty list uchar short values\nelement face 2\nproperty list uchar int " \
  "vertex_indices\nproperty short tag\n"                                                       \
  "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"

static void check_ply(basin_mesh *mesh)
{
  const double points[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0.5, 0, 1, 0};
  const uint32_t triangles[9] = {0, 1, 2, 0, 1, 2, 0, 2, 3}, edge[2] = {3, 1};
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 4);
  assert_memory_equal(basin_mesh_points(mesh), points, sizeof points);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 3);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_EDGE), edge, sizeof edge);
  basin_mesh_destroy(mesh);
}

static void ply(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  check_ply(parse_text(context,
                       "a.ply",
                       PLY_HEADER("ascii") "0 0 0 255\n1 0 0 255\n1 1 .5 0\n0 1 0 9\n3 -5 6 7\n3 0 "
                                           "1 2 -1\n4 0 1 2 3 -1\n3 1\n"));
  for (int big = 0; big < 2; ++big) {
    bytes b = {.size = 0};
    const float xz[8] = {0, 0, 1, 0, 1, 0.5f, 0, 0};
    const double y[4] = {0, 0, 1, 1};
    const unsigned char small[3] = {3, 4, 7};
    put_text(&b, big ? PLY_HEADER("binary_big_endian") : PLY_HEADER("binary_little_endian"));
    for (int v = 0; v < 4; ++v) {
      put_f32(&b, xz[2 * v], big);
      put_f64(&b, y[v], big);
      put_f32(&b, xz[2 * v + 1], big);
      put(&b, small, 1, false);
    }
    put(&b, small + 1, 1, false); /* a list of 4 shorts */
    put_u64(&b, 77, big);
    for (int f = 0; f < 2; ++f) {
      put(&b, small + f, 1, false);
      for (int k = 0; k < 3 + f; ++k) put_i32(&b, k, big);
      put(&b, "\1\2", 2, false);
    }
    put_i32(&b, 3, big);
    put_i32(&b, 1, big);
    check_ply(parse(context, "renamed.bin", b.data, b.size, NULL)); /* by its contents */
  }
  basin_context_destroy(context);
}

static void stl(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *text = "solid two triangles\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   "
                     "vertex 1 0 0\n   vertex 1 1 0\n  endloop\n endfacet\n"
                     " facet normal nan nan nan\n  outer loop\n   vertex 0 0 -0\n   vertex 1e0 1.0 "
                     "0\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid two triangles\n";
  const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
  basin_mesh *mesh = parse_text(context, "a.stl", text);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 4);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  basin_mesh_destroy(mesh);

  bytes b = {.size = 0};
  const float corners[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                                  {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  put_text(&b,
           "solid, says the header of a binary file; it is 80 bytes long, filled up with "
           "points..............");
  b.size = 80;
  put_i32(&b, 2, false);
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < 3; ++i) put_f32(&b, 0.0f, false);
    for (int k = 0; k < 9; ++k) put_f32(&b, corners[t][k / 3][k % 3], false);
    put(&b, "\0\0", 2, false);
  }
  mesh = parse(context, "a.stl", b.data, b.size, NULL);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 4);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

#define MSH2_NAMES "$PhysicalNames\n2\n2 7 \"the floor\"\n3 1 \"inside\"\n$EndPhysicalNames\n"
#define MSH4_TEXT                                                                          \
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" MSH2_NAMES                                      \
  "$Entities\n0 0 1 1\n2 0 0 0 1 1 0 1 7 0\n5 0 0 0 1 1 1 1 1 1 2\n$EndEntities\n"         \
  "$Nodes\n2 4 10 40\n2 2 0 3\n10\n20\n30\n0 0 0\n1 0 0\n0 1 0\n3 5 1 1\n40\n0 0 1 .1 .2 " \
  ".3\n$EndNodes\n"                                                                        \
  "$Elements\n2 2 1 2\n2 2 2 1\n1 10 30 20\n3 5 4 1\n2 10 20 30 40\n$EndElements\n"

static void msh_text(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *version2 =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nanything $ goes\n$EndComments\n" MSH2_NAMES
      "$Nodes\n4\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n$EndNodes\n"
      "$Elements\n2\n1 2 2 7 1 10 30 20\n2 4 2 1 1 10 20 30 "
      "40\n$EndElements\n$NodeData\n1\n$EndNodeData\n";
  check_tet(parse_text(context, "a.msh", version2), "the floor", "inside");
  check_tet(parse_text(context, "a.msh", MSH4_TEXT), "the floor", "inside");
  basin_context_destroy(context);
}

static void msh2_binary(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int swap = 0; swap < 2; ++swap) {
    bytes b = {.size = 0};
    put_text(&b, "$MeshFormat\n2.2 1 8\n");
    put_i32(&b, 1, swap);
    put_text(&b, "\n$EndMeshFormat\n" MSH2_NAMES "$Nodes\n4\n");
    for (int n = 0; n < 4; ++n) {
      put_i32(&b, 10 * (n + 1), swap);
      for (int i = 0; i < 3; ++i) put_f64(&b, tet_points[3 * n + i], swap);
    }
    put_text(&b, "\n$EndNodes\n$Elements\n2\n");
    const int32_t elements[] = {2, 1, 2, 1, 7, 1, 10, 30, 20, 4, 1, 2, 2, 1, 1, 10, 20, 30, 40};
    for (size_t i = 0; i < BASIN_COUNT(elements); ++i) put_i32(&b, elements[i], swap);
    put_text(&b, "\n$EndElements\n");
    check_tet(parse(context, "a.msh", b.data, b.size, NULL), "the floor", "inside");
  }
  basin_context_destroy(context);
}

static void put_entity(bytes *b, int32_t tag, int32_t physical, bool swap)
{
  put_i32(b, tag, swap);
  for (int i = 0; i < 6; ++i) put_f64(b, i, swap);
  put_u64(b, 1, swap);
  put_i32(b, physical, swap);
  put_u64(b, 1, swap);
  put_i32(b, 99, swap);
}

static void
put_block(bytes *b, int32_t dimension, int32_t entity, int32_t type, uint64_t count, bool swap)
{
  put_i32(b, dimension, swap);
  put_i32(b, entity, swap);
  put_i32(b, type, swap);
  put_u64(b, count, swap);
}

static void msh4_binary(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int swap = 0; swap < 2; ++swap) {
    bytes b = {.size = 0};
    const uint64_t entities[4] = {0, 0, 1, 1}, nodes[4] = {1, 4, 10, 40},
                   elements[4] = {2, 2, 1, 2}, face[4] = {1, 10, 30, 20},
                   tet[5] = {2, 10, 20, 30, 40};
    put_text(&b, "$MeshFormat\n4.1 1 8\n");
    put_i32(&b, 1, swap);
    put_text(&b, "\n$EndMeshFormat\n" MSH2_NAMES "$Entities\n");
    for (int i = 0; i < 4; ++i) put_u64(&b, entities[i], swap);
    put_entity(&b, 2, 7, swap);
    put_entity(&b, 5, 1, swap);
    put_text(&b, "\n$EndEntities\n$Nodes\n");
    for (int i = 0; i < 4; ++i) put_u64(&b, nodes[i], swap);
    put_block(&b, 3, 5, 0, 4, swap);
    for (uint64_t n = 10; n <= 40; n += 10) put_u64(&b, n, swap);
    for (int i = 0; i < 12; ++i) put_f64(&b, tet_points[i], swap);
    put_text(&b, "\n$EndNodes\n$Elements\n");
    for (int i = 0; i < 4; ++i) put_u64(&b, elements[i], swap);
    put_block(&b, 2, 2, 2, 1, swap);
    for (int i = 0; i < 4; ++i) put_u64(&b, face[i], swap);
    put_block(&b, 3, 5, 4, 1, swap);
    for (int i = 0; i < 5; ++i) put_u64(&b, tet[i], swap);
    put_text(&b, "\n$EndElements\n");
    check_tet(parse(context, "a.msh", b.data, b.size, NULL), "the floor", "inside");
  }
  basin_context_destroy(context);
}

static void medit(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  check_tet(parse_text(context,
                       "a.mesh",
                       "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices\n4\n0 0 0 0\n1 "
                       "0 0 0\n0 1 0 5\n0 0 1 0\n"
                       "Corners 1\n2\nTriangles 1\n1 3 2 7\nTetrahedra\n1\n1 2 3 4 -1\nEnd\n"),
            "reference_7",
            "reference_-1");
  basin_context_destroy(context);
}

static void negative_tets_are_turned(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *text = "MeshVersionFormatted 1 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "
                     "0 Tetrahedra 1 1 2 4 3 0 End";
  basin_mesh_read_options options = basin_mesh_read_defaults();
  for (int keep = 0; keep < 2; ++keep) {
    options.keep_orientation = keep;
    basin_mesh *mesh = parse(context, "a.mesh", text, strlen(text), &options);
    assert_near(total_measure(mesh, BASIN_MESH_TET), keep ? -1.0 / 6 : 1.0 / 6, 1e-16);
    basin_mesh_destroy(mesh);
  }
  basin_context_destroy(context);
}

static void vtk_legacy(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  check_tet(parse_text(context,
                       "a.vtk",
                       "# vtk DataFile Version 3.0\ntitle with words\nASCII\nDATASET "
                       "UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n0.5\n"
                       "POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\nCELLS 2 9\n3 0 2 1\n4 0 1 2 "
                       "3\nCELL_TYPES 2\n5\n10\nPOINT_DATA 4\nSCALARS a float\n"),
            NULL,
            NULL);
  check_tet(
      parse_text(context,
                 "a.vtk",
                 "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 "
                 "double\n0 0 0 1 0 0 0 1 0 0 0 1\nMETADATA\nINFORMATION 0\n\n"
                 "CELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n0 2 1 0 1 2 "
                 "3\nCELL_TYPES 2\n5\n10\n"),
      NULL,
      NULL);
  bytes b = {.size = 0};
  const int32_t cells[9] = {3, 0, 2, 1, 4, 0, 1, 2, 3};
  put_text(
      &b,
      "# vtk DataFile Version 4.2\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n");
  for (int i = 0; i < 12; ++i) put_f64(&b, tet_points[i], true);
  put_text(&b, "\nCELLS 2 9\n");
  for (int i = 0; i < 9; ++i) put_i32(&b, cells[i], true);
  put_text(&b, "\nCELL_TYPES 2\n");
  put_i32(&b, 5, true);
  put_i32(&b, 10, true);
  put_text(&b, "\n");
  check_tet(parse(context, "a.vtk", b.data, b.size, NULL), NULL, NULL);

  basin_mesh *mesh = parse_text(context,
                                "a.vtk",
                                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 "
                                "float\n0 0 0 1 0 0 1 1 0 0 1 0 2 2 2\nVERTICES 1 2\n1 4\n"
                                "LINES 1 4\n3 0 1 2\nPOLYGONS 2 9\n4 0 1 2 3\n3 0 1 2\n");
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_VERTEX), 1);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_EDGE), 2);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 3);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void vtu_text(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *text =
      "<?xml version=\"1.0\"?>\n<!-- <Piece> -->\n<VTKFile type='UnstructuredGrid' version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n <UnstructuredGrid>\n"
      "  <Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n   <PointData><DataArray "
      "type=\"Float32\" Name=\"a>b\" format=\"ascii\">1 2 3 4</DataArray></PointData>\n"
      "   <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 "
      "0 0 1 0 0 0 1</DataArray></Points>\n"
      "   <Cells>\n    <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 2 1 0 1 "
      "2 3</DataArray>\n"
      "    <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3 7</DataArray>\n    "
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5 10</DataArray>\n"
      "   </Cells>\n  </Piece>\n </UnstructuredGrid>\n</VTKFile>\n";
  check_tet(parse_text(context, "a.vtu", text), NULL, NULL);
  /* The same cells, base64 with a 32-bit header: 16 bytes of offsets as Int64, and 2 of types. */
  const char *coded =
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid><Piece "
      "NumberOfPoints=\"4\" NumberOfCells=\"2\">"
      "<Points><DataArray type=\"Float64\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 "
      "1</DataArray></Points><Cells>"
      "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 2 1 0 1 2 3</DataArray>"
      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"binary\">\n "
      "EAAAAAMAAAAAAAAABwAAAAAAAAA=\n</DataArray>"
      "<DataArray type=\"UInt8\" Name=\"types\" "
      "format=\"binary\">AgAAAAUK</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
  check_tet(parse_text(context, "a.vtu", coded), NULL, NULL);
  basin_context_destroy(context);
}

static void vtu_pieces_are_joined(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
#define PIECE                                                                                     \
  "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" "          \
  "format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray></Points><Cells>"                                \
  "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray><DataArray " \
  "type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>"                                \
  "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray></Cells></Piece>"
  basin_mesh *mesh =
      parse_text(context, "a.vtu", "<VTKFile type=\"UnstructuredGrid\">" PIECE PIECE "</VTKFile>");
  const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 6);
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(obj),
      cmocka_unit_test(ply),
      cmocka_unit_test(stl),
      cmocka_unit_test(msh_text),
      cmocka_unit_test(msh2_binary),
      cmocka_unit_test(msh4_binary),
      cmocka_unit_test(medit),
      cmocka_unit_test(negative_tets_are_turned),
      cmocka_unit_test(vtk_legacy),
      cmocka_unit_test(vtu_text),
      cmocka_unit_test(vtu_pieces_are_joined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
