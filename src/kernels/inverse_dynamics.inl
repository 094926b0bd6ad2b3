// Included by dynamics.inl. Recursive Newton-Euler in the frames of the links, without linear
// velocities. Per link: angular velocity w and acceleration al, acceleration a of the origin minus
// gravity, O = al~ + w~ w~ (docs/theory/performance.md):
//
//   w  = R^T w_p + u_w
//   al = R^T al_p + R^T w_p x u_w + ud_w
//   a  = R^T (a_p + O_p r) + (R^T w_p + w) x u_v + ud_v
//   f  = m a + O c,   n = c x a + (I al + w x I w)
//
// and inward  f_p += R f,  n_p += R n + r x R f.

template <class Sp>
struct InverseLink {
  typename Sp::Mat R;
  typename Sp::Vec r, n, f;
};
template <class Sp>
struct InverseMotion {
  typename Sp::Vec w, al, a;
  typename Sp::Mat O;
};

template <class Sp>
__attribute__((flatten)) int run_inverse_dynamics(const Pass<typename Sp::Real>& pass) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size());
  auto* stored = reinterpret_cast<InverseLink<Sp>*>(pass.work);
  auto* motions = reinterpret_cast<InverseMotion<Sp>*>(stored + count);  // of links that branch
  const Angles<Sp> angles(pass.q, tree.nq, reinterpret_cast<Real*>(motions + count));

  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const InverseMotion<Sp> ground{zero, zero, -Sp::constant(tree.gravity), {zero, zero, zero}};
  InverseMotion<Sp> m = ground;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent != i - 1) m = link.parent < 0 ? ground : motions[link.parent];
    InverseLink<Sp>& out = stored[i];
    typename Sp::Mat T = constant_matrix<Sp>(link.C);
    Vec r = Sp::constant(link.r);
    move<Sp>(pass, angles, link, T, r);
    const typename Sp::Rotation R = Sp::rotation(T);
    out.R = T;
    out.r = r;
    const Vec w = Sp::back(R, m.w), al = Sp::back(R, m.al), a = Sp::back(R, m.a + m.O * r);
    m.w = w, m.al = al, m.a = a;
    if (link.motion <= LinkMotion::screw) {
      const S v = Sp::load(pass.v, link.v), vd = pass.force ? Sp::load(pass.force, link.v) : S(0);
      if (link.motion != LinkMotion::slide) {
        m.w = Sp::add_z(w, v);
        m.al = Sp::add_z(al + Sp::cross_z(w, v), vd);
      }
      if (link.motion != LinkMotion::turn) {
        const S h = link.motion == LinkMotion::slide ? S(1) : S(link.E_off[3]);
        m.a = Sp::add_z(a + Sp::cross_z(w, S(2) * h * v), h * vd);
      }
    } else {
      const Six<Sp> u = group_twist<Sp>(pass, link, pass.v);
      Six<Sp> ud = group_twist<Sp>(pass, link, pass.force);
      add_screw_rate<Sp>(pass, link, ud);
      m.w = w + u.w;
      m.al = al + cross(w, u.w) + ud.w;
      m.a = a + cross(w + m.w, u.v) + ud.v;
    }
    m.O = Sp::omega(m.w, m.al);
    const Vec c = Sp::constant(link.mc);
    const auto E = Sp::sym(link.E_diag, link.E_off);
    out.f = S(link.mc[3]) * m.a + Sp::times(m.O, link.mc);
    out.n = cross(c, m.a) + Sp::spin(m.O, E, S(link.E_diag[3]), m.w, m.al);
    if (pass.wrench) {
      out.n -= Sp::load_vec(pass.wrench, 6 * i);
      out.f -= Sp::load_vec(pass.wrench, 6 * i + 3);
    }
    if (link.branches) motions[i] = m;
  }

  Vec n = zero, f = zero;
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    const InverseLink<Sp>& in = stored[i];
    const bool carried = i + 1 < count && links[i + 1].parent == i;
    n = carried ? n + in.n : in.n;
    f = carried ? f + in.f : in.f;
    if (link.motion <= LinkMotion::screw) {
      S tau = link.motion == LinkMotion::slide ? Sp::z(f) : Sp::z(n);
      if (link.motion == LinkMotion::screw) tau = tau + S(link.E_off[3]) * Sp::z(f);
      Sp::store(pass.out, link.v, tau);
    } else {
      for (int k = 0; k < link.nv; ++k) {
        const Six<Sp> X = group_screw<Sp>(pass, link, k);
        Sp::store(pass.out, link.v + k, dot(X.w, n) + dot(X.v, f));
      }
    }
    if (link.parent < 0) continue;
    f = in.R * f;
    n = in.R * n + cross(in.r, f);
    if (link.parent == i - 1) continue;
    stored[link.parent].n += n;
    stored[link.parent].f += f;
  }
  return -1;
}

template <class Sp>
std::size_t inverse_dynamics_work(std::size_t count, int nq) {
  return count * (sizeof(InverseLink<Sp>) + sizeof(InverseMotion<Sp>)) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
