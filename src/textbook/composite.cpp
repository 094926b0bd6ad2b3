#include "chasles/textbook/composite.hpp"

#include "access.hpp"
#include "dynamics/links.hpp"
#include "math/not_computed.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {

using namespace dynamics;

CompositeBodies::CompositeBodies(const Model& model)
    : M(not_computed<Matrix>(model.nv(), model.nv())), model_(model) {
  fit(model);
}
void CompositeBodies::fit(const Model& model) {
  require_model("the workspace", model_, model);
  J.resize(static_cast<std::size_t>(model.nv()));
  Mc.resize(tree_links(model).size());
  M.resize(model.nv(), model.nv());
}

void composite_bodies(const Model& model, const PositionKinematics& kin, CompositeBodies& out) {
  detail::Access::fit(out, model);
  require_model("the kinematics", kin.model(), model);
  out.reference_point = reference_point(kin);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const SE3 C = about(out.reference_point, kin.C()[i]);
    for (std::size_t k = first; k < last; ++k)
      out.J[k] = Ad(C, screw_of_v(model, link, kin.q(), k));
    out.Mc[i] = transform(C, link.inertia);
  });
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent >= 0) out.Mc[parent_of(link)] += out.Mc[i];
  });
}

const Matrix& mass_matrix(const Model& model, const PositionKinematics& kin, CompositeBodies& out) {
  composite_bodies(model, kin, out);
  out.M.setZero();
  for_links(model, [&](const Link&, std::size_t i, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const Wrench momentum = out.Mc[i] * out.J[k];
      const auto row = static_cast<Eigen::Index>(k);
      for_links_inward_from(model, i, [&](const Link& carrier, std::size_t) {
        for (int j = carrier.v_index; j < carrier.v_index + carrier.nv; ++j)
          out.M(row, j) = out.M(j, row) = dot(momentum, out.J[static_cast<std::size_t>(j)]);
      });
    }
  });
  add_armatures(model, out.M);
  return out.M;
}

}  // namespace chasles::textbook
