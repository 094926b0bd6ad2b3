/// Mass properties of meshes, compared with exact solids and with their limits; the same solid in every file
/// format; convex hulls; masses of mesh geoms in MJCF.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/screws/inertia.hpp"
#include "io/meshes/builtin_mesh.hpp"
#include "io/meshes/coarse_mesh.hpp"
#include "io/meshes/convex_hull.hpp"
#include "io/meshes/mesh_mass.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace mesh_test {

using namespace chasles;
using io::MeshMass;
using io::TriangleMesh;
namespace fs = std::filesystem;

/// The box between two corners, twelve triangles.
TriangleMesh box(const Vec3& low, const Vec3& high) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(
        {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}
TriangleMesh reversed(TriangleMesh mesh) {
  for (auto& face : mesh.faces) std::swap(face[1], face[2]);
  return mesh;
}
TriangleMesh both(TriangleMesh a, const TriangleMesh& b) {
  const int n = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& f : b.faces) a.faces.push_back({f[0] + n, f[1] + n, f[2] + n});
  return a;
}
TriangleMesh moved(TriangleMesh mesh, const SE3& C) {
  for (Vec3& p : mesh.vertices) p = C * p;
  return mesh;
}
void expect_mass(const MeshMass& a, double measure, const Vec3& center, const Sym3& tensor,
                 double tolerance = 1e-13) {
  EXPECT_NEAR(a.measure, measure, tolerance * std::abs(measure));
  EXPECT_LT(norm(a.center - center), tolerance * (1 + norm(center)));
  const double size = std::abs(tensor.xx) + std::abs(tensor.yy) + std::abs(tensor.zz);
  for (const double d : {a.tensor.xx - tensor.xx, a.tensor.xy - tensor.xy, a.tensor.xz - tensor.xz,
                         a.tensor.yy - tensor.yy, a.tensor.yz - tensor.yz, a.tensor.zz - tensor.zz})
    EXPECT_LT(std::abs(d), tolerance * size);
}
Sym3 box_tensor(double a, double b, double c) {  // edges, at unit density
  const double m = a * b * c / 12;
  return Sym3::diagonal(m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b));
}

TEST(MeshMass, of_a_box_anywhere) {
  const Vec3 low{1, -2, 0.5}, high{1.5, 1, 2.5};
  const TriangleMesh mesh = box(low, high);
  EXPECT_EQ(io::surface_defect(mesh).text, "");
  const Sym3 I = box_tensor(0.5, 3, 2);
  expect_mass(io::solid_mass(mesh), 3, 0.5 * (low + high), I);
  expect_mass(io::pyramid_mass(mesh), 3, 0.5 * (low + high), I);
  // Rotated and moved far away; rounding grows with the distance.
  const SE3 C{exp(Vec3{0.3, -0.8, 1.1}), {10, -20, 5}};
  expect_mass(io::solid_mass(moved(mesh, C)), 3, C * (0.5 * (low + high)), rotate(C.R.matrix(), I),
              1e-12);
  expect_mass(io::solid_mass(reversed(mesh)), -3, 0.5 * (low + high), -1.0 * I);
}

TEST(MeshMass, of_a_tetrahedron) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  // About the corner: integrals of x^2 are 1/60, of x y 1/120; V = 1/6, center 1/4.
  const double d = 2.0 / 60 - 2.0 / 96, p = -(1.0 / 120 - 1.0 / 96);
  expect_mass(io::solid_mass(mesh), 1.0 / 6, {0.25, 0.25, 0.25}, {d, p, p, d, p, d});
}

TEST(MeshMass, of_a_hollow_box_is_that_of_the_outer_less_the_inner) {
  const TriangleMesh hollow =
      both(box({-1, -1, -1}, {1, 1, 1}), reversed(box({-0.5, -0.5, -0.2}, {0.5, 0.5, 0.8})));
  EXPECT_EQ(io::surface_defect(hollow).text, "");
  const MeshMass a = io::solid_mass(hollow);
  const Inertia exact = lie::compose_inertia(8.0, Vec3{}, box_tensor(2, 2, 2)) -
                        lie::compose_inertia(1.0, Vec3{0, 0, 0.3}, box_tensor(1, 1, 1));
  expect_mass(a, 7, center_of_mass(exact), lie::central_inertia(exact));
  // Pyramids that all count as positive see the cavity as mass.
  EXPECT_GT(io::pyramid_mass(hollow).measure, 8);
}

TEST(MeshMass, of_a_sphere_converges_with_the_square_of_the_edges) {
  double last[3] = {};
  for (const double n : {2.0, 3.0, 4.0}) {
    const TriangleMesh mesh = io::builtin_mesh("sphere", std::array{n});
    EXPECT_EQ(mesh.faces.size(), static_cast<std::size_t>(20 * std::pow(4, n)));
    EXPECT_EQ(io::surface_defect(mesh).text, "");
    const MeshMass solid = io::solid_mass(mesh), shell = io::shell_mass(mesh);
    const double error[] = {4.0 / 3 * M_PI - solid.measure,
                            8.0 / 15 * M_PI - solid.tensor.xx,  // 2/5 m
                            8.0 / 3 * M_PI - shell.tensor.zz};  // 2/3 m
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GT(error[k], 0);
      if (n > 2) {
        EXPECT_NEAR(last[k] / error[k], 4, 0.15);
      }
      last[k] = error[k];
    }
    EXPECT_LT(norm(solid.center), 1e-14);
  }
  EXPECT_LT(last[0], 1e-2);
}

TEST(MeshMass, of_a_torus_converges) {
  // Volume 2 pi^2 R r^2; about the axis m (R^2 + 3/4 r^2), across m (R^2 / 2 + 5/8 r^2).
  const double r = 0.3, m = 2 * M_PI * M_PI * r * r;
  const auto error = [&](double n) {
    const MeshMass a = io::solid_mass(io::builtin_mesh("supertorus", std::array{n, r, 1.0, 1.0}));
    return std::array{m - a.measure, m * (1 + 0.75 * r * r) - a.tensor.zz,
                      m * (0.5 + 0.625 * r * r) - a.tensor.xx};
  };
  const auto coarse = error(60), fine = error(120);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(fine[k], 0);
    EXPECT_NEAR(coarse[k] / fine[k], 4, 0.05);
    EXPECT_LT(fine[k], 0.003 * m);
  }
}

TEST(MeshMass, builtin_meshes_are_closed) {
  for (const double n : {0.0, 1.0, 4.0}) {
    const TriangleMesh half = io::builtin_mesh("hemisphere", std::array{n});
    EXPECT_EQ(io::surface_defect(half).text, "") << n;
    EXPECT_EQ(half.vertices.size(), static_cast<std::size_t>(2 + 2 * (n + 1) * (n + 2)));
    EXPECT_EQ(half.faces.size(), static_cast<std::size_t>(4 * (n + 1) * (n + 2)));
    EXPECT_GT(io::solid_mass(half).measure, 0);
  }
  const MeshMass half = io::solid_mass(io::builtin_mesh("hemisphere", std::array{60.0}));
  EXPECT_NEAR(half.measure, 2.0 / 3 * M_PI, 2e-3);
  EXPECT_NEAR(half.center.z, 0.375, 1e-3);
  const TriangleMesh ball = io::builtin_mesh("supersphere", std::array{40.0, 1.0, 1.0});
  EXPECT_EQ(io::surface_defect(ball).text, "");
  EXPECT_NEAR(io::solid_mass(ball).measure, 4.0 / 3 * M_PI, 0.05);
  // A prism over a square of circumradius 1.
  expect_mass(
      io::solid_mass(io::convex_hull(io::builtin_mesh("cone", std::array{4.0, 1.0}).vertices)), 4,
      {}, Sym3::diagonal(4.0 / 6 + 4.0 / 3, 4.0 / 6 + 4.0 / 3, 4.0 / 3), 1e-12);
  // A pyramid: volume a third, center at a quarter of the height.
  const MeshMass pyramid =
      io::solid_mass(io::convex_hull(io::builtin_mesh("cone", std::array{4.0, 0.0}).vertices));
  EXPECT_NEAR(pyramid.measure, 4.0 / 3, 1e-14);
  EXPECT_NEAR(pyramid.center.z, -0.5, 1e-14);
  EXPECT_SAYS(io::builtin_mesh("sphere", std::array{1.5}), "subdivision 1.5", "0 to 7");
  EXPECT_SAYS(io::builtin_mesh("sphere", {}), "1 parameters", "params has 0");
  EXPECT_SAYS(io::builtin_mesh("wedge", {}), "'wedge'", "hemisphere");
}

/// Both sides of a rectangle, cut along different diagonals: closed, and what it encloses is rounding, anywhere.
TEST(MeshMass, of_a_flat_surface_is_none) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> dice(-1, 1);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p{dice(generator), dice(generator), dice(generator)},
        a{dice(generator), dice(generator), dice(generator)},
        b{dice(generator), dice(generator), dice(generator)};
    const TriangleMesh flat{{p, p + a, p + a + b, p + b},
                            {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
    EXPECT_EQ(io::surface_defect(flat).text, "");
    EXPECT_EQ(io::solid_mass(flat).measure, 0);
    EXPECT_EQ(io::pyramid_mass(flat).measure, 0);
    EXPECT_GT(io::shell_mass(flat).measure, 0);
  }
}

TEST(MeshMass, corners_of_files_are_indices) {
  const auto read = [](const std::string& face) {
    return io::parse_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf " + face + "\n", ".obj");
  };
  EXPECT_EQ(read("1 2/7 -1//3").faces.size(), 1U);
  for (const char* corner : {"2,f", "x", "2.5", "1e1", "+2"})
    EXPECT_SAYS(read(std::string("1 ") + corner + " 3"), corner, "is not the index of a vertex");
  EXPECT_SAYS(read("1 4 3"), "corner '4'", "there are 3");
}

TEST(MeshMass, defects_of_surfaces_are_named) {
  TriangleMesh open = box({0, 0, 0}, {1, 1, 1});
  open.faces.pop_back();
  EXPECT_EQ(io::surface_defect(open).text, "it is open at 3 edges");
  TriangleMesh flipped = box({0, 0, 0}, {1, 1, 1});
  std::swap(flipped.faces[0][0], flipped.faces[0][1]);
  EXPECT_NE(io::surface_defect(flipped).text.find("opposite orientations"), std::string::npos);
}

/// Of a sphere of 81920 triangles: as many as asked for at most, not many fewer, near the sphere, and of its volume.
TEST(CoarseMesh, has_the_shape_of_the_mesh) {
  TriangleMesh sphere = io::builtin_mesh("sphere", std::array{4.0});
  for (int k = 0; k < 2; ++k) {  // finer: four triangles of each
    TriangleMesh finer{sphere.vertices, {}};
    for (const auto& f : sphere.faces) {
      const int n = static_cast<int>(finer.vertices.size());
      for (std::size_t i = 0; i < 3; ++i) {
        const auto at = [&](std::size_t j) {
          return sphere.vertices[static_cast<std::size_t>(f[j])];
        };
        const Vec3 middle = at(i) + at((i + 1) % 3);
        finer.vertices.push_back((1 / norm(middle)) * middle);
      }
      finer.faces.insert(
          finer.faces.end(),
          {{f[0], n, n + 2}, {n, f[1], n + 1}, {n + 2, n + 1, f[2]}, {n, n + 1, n + 2}});
    }
    sphere = finer;
  }
  ASSERT_EQ(sphere.faces.size(), 81920U);
  sphere.materials = {{0, "first"}, {40960, "second"}};
  for (const std::size_t most : {100000U, 30000U, 5000U, 200U}) {
    const TriangleMesh mesh = io::coarser(sphere, most);
    EXPECT_LE(mesh.faces.size(), most);
    if (most > sphere.faces.size()) {
      EXPECT_EQ(mesh.faces, sphere.faces);
      continue;
    }
    EXPECT_GT(mesh.faces.size(), most / 4);
    // Of n triangles on a sphere the square of the edges is 29 / n, and what is outside of them 1.6 times that.
    const double square = 29 / (static_cast<double>(most) / 4);
    for (const Vec3& p : mesh.vertices) EXPECT_LT(std::abs(norm(p) - 1), square);
    EXPECT_NEAR(io::solid_mass(mesh).measure, 4.0 / 3 * M_PI, 1.6 * square);
    ASSERT_EQ(mesh.materials.size(), 2U);
    const auto second = static_cast<double>(mesh.materials[1].first_face);
    EXPECT_NEAR(second / static_cast<double>(mesh.faces.size()), 0.5, 0.05);
    EXPECT_NO_THROW(io::check_mesh(mesh));
  }
}

TEST(ConvexHull, of_points_in_a_cube_is_the_cube) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec3> points = box({-1, -1, -1}, {1, 1, 1}).vertices;
  for (int k = 0; k < 500; ++k) points.push_back({any(random), any(random), any(random)});
  for (int k = 0; k < 500; ++k) points.push_back({1, any(random), any(random)});  // on a face
  for (int k = 0; k < 100; ++k) points.push_back({1, -1, any(random)});           // on an edge
  for (int k = 0; k < 100; ++k) points.push_back(points[static_cast<std::size_t>(k)]);
  const SE3 C{exp(Vec3{1, 2, 0.5}), {3, 1, -2}};
  for (const SE3& at : {SE3{}, C}) {
    std::vector<Vec3> there;
    for (const Vec3& p : points) there.push_back(at * p);
    const TriangleMesh hull = io::convex_hull(there);
    EXPECT_EQ(io::surface_defect(hull).text, "");
    expect_mass(io::solid_mass(hull), 8, at.r, box_tensor(2, 2, 2), 1e-11);
  }
}

TEST(ConvexHull, of_points_on_spheres_and_grids_contains_them) {
  std::mt19937 random(2);
  std::normal_distribution<double> any;
  std::vector<Vec3> sphere, grid;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p{any(random), any(random), any(random)};
    sphere.push_back((1 / norm(p)) * p);
  }
  for (int i = 0; i < 12 * 12 * 12; ++i)  // rounded to float: nearly coplanar after a rotation
    grid.push_back(exp(Vec3{0.1, 0.2, 0.3}) * Vec3(double(i % 12), double(i / 12 % 12), i / 144));
  for (Vec3& p : grid)
    for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(static_cast<float>(p[k]));
  for (const auto& points : {sphere, grid}) {
    const TriangleMesh hull = io::convex_hull(points);
    EXPECT_EQ(io::surface_defect(hull).text, "");
    double beyond = 0;
    for (const auto& face : hull.faces) {
      const auto [a, b, c] = hull.corners(face);
      const Vec3 n = cross(b - a, c - a);
      if (!(norm(n) > 1e-9)) continue;
      for (const Vec3& p : points) beyond = std::max(beyond, dot(n, p - a) / norm(n));
    }
    EXPECT_LT(beyond, 1e-5);
  }
  // Every one of the points on a sphere is a corner: Euler's formula counts the triangles.
  EXPECT_EQ(io::convex_hull(sphere).faces.size(), 2 * sphere.size() - 4);
  EXPECT_NEAR(io::solid_mass(io::convex_hull(grid)).measure, 11 * 11 * 11, 1e-3);
  EXPECT_SAYS(io::convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}), "a plane");
  EXPECT_SAYS(io::convex_hull({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}), "a plane");
  EXPECT_SAYS(io::convex_hull({{0, 0, 0}}), "fewer than four");
}

/// Files of the same solid.
class MeshFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("chasles_meshes_" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
  template <class T>
  static void append(std::string& bytes, T x) {
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  static std::string binary_stl(const TriangleMesh& mesh) {
    std::string bytes(80, ' ');
    append(bytes, static_cast<std::uint32_t>(mesh.faces.size()));
    for (const auto& face : mesh.faces) {
      for (int k = 0; k < 3; ++k) append(bytes, 0.0F);
      for (const Vec3& p : mesh.corners(face))
        for (int k = 0; k < 3; ++k) append(bytes, static_cast<float>(p[k]));
      bytes += "  ";
    }
    return bytes;
  }
  static std::string text_stl(const TriangleMesh& mesh) {
    std::string text = "solid s\n";
    for (const auto& face : mesh.faces) {
      text += "facet normal 0 0 0\nouter loop\n";
      for (const Vec3& p : mesh.corners(face)) text += "vertex " + words(p) + "\n";
      text += "endloop\nendfacet\n";
    }
    return text + "endsolid s\n";
  }
  static std::string obj(const TriangleMesh& mesh) {
    std::string text = "# a solid\no s\n";
    for (const Vec3& p : mesh.vertices) text += "v " + words(p) + "\n";
    for (const auto& f : mesh.faces)
      text += "f " + std::to_string(f[0] + 1) + "//1 " + std::to_string(f[1] + 1) + "//1 " +
              std::to_string(f[2] + 1) + "//1\n";
    return text;
  }
  static std::string msh(const TriangleMesh& mesh) {
    std::string bytes;
    for (const std::size_t n :
         {mesh.vertices.size(), std::size_t{0}, std::size_t{0}, mesh.faces.size()})
      append(bytes, static_cast<std::int32_t>(n));
    for (const Vec3& p : mesh.vertices)
      for (int k = 0; k < 3; ++k) append(bytes, static_cast<float>(p[k]));
    for (const auto& f : mesh.faces)
      for (const int corner : f) append(bytes, static_cast<std::int32_t>(corner));
    return bytes;
  }
  static std::string words(const Vec3& p) {
    return to_text(p.x) + " " + to_text(p.y) + " " + to_text(p.z);
  }
  struct Read {
    BodyInertia inertia;
    std::vector<std::string> warnings;
  };
  /// The inertia of a body with a geom.
  Read body(const std::string& asset, const std::string& geom,
            const std::string& compiler = "") const {
    Read out;
    ReadOptions options{false, &out.warnings};
    options.folder = folder;
    const Mechanism m = read_mjcf("<mujoco>" + compiler + "<asset>" + asset +
                                      "</asset><worldbody><body name='b'><joint/><geom " + geom +
                                      "/></body></worldbody></mujoco>",
                                  "m.xml", options);
    out.inertia = m.bodies.at(0).inertia.value_or(BodyInertia{});
    return out;
  }
  void expect_inertia(const Read& a, double mass, const Vec3& com, const Sym3& tensor,
                      double tolerance) const {
    EXPECT_EQ(a.warnings, std::vector<std::string>{});
    expect_mass({a.inertia.mass, a.inertia.com, a.inertia.tensor}, mass, com, tensor, tolerance);
  }
  fs::path folder;
};

TEST_F(MeshFiles, agree_to_the_rounding_of_float) {
  const TriangleMesh mesh =
      moved(both(box({0, 0, 0}, {0.3, 0.5, 0.7}), reversed(box({0.1, 0.1, 0.1}, {0.2, 0.3, 0.5}))),
            {exp(Vec3{0.4, 0.1, -0.7}), {0.1, 0.2, 0.3}});
  write("a.stl", binary_stl(mesh));
  write("b.STL", text_stl(mesh));
  write("c.obj", obj(mesh));
  write("d.msh", msh(mesh));
  const MeshMass exact = io::solid_mass(mesh);
  for (const char* name : {"a.stl", "b.STL", "c.obj", "d.msh"}) {
    const TriangleMesh read = io::read_mesh(folder / name);
    EXPECT_EQ(read.vertices.size(), 16U) << name;  // STL: equal corners are one
    EXPECT_EQ(io::surface_defect(read).text, "") << name;
    expect_mass(io::solid_mass(read), exact.measure, exact.center, exact.tensor, 5e-7);
    // In a model: 1000 kg/m^3, about the body frame.
    expect_inertia(body("<mesh name='m' inertia='exact' file='" + std::string(name) + "'/>",
                        "type='mesh' mesh='m'"),
                   1000 * exact.measure, exact.center, 1000.0 * exact.tensor, 5e-7);
  }
}

TEST_F(MeshFiles, of_a_mesh_geom_scale_reference_and_pose) {
  write("meshes/deep/unit.obj", obj(box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5})));
  const std::string file = " file='deep/unit.obj'", dir = "<compiler meshdir='meshes'/>";
  const Sym3 I = box_tensor(1, 2, 3);
  // Edges 1, 2, 3; center first moved by refpos, then turned, then scaled, then placed by the geom.
  expect_inertia(body("<mesh name='m' scale='1 2 -3' refpos='1 0 0'" + file + "/>",
                      "type='mesh' mesh='m' pos='0 0 5' mass='12'", dir),
                 12, {-1, 0, 5}, 2.0 * I, 1e-7);
  expect_inertia(
      body("<mesh scale='1 2 3' refpos='1 0 0' refquat='1 0 0 1' inertia='exact'" + file + "/>",
           "type='mesh' mesh='unit' density='2'", dir),
      12, {0, 2, 0}, 2.0 * I, 1e-7);
  // An empty meshdir is the folder of the file.
  expect_inertia(body("<mesh scale='1 2 3' file='meshes/deep/unit.obj'/>",
                      "type='mesh' mesh='unit' mass='12'", "<compiler meshdir=''/>"),
                 12, {}, 2.0 * I, 1e-7);
  // strippath, assetdir and the defaults of meshes.
  expect_inertia(body("<mesh name='m' class='big' file='elsewhere/unit.obj'/>",
                      "type='mesh' mesh='m' density='1' quat='1 0 0 1'",
                      "<compiler strippath='true' assetdir='meshes/deep'/><default><default "
                      "class='big'><mesh scale='1 2 3' inertia='convex'/></default></default>"),
                 6, {}, box_tensor(2, 1, 3), 1e-7);
}

/// A cube with one corner of its top raised by e: divided along the shorter diagonal, which does not have that corner, its
/// volume is 1 + e / 6; along the other one it would be 1 + e / 3. The order of the corners does not matter.
TEST_F(MeshFiles, of_obj_quadrilaterals_that_are_not_plane) {
  const std::string cube =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1.6\nv 0 1 1\n"
      "f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  for (const char* top : {"f 5 6 7 8\n", "f 6 7 8 5\n"}) {
    write("cube.obj", cube + top);
    EXPECT_NEAR(io::solid_mass(io::read_mesh(folder / "cube.obj")).measure, 1.1, 1e-7) << top;
  }
}

/// An L of area 3 * 1.5 + 1.5^2 around the origin: triangles with one of its corners cover what is outside.
TEST_F(MeshFiles, of_obj_polygons_that_are_concave) {
  const std::array<const char*, 6> corners{"2 .5 0", ".5 .5 0", ".5 2 0",
                                           "-1 2 0", "-1 -1 0", "2 -1 0"};
  for (std::size_t first = 0; first < 6; ++first) {
    std::string text;
    for (std::size_t k = 0; k < 6; ++k) text += std::string("v ") + corners[(first + k) % 6] + '\n';
    write("ell.obj", text + "f 1 2 3 4 5 6\n");
    const auto mesh = io::read_mesh(folder / "ell.obj", "", io::ObjectsOfFile::first);
    EXPECT_EQ(mesh.faces.size(), 4U);
    EXPECT_NEAR(io::shell_mass(mesh).measure, 6.75, 1e-12) << text;
  }
}

/// A hexagon that is not in a plane, and six triangles below it. The ears are those of its corners in their order: 1 2 3, 1 3 4,
/// 1 4 5, 1 5 6.
TEST_F(MeshFiles, of_obj_polygons_that_are_not_plane) {
  const double z[] = {1, 1.25, 0.75, 1.5, 1, 0.5};
  std::vector<Vec3> p;
  std::string text;
  for (int k = 0; k < 6; ++k) {
    // Numbers that floats have, around the origin.
    const Vec3 at[] = {{2, 0, 0},  {1, 1.5, 0},   {-1, 1.5, 0},
                       {-2, 0, 0}, {-1, -1.5, 0}, {1, -1.5, 0}};
    p.push_back(at[k] + Vec3{0, 0, z[k]});
    text += "v " + to_text(p.back().x) + ' ' + to_text(p.back().y) + ' ' + to_text(z[k]) + '\n';
  }
  text += "v 0 0 0\nf 1 2 3 4 5 6\nf 2 1 7\nf 3 2 7\nf 4 3 7\nf 5 4 7\nf 6 5 7\nf 1 6 7\n";
  write("dome.obj", text);
  double volume = 0;
  for (std::size_t k = 2; k < 6; ++k) volume += dot(p[0], cross(p[k - 1], p[k])) / 6;
  EXPECT_NEAR(
      io::solid_mass(io::read_mesh(folder / "dome.obj", "", io::ObjectsOfFile::first)).measure,
      volume, 1e-12);
}

/// Of a file with two objects a mesh of MJCF is the first one, as in MuJoCo; what is drawn has both.
TEST_F(MeshFiles, of_obj_with_several_objects) {
  const std::string first = obj(box({-0.5, -1, -1.5}, {0.5, 1, 1.5}));
  write("two.obj", first +
                       "g other\nv 5 5 5\nv 6 5 5\nv 5 6 5\nv 5 5 6\n"
                       "f 9 11 10\nf 9 10 12\nf 9 12 11\nf 10 11 12\n");
  EXPECT_EQ(io::read_mesh(folder / "two.obj").faces.size(), 16U);
  expect_inertia(body("<mesh name='m' file='two.obj'/>", "type='mesh' mesh='m' density='1'"), 6, {},
                 box_tensor(1, 2, 3), 1e-7);
}

/// Files that included files name are in the folder of meshes, or else beside the included file.
TEST_F(MeshFiles, of_included_files) {
  write("parts/list/asset.xml",
        "<mujocoinclude><asset><mesh name='near' file='../cube.obj' scale='1 2 3'/>"
        "<mesh name='far' file='cube.obj' scale='1 2 3'/></asset></mujocoinclude>");
  write("parts/cube.obj", obj(box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5})));
  write("meshes/cube.obj", obj(box({-1, -1, -1}, {1, 1, 1})));
  const std::string include = "<compiler meshdir='meshes'/><include file='parts/list/asset.xml'/>";
  expect_inertia(body("", "type='mesh' mesh='near' density='1'", include), 6, {},
                 box_tensor(1, 2, 3), 1e-7);
  expect_inertia(body("", "type='mesh' mesh='far' density='1'", include), 48, {},
                 box_tensor(2, 4, 6), 1e-7);
}

TEST_F(MeshFiles, of_points_hulls_shells_and_builtins) {
  const std::string cube = "vertex='0 0 0 2 0 0 0 2 0 2 2 0 0 0 2 2 0 2 0 2 2 2 2 2 1 1 1'";
  expect_inertia(body("<mesh name='m' " + cube + "/>", "type='mesh' mesh='m' density='1'"), 8,
                 {1, 1, 1}, box_tensor(2, 2, 2), 1e-12);
  // A shell with the mass of a cube's six faces; per face 4 (4 + 4) / 12 about its normal.
  expect_inertia(
      body("<mesh name='m' inertia='shell' " + cube + "/>", "type='mesh' mesh='m' density='1'"), 24,
      {1, 1, 1}, Sym3::diagonal(80.0 / 3, 80.0 / 3, 80.0 / 3), 1e-12);
  // Faces that enclose a corner of the cube only; the hull is that of all its points.
  const std::string corner = " face='0 2 1 0 1 4 0 4 2 1 2 4'";
  const double d = 6 * 32 * (2.0 / 60 - 2.0 / 96), p = -6 * 32 * (1.0 / 120 - 1.0 / 96);
  expect_inertia(body("<mesh name='m' inertia='exact' " + cube + corner + "/>",
                      "type='mesh' mesh='m' density='6'"),
                 8, {0.5, 0.5, 0.5}, {d, p, p, d, p, d}, 1e-12);
  expect_inertia(body("<mesh name='m' inertia='convex' " + cube + corner + "/>",
                      "type='mesh' mesh='m' density='1'"),
                 8, {1, 1, 1}, box_tensor(2, 2, 2), 1e-12);
  const MeshMass ball = io::solid_mass(io::builtin_mesh("sphere", std::array{2.0}));
  expect_inertia(
      body("<mesh name='m' builtin='sphere' params='2'/>", "type='mesh' mesh='m' density='1'"),
      ball.measure, {}, ball.tensor, 1e-12);
}

TEST_F(MeshFiles, primitives_are_fitted) {
  // The box of equal inertia of a box is the box; its longest edge is along z of the fit.
  const std::string mesh =
      "<mesh name='m' vertex='0 0 0 6 0 0 0 2 0 6 2 0 0 0 4 6 0 4 0 2 4 6 2 4'/>";
  const Vec3 center{3, 1, 2};
  expect_inertia(body(mesh, "type='box' mesh='m' density='1'"), 48, center, box_tensor(6, 2, 4),
                 1e-12);
  const auto round = [](double m, double across, double along) {
    return Sym3::diagonal(m * along, m * across, m * across);
  };
  {  // radius 1.5, half length 3
    const double m = M_PI * 2.25 * 6;
    expect_inertia(body(mesh, "type='cylinder' mesh='m' density='1'"), m, center,
                   round(m, 2.25 / 4 + 3, 2.25 / 2), 1e-12);
  }
  {  // bounds: radius 2, twice as large by fitscale
    const double m = M_PI * 16 * 12;
    expect_inertia(body(mesh, "type='cylinder' mesh='m' density='1' fitscale='2'",
                        "<compiler fitaabb='true'/>"),
                   m, center, round(m, 16.0 / 4 + 12, 16.0 / 2), 1e-12);
  }
  {  // without a type: a sphere of the mean half edge
    const double m = 4.0 / 3 * M_PI * 8, I = 0.4 * m * 4;
    expect_inertia(body(mesh, "mesh='m' density='1'"), m, center, Sym3::diagonal(I, I, I), 1e-12);
  }
}

TEST_F(MeshFiles, shells_of_primitives) {
  const auto shell = [&](const std::string& geom) {
    const Read a = body("", geom + " shellinertia='true' density='1'");
    EXPECT_EQ(a.warnings, std::vector<std::string>{});
    return a.inertia;
  };
  // Compared with fine meshes of the same surfaces.
  const auto compare = [&](const BodyInertia& a, const MeshMass& b, double tolerance) {
    expect_mass({a.mass, a.com, a.tensor}, b.measure, b.center, b.tensor, tolerance);
  };
  compare(shell("type='box' size='0.1 0.2 0.3'"),
          io::shell_mass(box({-0.1, -0.2, -0.3}, {0.1, 0.2, 0.3})), 1e-12);
  TriangleMesh ball = io::builtin_mesh("sphere", std::array{6.0}), capsule = ball;
  compare(shell("size='1'"), io::shell_mass(ball), 3e-4);
  for (Vec3& p : capsule.vertices) p.z += p.z > 1e-9 ? 0.7 : p.z < -1e-9 ? -0.7 : 0.7;
  compare(shell("type='capsule' size='1 0.7'"), io::shell_mass(capsule), 3e-2);
  const TriangleMesh prism =
      io::convex_hull(io::builtin_mesh("cone", std::array{400.0, 1.0}).vertices);
  compare(shell("type='cylinder' size='1 1'"), io::shell_mass(prism), 1e-4);
  // The shell between similar ellipsoids, and Thomsen's area, near a sphere.
  const BodyInertia a = shell("type='ellipsoid' size='1 1 1.000001'");
  EXPECT_NEAR(a.mass, 4 * M_PI, 1e-4);
  EXPECT_NEAR(a.tensor.xx, 8.0 / 3 * M_PI, 1e-4);
  EXPECT_SAYS(body("<mesh name='m' builtin='sphere' params='1'/>",
                   "type='mesh' mesh='m' shellinertia='true'"),
              "inertia=\"shell\"");
}

TEST_F(MeshFiles, that_cannot_be_used_are_named) {
  const auto says = [&](const Read& a, std::initializer_list<const char*> parts) {
    ASSERT_EQ(a.warnings.size(), 1U);
    for (const char* part : parts)
      EXPECT_NE(a.warnings[0].find(part), std::string::npos) << a.warnings[0];
  };
  const Read missing = body("<mesh name='m' file='no.stl'/>", "type='mesh' mesh='m'");
  says(missing, {"m.xml:1", "body 'b'", "mesh 'm'", "'no.stl'", "no such file", "<inertial>"});
  EXPECT_EQ(missing.inertia.mass, 0);
  // A mass is a mass without the file, too.
  const Read point =
      body("<mesh name='m' file='no.stl'/>", "type='mesh' mesh='m' mass='3' pos='1 2 3'");
  says(point, {"mesh 'm'", "not known", "point"});
  EXPECT_EQ(point.inertia.mass, 3);
  EXPECT_EQ(point.inertia.com, (Vec3{1, 2, 3}));
  EXPECT_EQ(body("<mesh name='m' file='no.stl'/>", "type='mesh' mesh='m' density='0'").warnings,
            std::vector<std::string>{});
  EXPECT_EQ(body("<mesh name='m' file='no.stl'/>", "type='mesh' mesh='m' group='1'",
                 "<compiler inertiagrouprange='0 0'/>")
                .warnings,
            std::vector<std::string>{});
  TriangleMesh open = box({0, 0, 0}, {1, 1, 1});
  write("in.obj", obj(reversed(open)));
  open.faces.pop_back();
  write("open.obj", obj(open));
  says(body("<mesh name='m' inertia='exact' file='open.obj'/>", "type='mesh' mesh='m'"),
       {"mesh 'm'", "open at 3 edges", "convex"});
  says(body("<mesh name='m' inertia='exact' file='in.obj'/>", "type='mesh' mesh='m'"),
       {"oriented inward", "convex"});
  says(body("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/>", "type='mesh' mesh='m'"),
       {"in a plane"});
  says(body("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2 1 3 2'/>",
            "type='mesh' mesh='m'"),
       {"no volume", "shell"});
  says(body("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/>",
            "type='mesh' mesh='m'"),
       {"corner 9", "4 vertices"});
  says(body("<mesh name='m' vertex='0 0 0 1'/>", "type='mesh' mesh='m'"), {"4 numbers"});
  says(body("<mesh name='m' vertex='0 0 0' face='0 1.5 2'/>", "type='mesh' mesh='m'"), {"1.5"});
  says(body("<mesh name='m'/>", "type='mesh' mesh='m'"), {"neither file, vertex nor builtin"});
  says(body("<mesh name='m' inertia='shel' vertex='0 0 0'/>", "type='mesh' mesh='m'"),
       {"'shel'", "shell"});
  says(body("<mesh name='m' builtin='wedge' params='1'/>", "type='mesh' mesh='m'"), {"'wedge'"});
  EXPECT_SAYS(body("<mesh name='arm' builtin='sphere' params='1'/>", "type='mesh' mesh='amr'"),
              "no mesh 'amr'", "'arm'");
  EXPECT_SAYS(body("", "type='mesh'"), "has no mesh");
  write("short.msh", "abc");
  write("long.msh", std::string(16, '\1'));
  EXPECT_SAYS(io::read_mesh(folder / "short.msh"), "header");
  EXPECT_SAYS(io::read_mesh(folder / "long.msh"), "16 bytes");
  EXPECT_SAYS(io::read_mesh(folder / "short.msh", ".3ds"), ".msh");
}

}  // namespace mesh_test
