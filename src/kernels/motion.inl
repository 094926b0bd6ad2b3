// Included by one translation unit per instruction set, inside its own namespace. Nothing here may
// leave the unit: a function shared by units would run with the instructions of either. So there are
// no calls into other headers, and everything is in an unnamed namespace.

namespace {

using V4 = double __attribute__((vector_size(32)));  // x, y, z, unused
using I4 = long long __attribute__((vector_size(32)));

inline __attribute__((always_inline)) V4 load(const void* p) {
  V4 a{};
  __builtin_memcpy(&a, p, 24);
  return a;
}
inline __attribute__((always_inline)) void store(void* p, V4 a) { __builtin_memcpy(p, &a, 24); }
/// Also writes a fourth number, for what follows in the same struct and is stored next.
inline __attribute__((always_inline)) void store_wide(void* p, V4 a) {
  __builtin_memcpy(p, &a, 32);
}
inline __attribute__((always_inline)) V4 cross(V4 a, V4 b) {
  const V4 c =
      a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

/// math/sincos.hpp on four angles; beyond its range the C library.
inline __attribute__((always_inline)) void sincos(const double* x, double* sine, double* cosine) {
  V4 a;
  __builtin_memcpy(&a, x, 32);
  const V4 shifted = a * 0.63661977236758134308 + 6755399441055744.0;
  const V4 k = shifted - 6755399441055744.0;
  const I4 quadrant = __builtin_bit_cast(I4, shifted);
  const V4 near = a - k * 1.57079632673412561417, part = k * 6.07710050630396597660e-11;
  const V4 r = near - part, tail = ((near - r) - part) - k * 2.02226624879595063154e-21;
  const V4 z = r * r, y = z * z, half = 0.5 * z, rest = 1 - half;
  const V4 s =
      r + (tail + r * z *
                      ((-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03) +
                       y * ((-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                            y * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const V4 c =
      rest + (((1 - rest) - half) +
              (y * ((4.16666666666666019037e-02 + z * -1.38888888888741095749e-03) +
                    y * ((2.48015872894767294178e-05 + z * -2.75573143513906633035e-07) +
                         y * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))) -
               r * tail));
  const I4 s_bits = __builtin_bit_cast(I4, s), c_bits = __builtin_bit_cast(I4, c);
  const I4 swap = (s_bits ^ c_bits) & (0 - (quadrant & 1));
  const I4 s_out = (s_bits ^ swap) ^ ((quadrant & 2) << 62);
  const I4 c_out = (c_bits ^ swap) ^ (((quadrant + 1) & 2) << 62);
  __builtin_memcpy(sine, &s_out, 32);
  __builtin_memcpy(cosine, &c_out, 32);
  for (int i = 0; i < 4; ++i)
    if (!(__builtin_fabs(x[i]) < 1e5)) [[unlikely]]
      sine[i] = __builtin_sin(x[i]), cosine[i] = __builtin_cos(x[i]);
}

/// A link in motion, in registers.
struct Moving {
  V4 x, y, z, r;  // pose
  V4 w, v;        // hybrid twist
  V4 a, rdd;      // hybrid acceleration
};

template <int Level>
inline __attribute__((always_inline)) Moving moving(const MotionPass& pass, int i) {
  const auto* C = reinterpret_cast<const double*>(pass.C + i);
  Moving m{load(C), load(C + 3), load(C + 6), load(C + 9), {}, {}, {}, {}};
  if constexpr (Level >= 1) {
    const auto* V = reinterpret_cast<const double*>(pass.V_h + i);
    m.w = load(V), m.v = load(V + 3);
  }
  if constexpr (Level >= 2) {
    const auto* A = reinterpret_cast<const double*>(pass.A_h + i);
    m.a = load(A), m.rdd = load(A + 3);
  }
  return m;
}

template <int Level>
void run(const MotionPass& pass, int nq) {
  for (int k = 0; k < nq; k += 4) sincos(pass.q + k, pass.sine + k, pass.cosine + k);
  const Moving ground{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {}, {}, {}, {}, {}};
  Moving m = ground;  // the link before
  for (int i = 0; i < pass.count; ++i) {
    const Link& link = pass.links[i];
    if (link.parent != i - 1) m = link.parent < 0 ? ground : moving<Level>(pass, link.parent);
    const Moving p = m;
    const bool turns = link.motion == LinkMotion::turn || link.motion == LinkMotion::screw;
    const bool simple = turns || link.motion == LinkMotion::slide;
    const auto* P = reinterpret_cast<const double*>(simple ? &link.P : pass.local + i);
    const auto times = [&](double a, double b, double c) { return p.x * a + p.y * b + p.z * c; };

    m.z = times(P[6], P[7], P[8]);
    if (turns) {
      const double s = pass.sine[link.q_index], c = pass.cosine[link.q_index];
      m.x = times(c * P[0] + s * P[3], c * P[1] + s * P[4], c * P[2] + s * P[5]);
      m.y = times(c * P[3] - s * P[0], c * P[4] - s * P[1], c * P[5] - s * P[2]);
    } else {
      m.x = times(P[0], P[1], P[2]);
      m.y = times(P[3], P[4], P[5]);
    }
    V4 d = times(P[9], P[10], P[11]);
    const double slide = link.motion == LinkMotion::turn ? 0
                         : simple                        ? (turns ? link.pitch : 1.0)
                                                         : 0;
    if (link.motion != LinkMotion::turn && simple) d += (slide * pass.q[link.q_index]) * m.z;
    m.r = p.r + d;
    auto* C = reinterpret_cast<double*>(pass.C + i);
    store_wide(C, m.x), store_wide(C + 3, m.y), store_wide(C + 6, m.z), store(C + 9, m.r);

    if constexpr (Level >= 1) {
      // u, ud: what the joint adds, in world axes.
      V4 u_w{}, u_v{}, ud_w{}, ud_v{};
      if (simple) {
        const double v = pass.v[link.v_index];
        if (turns) u_w = v * m.z;
        if (link.motion != LinkMotion::turn) u_v = (slide * v) * m.z;
        if constexpr (Level >= 2) {
          const double vd = pass.vd[link.v_index];
          if (turns) ud_w = vd * m.z;
          if (link.motion != LinkMotion::turn) ud_v = (slide * vd) * m.z;
        }
      } else {
        const auto world = [&](const double* b) { return m.x * b[0] + m.y * b[1] + m.z * b[2]; };
        const auto* u = reinterpret_cast<const double*>(pass.u + i);
        u_w = world(u), u_v = world(u + 3);
        if constexpr (Level >= 2) {
          const auto* ud = reinterpret_cast<const double*>(pass.ud + i);
          ud_w = world(ud), ud_v = world(ud + 3);
        }
      }
      const V4 wd = cross(p.w, d);
      m.w = p.w + u_w;
      m.v = p.v + wd + u_v;
      auto* V = reinterpret_cast<double*>(pass.V_h + i);
      store_wide(V, m.w), store(V + 3, m.v);
      if constexpr (Level >= 2) {
        m.a = p.a + ud_w + cross(p.w, u_w);
        m.rdd = p.rdd + cross(p.a, d) + cross(p.w, wd) + ud_v;
        if (link.motion != LinkMotion::turn) m.rdd += cross(p.w + m.w, u_v);
        auto* A = reinterpret_cast<double*>(pass.A_h + i);
        store_wide(A, m.a), store(A + 3, m.rdd);
      }
    }
  }
}

template <int Level>
void pass_of_level(const MotionPass& pass) {
  if (pass.count == 0) return;
  const Link& last = pass.links[pass.count - 1];
  run<Level>(pass, last.q_index + last.nq);
}

}  // namespace

MotionKernel motion_kernel(int level) {
  return level == 0 ? pass_of_level<0> : level == 1 ? pass_of_level<1> : pass_of_level<2>;
}
