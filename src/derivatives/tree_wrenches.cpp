/// Applied wrenches along a motion, tree_series.hpp (5).
#include "chasles/screws/representation.hpp"
#include "derivatives/tree_series.hpp"
#include "model/model_data.hpp"

namespace chasles::derivatives {

void TreeSeries::start_wrenches(const AppliedSeries& applied) {
  wrenches_ = 0;
  if (applied.wrenches.empty()) return;
  const std::size_t given = applied.wrenches.size();
  if (applied.rates.size() % given != 0)
    throw Error("there are " + std::to_string(applied.rates.size()) + " rates of " +
                std::to_string(given) + " wrenches; give as many of each, or none");
  levels_ = 1 + applied.rates.size() / given;
  C_.resize(C_rel_.size());
  for (std::size_t i = 0; i < C_.size(); ++i) {
    const int p = tree_links(model_)[i].parent;
    C_[i] = p < 0 ? C_rel_[i] : C_[static_cast<std::size_t>(p)] * C_rel_[i];
  }
  if (applied_.size() < given) applied_.resize(given);
  for (std::size_t w = 0; w < given; ++w) {
    const AppliedWrench& from = applied.wrenches[w];
    require_frame(from.frame, model_);
    lie::require_known(from.representation);
    if (from.frame.link < 0) continue;
    AppliedTable& table = applied_[wrenches_++];
    table.frame = from.frame;
    table.representation = from.representation;
    table.V.resize(length_);
    if (table.Y.size() < levels_ * length_) table.Y.resize(levels_ * length_);
    const SE3 C = C_[static_cast<std::size_t>(from.frame.link)] * from.frame.offset;
    for (std::size_t m = 0; m < levels_; ++m)
      table.Y[m * length_] = lie::to_body(
          m == 0 ? from.W : applied.rates[w * (levels_ - 1) + m - 1], C, from.representation);
  }
}

/// -W_app[k] to z.
void TreeSeries::add_wrench(AppliedTable& table, std::size_t k) {
  const auto i = static_cast<std::size_t>(table.frame.link);
  const bool mixed = table.representation == Representation::mixed;
  Twist V = Ad_inv(table.frame.offset, V_[at(i, k)]);
  if (table.representation != Representation::spatial) V.v = {};
  if (table.representation == Representation::body) V.w = {};
  table.V[k] = V;
  for (std::size_t m = 0; k > 0 && m < levels_; ++m) {
    const Wrench* Y = &table.Y[m * length_];
    Wrench sum = m + 1 < levels_ ? Y[length_ + k - 1] : Wrench{};
    for (std::size_t j = 0; j < k; ++j) {
      const Wrench& turned = Y[k - 1 - j];
      sum += ad_dual(table.V[j], mixed ? Wrench{{}, turned.f} : turned);
    }
    table.Y[m * length_ + k] = (1 / static_cast<double>(k)) * sum;
  }
  z_[i] -= Ad_inv_dual(table.frame.offset, table.Y[k]);
}

}  // namespace chasles::derivatives
