/// Results of a workspace, handed back to it as arguments: what comes out is what copies of them give, bit for
/// bit. The same for a vector that is argument and result.
#include <gtest/gtest.h>

#include "misuse/functions.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

using namespace test;

/// Copies of the results; invalid configurations are refused by both.
std::vector<Vector> results_of(const Function& f, Arguments& x) {
  try {
    const Results results = f.call(x);
    return {results.begin(), results.end()};
  } catch (const Error& e) {
    return {};
  }
}
bool same_bits(const Vector& a, const Vector& b) {
  if (a.size() != b.size() || a.size() == 0) return a.size() == b.size();
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}
Arguments views(std::vector<Vector>& own) {
  Arguments all;
  for (Vector& x : own) all.push_back(view(x));
  return all;
}
bool is_filled(char kind) { return std::isupper(static_cast<unsigned char>(kind)) != 0; }

/// @param f, other  the same function with two workspaces
void expect_own_results_taken(const Function& f, const Function& other, const Model& model) {
  std::mt19937_64 generator(5);
  if (f.shape.find_first_of("mM") != std::string::npos) return;
  std::vector<Vector> own = arguments(f.shape, model, 0, generator);
  Arguments first = views(own);
  const std::size_t count = f.call(first).size();
  for (std::size_t result = 0; result < count; ++result)
    for (std::size_t k = 0; k < own.size(); ++k)
      for (const bool last : {false, true}) {
        View memory = f.call(first)[result];
        if (memory.size() < own[k].size()) continue;
        const Eigen::Index at = last ? memory.size() - own[k].size() : 0;
        Arguments aliased = first;
        new (&aliased[k]) View(memory.data() + at, own[k].size());
        std::vector<Vector> copies = own;
        copies[k] = aliased[k];
        Arguments separate = views(copies);
        const std::vector<Vector> expected = results_of(other, separate),
                                  found = results_of(f, aliased);
        ASSERT_EQ(expected.size(), found.size()) << f.name;
        for (std::size_t r = 0; r < expected.size(); ++r)
          EXPECT_TRUE(same_bits(found[r], expected[r]))
              << f.name << ": argument " << k << " is result " << result << " from " << at
              << ", result " << r << " is off by " << (found[r] - expected[r]).norm() << " of "
              << expected[r].norm();
      }
}

/// A vector that is argument and result.
void expect_filled_in_place(const Function& f, const Model& model, int rows) {
  std::mt19937_64 generator(6);
  for (std::size_t out = 0; out < f.shape.size(); ++out)
    for (std::size_t in = 0; in < f.shape.size(); ++in) {
      if (!is_filled(f.shape[out]) || is_filled(f.shape[in])) continue;
      std::vector<Vector> own = arguments(f.shape, model, rows, generator), copies = own;
      if (own[in].size() != own[out].size()) continue;
      Arguments separate = views(copies), shared = views(own);
      new (&shared[out]) View(shared[in].data(), shared[in].size());
      f.call(separate), f.call(shared);
      EXPECT_TRUE(same_bits(own[in], copies[out]))
          << f.name << ": result " << out << " is argument " << in << ", off by "
          << (own[in] - copies[out]).norm();
    }
}

/// @param system, other  the same
void expect_aliases_taken(const Model& model, const std::shared_ptr<MechanismState>& system,
                          const std::shared_ptr<MechanismState>& other) {
  const std::vector<Function> list = system_functions(system), others = system_functions(other);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const State at = system->at();
    other->set(at);
    expect_own_results_taken(list[i], others[i], model);
    for (const auto& s : {system, other}) s->set(at);
    expect_filled_in_place(list[i], model, system->constraint_count());
  }
}
void expect_aliases_taken(const Model& model) {
  const std::vector<Function> list = tree_functions(model), others = tree_functions(model);
  for (std::size_t i = 0; i < list.size(); ++i) {
    expect_own_results_taken(list[i], others[i], model);
    expect_filled_in_place(list[i], model, 0);
  }
  for (const Function& f : group_functions(model)) expect_filled_in_place(f, model, 0);
  expect_aliases_taken(model, std::make_shared<MechanismState>(model),
                       std::make_shared<MechanismState>(model));
}

TEST(Alias, of_chains_of_all_joints) {
  std::mt19937_64 generator(1);
  for (const std::vector<JointKind>& kinds :
       {std::vector<JointKind>{{JointType::revolute},
                               {JointType::spherical},
                               {JointType::custom, Parameterization::sum}},
        {{JointType::floating, Parameterization::product, FloatingGroup::so3xr3},
         {JointType::cylindrical}},
        {{JointType::floating}, {JointType::helical}, {JointType::planar}}})
    expect_aliases_taken(compile(
        random_mechanism(generator, {.bodies = static_cast<int>(kinds.size()), .kinds = kinds})));
}
TEST(Alias, of_trees_of_constant_screws) {
  std::mt19937_64 generator(2);
  const RandomMechanismOptions options{
      .bodies = 7,
      .tree = true,
      .kinds = {{JointType::revolute}, {JointType::spherical}, {JointType::prismatic}}};
  expect_aliases_taken(compile(random_mechanism(generator, options)));
}
TEST(Alias, of_closed_mechanisms) {
  std::mt19937_64 generator(4);
  const LoopedTree looped = looped_tree(generator, 6, {{JointType::spherical}});
  const Model model = compile(looped.mechanism);
  const ConstrainedSystem system(model, ConstraintOptions{}, looped.q);
  expect_aliases_taken(model, std::make_shared<ConstrainedSystem>(system),
                       std::make_shared<ConstrainedSystem>(system));
}

}  // namespace
}  // namespace chasles
