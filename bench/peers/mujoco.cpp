#include "peer.hpp"

#if __has_include(<mujoco/mujoco.h>)
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "chasles/lie/quaternion.hpp"

namespace {

using namespace chasles;

std::string mjcf(const Mechanism& mechanism, const Model& model) {
  const ReferenceGeometry g = reference_geometry(mechanism);
  std::string text =
      "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option gravity='0 0 "
      "0'/><worldbody>";
  SE3 parent;
  for (std::size_t i = 0; i < g.A.size(); ++i) {
    const SE3 B = inverse(parent) * g.A[i], J = inverse(g.A[i]) * g.J[i];
    const Quaternion q = quaternion(B.R);
    const Vec3& z = J.R.matrix().c2;
    text += fmt::format(
        "<body pos='{:.17g} {:.17g} {:.17g}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'>"
        "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>"
        "<joint type='hinge' pos='{:.17g} {:.17g} {:.17g}' axis='{:.17g} {:.17g} {:.17g}'/>",
        B.r.x, B.r.y, B.r.z, q.w, q.x, q.y, q.z, J.r.x, J.r.y, J.r.z, z.x, z.y, z.z);
    parent = g.A[i];
  }
  for (int i = 0; i < model.nv(); ++i) text += "</body>";
  return text + "</worldbody></mujoco>";
}

class MuJoCo : public Peer {
 public:
  explicit MuJoCo(mjModel* model) : model_(model), data_(mj_makeData(model)), J_(6, model->nv) {}
  ~MuJoCo() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  std::string name() const override { return "MuJoCo"; }
  void positions(const Eigen::VectorXd& q) override {
    std::copy_n(q.data(), q.size(), data_->qpos);
    mj_kinematics(model_, data_);
  }
  SE3 tip() const override {
    const mjtNum *R = data_->xmat + 9 * (model_->nbody - 1),
                 *r = data_->xpos + 3 * (model_->nbody - 1);
    return {SO3::unchecked(Mat3::rows({R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]})),
            {r[0], r[1], r[2]}};
  }
  bool jacobian(const Eigen::VectorXd& q) override {
    positions(q);
    mj_comPos(model_, data_);
    mj_jacBody(model_, data_, J_.data(), J_.data() + 3 * model_->nv, model_->nbody - 1);
    return true;
  }

 private:
  mjModel* model_;
  mjData* data_;
  Eigen::MatrixXd J_;
};

}  // namespace

std::unique_ptr<Peer> make_mujoco(const chasles::Mechanism& mechanism,
                                  const chasles::Model& model) {
  mjVFS* vfs = static_cast<mjVFS*>(mju_malloc(sizeof(mjVFS)));
  mj_defaultVFS(vfs);
  const std::string text = mjcf(mechanism, model);
  mj_makeEmptyFileVFS(vfs, "chain.xml", static_cast<int>(text.size()));
  const int file = mj_findFileVFS(vfs, "chain.xml");
  std::copy(text.begin(), text.end(), static_cast<char*>(vfs->filedata[file]));
  char error[1000] = "";
  mjModel* m = mj_loadXML("chain.xml", vfs, error, sizeof error);
  mj_deleteVFS(vfs);
  mju_free(vfs);
  if (!m) return nullptr;
  return std::make_unique<MuJoCo>(m);
}
#else
std::unique_ptr<Peer> make_mujoco(const chasles::Mechanism&, const chasles::Model&) {
  return nullptr;
}
#endif
