/// COLLADA and glTF meshes, written here by hand: the same tetrahedron as in STL, with its mass; colors, also of OBJ files.
/// Without assimp they are refused with what to install.
#include "io/meshes/mesh_scene.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/se3.hpp"
#include "io/meshes/mesh_mass.hpp"
#include "support/errors.hpp"

namespace mesh_scene_test {

using namespace chasles;
using io::MeshMass;
using io::TriangleMesh;
namespace fs = std::filesystem;

/// Corners (0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1): volume 1, center (3, 2, 1) / 4.
const TriangleMesh tetrahedron{{{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 1}},
                               {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
constexpr const char* corners = "0 0 0 3 0 0 0 2 0 0 0 1";

/// @param node  its transformation
std::string collada(const std::string& asset, const std::string& node) {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)" +
         asset + R"(</asset>
<library_effects><effect id="paint"><profile_COMMON><technique sid="common"><lambert>
<diffuse><color>0.2 0.4 0.6 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="blue"><instance_effect url="#paint"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">)" +
         corners + R"(</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="m" count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">)" +
         node + R"(<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="m" target="#blue"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

/// Positions and indices of the tetrahedron, as a buffer of glTF.
std::string buffer() {
  const float positions[] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1};
  const std::uint16_t indices[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  std::string bytes(sizeof positions + sizeof indices, '\0');
  std::memcpy(bytes.data(), positions, sizeof positions);
  std::memcpy(bytes.data() + sizeof positions, indices, sizeof indices);
  return bytes;
}
/// @param uri  of the buffer, with its key; @param node  more of the node
std::string gltf(const std::string& uri, const std::string& node) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0)" +
         node + R"(}],"buffers":[{"byteLength":72)" + uri + R"(}],
"bufferViews":[{"buffer":0,"byteLength":48,"target":34962},{"buffer":0,"byteOffset":48,"byteLength":24,"target":34963}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[3,2,1]},
{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],
"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0.5,0,1]}}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}]})";
}
/// The binary form: a header and two chunks, each padded to four bytes.
std::string glb(std::string json, const std::string& bytes) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t x) {
    std::string out(4, '\0');
    const auto value = static_cast<std::uint32_t>(x);
    std::memcpy(out.data(), &value, 4);
    return out;
  };
  const std::string chunks =
      word(json.size()) + "JSON" + json + word(bytes.size()) + std::string("BIN\0", 4) + bytes;
  return "glTF" + word(2) + word(12 + chunks.size()) + chunks;
}

class MeshScenes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("chasles_scenes_" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  /// The mesh is the tetrahedron, moved by p -> scale R p + r, to the rounding of float.
  void expect_tetrahedron(const TriangleMesh& mesh, double scale, const SE3& C) const {
    EXPECT_EQ(mesh.vertices.size(), 4U);
    EXPECT_EQ(io::surface_defect(mesh).text, "");
    TriangleMesh exact = tetrahedron;
    for (Vec3& p : exact.vertices) p = C * (scale * p);
    const MeshMass a = io::solid_mass(mesh), b = io::solid_mass(exact);
    EXPECT_NEAR(a.measure, scale * scale * scale, 3e-6 * b.measure);
    EXPECT_LT(norm(a.center - b.center), 1e-6);
    for (int k = 0; k < 3; ++k) {
      Vec3 e;
      e[k] = 1;
      EXPECT_LT(norm(a.tensor * e - b.tensor * e), 5e-6 * b.tensor.xx);
    }
  }
  fs::path folder;
};

#ifdef CHASLES_ASSIMP

constexpr double half_turn = 1.5707963267948966;
const SE3 y_to_z{exp(Vec3{half_turn, 0, 0}), {}};

TEST_F(MeshScenes, collada_with_units_nodes_and_colors) {
  const std::string node = "<translate>10 20 30</translate><rotate>0 0 1 90</rotate>";
  const SE3 C{exp(Vec3{0, 0, half_turn}), {10, 20, 30}};
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"}) {  // the coordinates are what counts
    const std::string axis = std::string("<up_axis>") + up + "</up_axis>";
    const TriangleMesh mesh = io::read_mesh(write("a.dae", collada(axis, node)));
    expect_tetrahedron(mesh, 1, C);
    ASSERT_EQ(mesh.materials.size(), 1U);
    const auto color = mesh.materials[0].color.value();
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(color[k], 0.2 * static_cast<double>(k + 1), 1e-6);
  }
  const std::string unit = R"(<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis>)";
  expect_tetrahedron(io::read_mesh(write("cm.DAE", collada(unit, node))), 0.01, {C.R, 0.01 * C.r});
  // A mirrored node has its triangles turned, so that outside stays outside.
  const TriangleMesh mirrored =
      io::read_mesh(write("mirror.dae", collada("", "<scale>-1 1 1</scale>")));
  EXPECT_NEAR(io::solid_mass(mirrored).measure, 1, 1e-6);
  EXPECT_NEAR(io::solid_mass(mirrored).center.x, -0.75, 1e-6);
}

TEST_F(MeshScenes, gltf_with_a_file_beside_it_and_as_one) {
  write("part.bin", buffer());
  const std::string uri = R"(,"uri":"part.bin")";
  const TriangleMesh mesh = io::read_mesh(write("a.gltf", gltf(uri, "")));
  expect_tetrahedron(mesh, 1, y_to_z);
  const auto color = mesh.materials.at(0).color.value();
  EXPECT_NEAR(color[0], 1, 1e-6);
  EXPECT_NEAR(color[1], 0.73, 0.01);  // half of the light
  EXPECT_NEAR(color[2], 0, 1e-6);
  const std::string moved = R"(,"translation":[1,2,3],"scale":[2,2,2])";
  expect_tetrahedron(io::read_mesh(write("a.glb", glb(gltf("", moved), buffer()))), 2,
                     y_to_z * SE3{SO3{}, {1, 2, 3}});
  EXPECT_SAYS(io::read_mesh(write("alone.gltf", gltf(R"(,"uri":"none.bin")", ""))),
              "cannot be read");
}

/// Bodies of MJCF have the volume integrals of such meshes, too.
TEST_F(MeshScenes, give_masses) {
  write("a.dae", collada("", ""));
  ReadOptions options;
  options.folder = folder;
  const Mechanism m = read_mjcf(
      "<mujoco><asset><mesh name='m' inertia='exact' file='a.dae'/></asset><worldbody><body "
      "name='b'><joint/><geom type='mesh' mesh='m' density='500'/></body></worldbody></mujoco>",
      "m.xml", options);
  const BodyInertia& inertia = m.bodies.at(0).inertia.value();
  EXPECT_NEAR(inertia.mass, 500, 1e-3);
  EXPECT_LT(norm(inertia.com - Vec3{0.75, 0.5, 0.25}), 1e-6);
  EXPECT_NEAR(inertia.tensor.xx, 500 * 3.0 / 80 * (4 + 1), 1e-3);  // 3/80 m (b^2 + c^2)
}

TEST_F(MeshScenes, that_are_broken_are_refused) {
  for (const char* name : {"a.dae", "a.gltf", "a.glb"})
    for (const char* text : {"", "<COLLADA/>", "{}", "glTF\2\0\0\0"})
      EXPECT_THROW(io::read_mesh(write(name, text)), Error) << name << " " << text;
  EXPECT_SAYS(io::read_mesh(folder / "none.dae"), "no such file");
  std::string cut = glb(gltf("", ""), buffer());
  cut.resize(cut.size() - 30);
  EXPECT_THROW(io::read_mesh(write("cut.glb", cut)), Error);
}

#else

TEST_F(MeshScenes, are_refused_with_what_to_install) {
  EXPECT_SAYS(io::read_mesh(write("a.dae", collada("", ""))), "libassimp-dev", ".stl");
  EXPECT_SAYS(io::read_mesh(write("a.gltf", gltf("", ""))), "libassimp-dev");
  EXPECT_SAYS(io::read_mesh(write("a.glb", glb(gltf("", ""), buffer()))), "libassimp-dev");
}

#endif

TEST_F(MeshScenes, colors_of_obj_files_are_those_of_their_materials) {
  const std::string obj =
      "mtllib paint shop.mtl\nv 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nusemtl red\n"
      "f 1 3 2\nf 1 2 4\nusemtl glass\nf 1 4 3\nusemtl none\nf 2 3 4\n";
  write("paint shop.mtl",
        "# two\nnewmtl red\r\nKd 1 0.1 0\r\nnewmtl glass\nKd 0.1 0.2 0.3\nTr 0.75\nmap_Kd a.png\n");
  const TriangleMesh mesh = io::read_mesh(write("a.obj", obj));
  ASSERT_EQ(mesh.materials.size(), 3U);
  EXPECT_EQ(mesh.materials[0].first_face, 0U);
  EXPECT_EQ(mesh.materials[0].color, (std::array{1.0, 0.1, 0.0, 1.0}));
  EXPECT_EQ(mesh.materials[1].first_face, 2U);
  EXPECT_EQ(mesh.materials[1].color, (std::array{0.1, 0.2, 0.3, 0.25}));
  EXPECT_EQ(mesh.materials[2].color, std::nullopt);
  ASSERT_EQ(mesh.notes.size(), 1U);
  EXPECT_NE(mesh.notes[0].what.find("textures"), std::string::npos);
  fs::remove(folder / "paint shop.mtl");
  const TriangleMesh plain = io::read_mesh(folder / "a.obj");
  ASSERT_EQ(plain.notes.size(), 1U);
  EXPECT_EQ(plain.notes[0].what, "colors of meshes are left out: there is no such file");
  EXPECT_EQ(plain.notes[0].file, "paint shop.mtl");
}

}  // namespace mesh_scene_test
