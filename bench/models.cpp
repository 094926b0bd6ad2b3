#include "models.hpp"

#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/geodesic.hpp"
#include "chasles/mechanism/builder.hpp"

using namespace chasles;

namespace {

class Maker {
 public:
  explicit Maker(std::string name) : builder_(std::move(name)) {}

  /// A body of random shape on a joint; its frame is where the joint is.
  void body(const std::string& name, const std::string& parent, const SE3& in_parent,
            bool free = false) {
    const Joint joint =
        free ? joints::floating() : joints::revolute({0, 0, 1}, {}, DescribedIn::body);
    builder_.body(name, parent, joint).pose(in_parent, DescribedIn::parent);
    const Vec3 a{side(), side(), side()};  // a box of water, somewhere near the joint
    const double m = 1000 * a.x * a.y * a.z, xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    const Sym3 box = Sym3::diagonal(m / 12 * (yy + zz), m / 12 * (xx + zz), m / 12 * (xx + yy));
    builder_.inertia(m, random_tangent<Vec3>(generator_, 0.1),
                     rotate(random_rotation<double>(generator_).matrix(), box));
  }
  SE3 nearby(double size = 0.3) {
    return {random_rotation<double>(generator_), random_tangent<Vec3>(generator_, size)};
  }
  /// `joints` bodies in a row, the first on `parent`.
  void limb(const std::string& name, const std::string& parent, int joints) {
    std::string last = parent;
    for (int k = 1; k <= joints; ++k) {
      const std::string next = name + std::to_string(k);
      body(next, last, nearby(0.2));
      last = next;
    }
  }
  Mechanism build() const { return builder_.build(); }

 private:
  double side() { return std::uniform_real_distribution<double>(0.1, 0.3)(generator_); }
  std::mt19937_64 generator_{1};
  MechanismBuilder builder_;
};

}  // namespace

Mechanism chain(int n) {
  Maker make("chain" + std::to_string(n));
  make.limb("body", std::string(ground), n);
  return make.build();
}

Mechanism binary_tree(int levels) {
  const int n = (1 << levels) - 1;
  Maker make("tree" + std::to_string(n));
  for (int i = 1; i <= n; ++i)
    make.body("body" + std::to_string(i),
              i == 1 ? std::string(ground) : "body" + std::to_string(i / 2), make.nearby());
  return make.build();
}

Mechanism humanoid() {
  Maker make("humanoid");
  make.body("pelvis", std::string(ground), {}, true);
  make.limb("waist", "pelvis", 3);
  for (const std::string side : {"left_", "right_"}) {
    make.limb(side + "leg", "pelvis", 6);
    make.limb(side + "arm", "waist3", 7);
  }
  make.limb("neck", "waist3", 3);
  return make.build();
}

Mechanism quadruped() {
  Maker make("quadruped");
  make.body("trunk", std::string(ground), {}, true);
  for (int leg = 1; leg <= 4; ++leg) make.limb("leg" + std::to_string(leg) + "_", "trunk", 3);
  return make.build();
}

std::vector<Mechanism> robots(const std::filesystem::path& folder) {
  std::vector<Mechanism> found;
  const struct {
    const char *file, *name;
    bool free;
  } known[] = {{"panda_nofingers.urdf", "panda", false}, {"anymal.urdf", "anymal", true}};
  for (const auto& robot : known) {
    if (!std::filesystem::exists(folder / robot.file)) continue;
    std::vector<std::string> warnings;
    found.push_back(read_mechanism(folder / robot.file, {robot.free, &warnings}));
    found.back().name = robot.name;
  }
  return found;
}
