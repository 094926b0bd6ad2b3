/// MuJoCo: for each work the smallest set of its functions that does it. Its floating joint has the
/// velocity of the origin in the world, then the angular velocity in the body.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/model_data.hpp"
#include "peer.hpp"

namespace {

using namespace chasles;

std::string placed(const SE3& C) {
  const Quaternion q = quaternion(C.R);
  return fmt::format("pos='{:.17g} {:.17g} {:.17g}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'", C.r.x,
                     C.r.y, C.r.z, q.w, q.x, q.y, q.z);
}

/// Bodies nested as the links are, or, `flat`, all of them on the ground.
std::string mjcf(const Model& model, bool flat) {
  const Vec3& g = model.gravity();
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian' inertiafromgeom='false'/>"
      "<option gravity='{:.17g} {:.17g} {:.17g}'/><worldbody>",
      g.x, g.y, g.z);
  std::vector<int> open;  // links whose body is not closed yet
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const Link& link = tree_links(model)[i];
    const Principal p = principal(link.inertia);
    for (; !open.empty() && (flat || open.back() != link.parent); open.pop_back())
      text += "</body>";
    text += fmt::format(
        "<body {}><inertial {} mass='{:.17g}' diaginertia='{:.17g} {:.17g} {:.17g}'/>{}",
        placed(link.P), placed(p.frame), p.mass, p.moments.x, p.moments.y, p.moments.z,
        link.motion == LinkMotion::floating_se3 ? "<freejoint/>"
                                                : "<joint type='hinge' axis='0 0 1'/>");
    open.push_back(static_cast<int>(i));
  }
  for (; !open.empty(); open.pop_back()) text += "</body>";
  return text + "</worldbody></mujoco>";
}

/// Gives the bodies of a flat model their parents. MuJoCo's reader takes elements of at most 100
/// levels (tinyxml2: XML_ELEMENT_DEPTH_EXCEEDED), and MJCF says parents by nesting only.
void nest(mjModel& m, const Model& model) {
  m.nM = 0;
  for (int i = 0; i < m.nv; ++i) {
    const int parent = tree_links(model)[static_cast<std::size_t>(i)].parent;
    m.body_parentid[i + 1] = parent + 1;
    m.body_rootid[i + 1] = parent < 0 ? i + 1 : m.body_rootid[parent + 1];
    m.body_simple[i + 1] = 0;
    m.dof_parentid[i] = parent;
    m.dof_simplenum[i] = 0;
    m.dof_Madr[i] = m.nM;
    for (int j = i; j >= 0; j = m.dof_parentid[j]) ++m.nM;
  }
  for (int i = m.nbody - 1; i > 0; --i)
    if (const int parent = m.body_parentid[i]; parent > 0)
      m.body_subtreemass[parent] += m.body_subtreemass[i];
  m.nD = 2 * m.nM - m.nv;
  m.nstack += 100 * m.nbody;
}

mjModel* load_xml(const std::string& text, std::string& why) {
  mjVFS* vfs = static_cast<mjVFS*>(mju_malloc(sizeof(mjVFS)));
  mj_defaultVFS(vfs);
  mj_makeEmptyFileVFS(vfs, "model.xml", static_cast<int>(text.size()));
  const int file = mj_findFileVFS(vfs, "model.xml");
  std::copy(text.begin(), text.end(), static_cast<char*>(vfs->filedata[file]));
  char error[1000] = "";
  mjModel* m = mj_loadXML("model.xml", vfs, error, sizeof error);
  if (!m) why = error;
  mj_deleteVFS(vfs);
  mju_free(vfs);
  return m;
}

class MuJoCo : public Peer {
 public:
  MuJoCo(const Model& model, mjModel* m)
      : Peer(model),
        model_(m),
        data_(mj_makeData(m)),
        J_(6, m->nv),
        out_(m->nv),
        M_(Eigen::MatrixXd::Zero(m->nv, m->nv)) {}
  ~MuJoCo() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  std::string name() const override { return "MuJoCo"; }
  bool has(Work work) const override { return work != Work::mass_matrix_inverse; }

  void run(Work work, std::size_t i) override {
    set(state(i));
    mj_kinematics(model_, data_);
    if (work == Work::poses) return;
    mj_comPos(model_, data_);
    switch (work) {
      case Work::poses:
      case Work::mass_matrix_inverse:
        break;
      case Work::jacobian:
        mj_jacBody(model_, data_, J_.data(), J_.data() + 3 * model_->nv, model_->nbody - 1);
        break;
      case Work::inverse_dynamics:
        mj_comVel(model_, data_);
        std::copy_n(state(i).ud.data(), model_->nv, data_->qacc);
        mj_rne(model_, data_, 1, out_.data());
        break;
      case Work::forward_dynamics:
        mj_crb(model_, data_);
        mj_factorM(model_, data_);
        mj_comVel(model_, data_);
        mj_rne(model_, data_, 0, data_->qfrc_bias);
        for (int k = 0; k < model_->nv; ++k) out_[k] = state(i).f[k] - data_->qfrc_bias[k];
        mj_solveM(model_, data_, out_.data(), out_.data(), 1);
        break;
      case Work::mass_matrix:
        mj_crb(model_, data_);
        mj_fullM(model_, M_.data(), data_->qM);
        break;
    }
  }
  SE3 tip() const override {
    const mjtNum *R = data_->xmat + 9 * (model_->nbody - 1),
                 *r = data_->xpos + 3 * (model_->nbody - 1);
    return {SO3::unchecked(Mat3::rows({R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]})),
            {r[0], r[1], r[2]}};
  }

 private:
  void set(const Converted& s) {
    mjtNum* q = data_->qpos;
    if (free_base()) {
      const Quaternion& p = s.orientation;
      for (const double x : {s.C.r.x, s.C.r.y, s.C.r.z, p.w, p.x, p.y, p.z}) *q++ = x;
    }
    std::copy_n(s.q.data(), s.q.size(), q);
    std::copy_n(s.u.data(), s.u.size(), data_->qvel);
  }
  void base(const SE3& C, const Vector6& v, Matrix6& T, Vector6& gamma) const override {
    const Eigen::Matrix3d R = to_eigen(C.R.matrix());
    T << Eigen::Matrix3d::Zero(), R, Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
    gamma.setZero();
    const Vec3 w{v[0], v[1], v[2]}, lin{v[3], v[4], v[5]};
    gamma.head<3>() = R * to_eigen(cross(w, lin));
  }
  Eigen::MatrixXd raw(Work work) const override {
    return work == Work::mass_matrix ? M_ : Eigen::MatrixXd(out_);
  }

  mjModel* model_;
  mjData* data_;
  Eigen::MatrixXd J_;
  Eigen::VectorXd out_;
  Eigen::MatrixXd M_;  // row-major, but symmetric
};

}  // namespace

std::unique_ptr<Peer> make_mujoco(const Model& model, std::string& why) {
  mjModel* m = load_xml(mjcf(model, false), why);
  if (!m && tree_links(model).front().motion == LinkMotion::revolute) {
    if ((m = load_xml(mjcf(model, true), why))) nest(*m, model);
  }
  if (!m) return nullptr;
  return std::make_unique<MuJoCo>(model, m);
}
