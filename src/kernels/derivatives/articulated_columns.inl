// Included by dynamics.inl. -M^-1 B for joint-by-joint matrices B, and M^-1 itself, in O(n^2) with the
// articulated-body factors, as in forward_products.inl (3), for several columns at a time:
//
//   inward    t = b - X.F,    y = -D^-1 t,   F_p += (F moved to the parent) + u' t                 (1)
//   outward   x = y - u'.P_p,                P = (P_p moved to the link) + X x                     (2)
//
// u' is u moved to the parent, so that moving F does not wait for a product. F and P stay in registers along
// a piece: a chain of revolute joints without branches. Pieces unrelated to all joints of the columns have F
// = 0 and are skipped.
#pragma once

#include "kernels/articulated.inl"
#include "kernels/vectors/columns.inl"
#include "kernels/vectors/joint_lanes.inl"

template <class Sp>
struct ArticulatedColumns {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  using Out = Result<Sp>;
  using T = typename Joints<Sp>::T;
  static constexpr int width = Joints<Sp>::width, N = 2;  // columns per T; number of T at a time
  /// Per entry of v: its screw, u', d of its link, and -1 / D if D is a scalar.
  struct Joint {
    S X[6], u[6], d[3], D_inv;
  };
  /// Columns of numbers; entry e of v is at at[b] + e stride: b, then y, then x.
  struct Columns {
    Out* at[N];
    std::ptrdiff_t stride;
    CHASLES_INLINE T get(int e, int b) const { return Take<T>().get(at[b] + e * stride); }
    CHASLES_INLINE void put(int e, int b, const T& x) const {
      Take<T>().put(at[b] + e * stride, x);
    }
  };
  struct Six2 {
    T x[6][N];
  };
  /// A chain of revolute joints without branches, or a single other joint.
  struct Piece {
    int begin, end, end_v;  // its entries of v; end of the entries of its subtree
    int parent, link;       // index of the parent piece, -1: ground; its first link
    bool turns, branches;   // revolute; has child pieces other than the next
    enum : char { unrelated, related, hangs } how;  // relation to the joints of the current columns; hangs:
                                                    // contains or descends from one
  };
  const Tree<Real>& tree;
  const LinkConstants<Real>* links;
  int count, nv;
  ArticulatedWork<Sp> work;
  Six2* kept;    // of branching pieces
  T (*rows)[N];  // buffer for a last, incomplete group of columns
  Joint* joints;
  Piece* pieces;
  int* piece_of;  // per link
  int pieces_count = 0;

  ArticulatedColumns(const Tree<Real>& of, const ArticulatedWork<Sp>& factors, char* room)
      : tree(of),
        links(of.links.data()),
        count(static_cast<int>(of.links.size())),
        nv(of.nv),
        work(factors) {
    kept = reinterpret_cast<Six2*>(room);
    rows = reinterpret_cast<T(*)[N]>(kept + count);
    joints = reinterpret_cast<Joint*>(rows + nv);
    pieces = reinterpret_cast<Piece*>(joints + nv);
    piece_of = reinterpret_cast<int*>(pieces + count);
  }
  static std::size_t bytes(const Tree<Real>& tree) {
    return tree.links.size() * (sizeof(Six2) + sizeof(Piece) + sizeof(int)) +
           static_cast<std::size_t>(tree.nv) * (N * sizeof(T) + sizeof(Joint));
  }

  /// From the factors of articulated_inward: without bias, or kept from forward dynamics.
  CHASLES_INLINE void list_joints(bool of_forward_dynamics) {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    const auto put = [](S* to, const Vec& a) {
      to[0] = Sp::x(a), to[1] = Sp::y(a), to[2] = Sp::z(a);
    };
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      const ArticulatedLink<Sp>& at = work.links[i];
      const auto add = [&](int e, const Six<Sp>& X, const Six<Sp>& u) {
        Joint& to = joints[e];
        put(to.X, X.w), put(to.X + 3, X.v);
        put(to.u, Sp::plus_cross(u.w, at.d, u.v)), put(to.u + 3, u.v);
        put(to.d, at.d);
      };
      if (one_screw(link.motion)) {
        const bool slides = link.motion == LinkMotion::prismatic;
        add(link.v, {slides ? zero : at.z, slides ? at.z : S(link.pitch()) * at.z}, at.u);
        joints[link.v].D_inv = -(of_forward_dynamics ? Sp::x(at.column) : at.x);
      } else {
        if (of_forward_dynamics && link.parent < 0) invert(i);
        for (int e = link.v; e < link.v + link.nv; ++e) add(e, work.screws[e].X, work.screws[e].u);
      }
      const bool goes_on = link.motion == LinkMotion::revolute && i > 0 && link.parent == i - 1 &&
                           links[i - 1].motion == LinkMotion::revolute && !links[i - 1].branches;
      if (!goes_on)
        pieces[pieces_count++] = {link.v,     link.v,
                                  link.end_v, link.parent < 0 ? -1 : piece_of[link.parent],
                                  i,          link.motion == LinkMotion::revolute,
                                  false,      Piece::unrelated};
      piece_of[i] = pieces_count - 1;
      pieces[pieces_count - 1].end = link.v + link.nv;
      pieces[pieces_count - 1].branches = link.branches;
    }
  }
  /// D^-1 of a root link from its factors.
  __attribute__((noinline)) void invert(int i) const {
    ArticulatedScrew<Sp>* screws = work.screws + links[i].v;
    const int n = links[i].nv;
    Small<S> D;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l <= k; ++l) D.a[k][l] = screws[k].inverse[l];
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n; ++l) screws[k].inverse[l] = S(Real(l == k ? 1 : 0));
      D.solve(n, screws[k].inverse);
    }
  }

  /// Relates pieces to columns begin ... end - 1; for M^-1 only the part above the diagonal is computed.
  CHASLES_INLINE void relate(bool of_inverse, int begin, int end) const {
    const T zero(Real(0));
    for (int p = 0; p < pieces_count; ++p) {
      Piece& piece = pieces[p];
      const bool own = piece.begin < end && piece.end > begin;
      if (!of_inverse && (own || (piece.parent >= 0 && pieces[piece.parent].how == Piece::hangs)))
        piece.how = Piece::hangs;
      else
        piece.how = piece.begin < end && piece.end_v > begin ? Piece::related : Piece::unrelated;
      if (piece.branches)
        for (auto& row : kept[p].x)
          for (T& x : row) x = zero;
    }
  }

  static CHASLES_INLINE T along(const S* c, const T (&x)[6][N], int b) {
    return ((x[0][b] * T(c[0]) + x[1][b] * T(c[1])) + (x[2][b] * T(c[2]) + x[3][b] * T(c[3]))) +
           (x[4][b] * T(c[4]) + x[5][b] * T(c[5]));
  }
  static CHASLES_INLINE void move_in(const S* d, T (&F)[6][N], int b) {
    F[0][b] = F[0][b] + (F[5][b] * T(d[1]) - F[4][b] * T(d[2]));
    F[1][b] = F[1][b] + (F[3][b] * T(d[2]) - F[5][b] * T(d[0]));
    F[2][b] = F[2][b] + (F[4][b] * T(d[0]) - F[3][b] * T(d[1]));
  }
  static CHASLES_INLINE void move_out(const S* d, T (&P)[6][N], int b) {
    P[3][b] = P[3][b] + (P[1][b] * T(d[2]) - P[2][b] * T(d[1]));
    P[4][b] = P[4][b] + (P[2][b] * T(d[0]) - P[0][b] * T(d[2]));
    P[5][b] = P[5][b] + (P[0][b] * T(d[1]) - P[1][b] * T(d[0]));
  }
  /// (1) for revolute joints `from` ... `to`, entries of v in descending order.
  __attribute__((noinline)) void turns_inward(const Columns& columns, int from, int to,
                                              Six2& carried) const {
    T F[6][N];
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) F[k][b] = carried.x[k][b];
    for (int e = from; e >= to; --e) {
      const Joint& c = joints[e];
      for (int b = 0; b < N; ++b) {
        const T t =
            (columns.get(e, b) - F[0][b] * T(c.X[0])) - (F[1][b] * T(c.X[1]) + F[2][b] * T(c.X[2]));
        columns.put(e, b, t * T(c.D_inv));
        move_in(c.d, F, b);
        for (int k = 0; k < 6; ++k) F[k][b] = F[k][b] + T(c.u[k]) * t;
      }
    }
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) carried.x[k][b] = F[k][b];
  }
  /// (1) for any joint.
  __attribute__((noinline)) void joint_inward(const Columns& columns, int i, Six2& F) const {
    const auto& link = links[i];
    const int v = link.v, n = link.nv;
    for (int b = 0; b < N; ++b) {
      T t[6];
      for (int k = 0; k < n; ++k)
        t[k] =
            columns.get(v + k, b) - (free_root(link) ? F.x[k][b] : along(joints[v + k].X, F.x, b));
      if (one_screw(link.motion)) {
        columns.put(v, b, t[0] * T(joints[v].D_inv));
      } else {
        for (int k = 0; k < n; ++k) {
          const S* D_inv = work.screws[v + k].inverse;
          T sum = t[0] * T(D_inv[0]);
          for (int l = 1; l < n; ++l) sum = sum + t[l] * T(D_inv[l]);
          columns.put(v + k, b, -sum);
        }
      }
      if (link.parent < 0) continue;
      move_in(joints[v].d, F.x, b);
      for (int k = 0; k < n; ++k)
        for (int x = 0; x < 6; ++x) F.x[x][b] = F.x[x][b] + T(joints[v + k].u[x]) * t[k];
    }
  }
  /// Floating root: its screws are unit vectors.
  static CHASLES_INLINE bool free_root(const LinkConstants<Real>& link) {
    return link.parent < 0 && link.motion == LinkMotion::floating_se3;
  }
  /// For entries of v before `end`.
  CHASLES_INLINE void inward(const Columns& columns, int end) const {
    Six2 F;
    for (int p = pieces_count - 1; p >= 0; --p) {
      const Piece& piece = pieces[p];
      if (piece.how == Piece::unrelated) continue;
      const Piece* next = p + 1 < pieces_count ? &pieces[p + 1] : nullptr;
      if (!(next && next->parent == p && next->how != Piece::unrelated))
        for (auto& row : F.x)
          for (T& x : row) x = T(Real(0));
      if (piece.branches) add(kept[p], F);
      if (piece.turns)
        turns_inward(columns, (piece.end < end ? piece.end : end) - 1, piece.begin, F);
      else
        joint_inward(columns, piece.link, F);
      if (piece.parent >= 0 && piece.parent != p - 1) add(F, kept[piece.parent]);
    }
  }
  static CHASLES_INLINE void add(const Six2& from, Six2& to) {
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) to.x[k][b] = to.x[k][b] + from.x[k][b];
  }

  /// (2) for revolute joints `from` ... `to`.
  __attribute__((noinline)) void turns_outward(const Columns& columns, int from, int to,
                                               Six2& carried) const {
    T P[6][N];
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) P[k][b] = carried.x[k][b];
    for (int e = from; e <= to; ++e) {
      const Joint& c = joints[e];
      for (int b = 0; b < N; ++b) {
        const T x = columns.get(e, b) - along(c.u, P, b);
        columns.put(e, b, x);
        move_out(c.d, P, b);
        for (int k = 0; k < 3; ++k) P[k][b] = P[k][b] + T(c.X[k]) * x;
      }
    }
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) carried.x[k][b] = P[k][b];
  }
  __attribute__((noinline)) void joint_outward(const Columns& columns, int i, Six2& P) const {
    const int v = links[i].v, n = links[i].nv;
    for (int b = 0; b < N; ++b) {
      T x[6];
      for (int k = 0; k < n; ++k) x[k] = columns.get(v + k, b);
      if (free_root(links[i])) {
        for (int k = 0; k < n; ++k) P.x[k][b] = x[k];
        continue;
      }
      if (links[i].parent >= 0) {
        for (int k = 0; k < n; ++k) {
          x[k] = x[k] - along(joints[v + k].u, P.x, b);
          columns.put(v + k, b, x[k]);
        }
        move_out(joints[v].d, P.x, b);
      }
      for (int k = 0; k < n; ++k)
        for (int y = 0; y < 6; ++y) P.x[y][b] = P.x[y][b] + T(joints[v + k].X[y]) * x[k];
    }
  }
  /// The same outward; trees without any of the columns are skipped.
  CHASLES_INLINE void outward(const Columns& columns, int end) const {
    Six2 P;
    bool in_tree = false;
    for (int p = 0; p < pieces_count; ++p) {
      const Piece& piece = pieces[p];
      if (piece.begin >= end) break;
      if (piece.parent < 0) {
        in_tree = piece.how != Piece::unrelated;
        for (auto& row : P.x)
          for (T& x : row) x = T(Real(0));
      }
      if (!in_tree) continue;
      if (piece.parent >= 0 && piece.parent != p - 1) copy(kept[piece.parent], P);
      if (piece.turns)
        turns_outward(columns, piece.begin, (piece.end < end ? piece.end : end) - 1, P);
      else
        joint_outward(columns, piece.link, P);
      if (piece.branches) copy(P, kept[p]);
    }
  }
  static CHASLES_INLINE void copy(const Six2& from, Six2& to) {
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < N; ++b) to.x[k][b] = from.x[k][b];
  }

  /// a = -M^-1 a, b = -M^-1 b.
  CHASLES_INLINE void minus_solve(Out* a, Out* b) const {
    const auto solve = [&](Out* first, Out* second, std::ptrdiff_t stride) {
      const Columns columns{{first, second}, stride};
      inward(columns, nv);
      outward(columns, nv);
    };
    int j = 0;
    if constexpr (width == 1)  // neighbors share cache lines
      for (; j + 2 <= nv; j += 2) {
        Out* const both[] = {a, b};
        for (Out* matrix : both) {
          relate(false, j, j + 2);
          solve(matrix + j, matrix + j + 1, nv);
        }
      }
    for (; j < nv; j += width) {
      const int end = j + width < nv ? j + width : nv;
      relate(false, j, end);
      if (j + width == end) {
        solve(a + j, b + j, nv);
        continue;
      }
      read(a, j, end, 0), read(b, j, end, 1);
      Out* room = reinterpret_cast<Out*>(rows);
      solve(room, room + width, N * width);
      write(a, j, end, 0, nv), write(b, j, end, 1, nv);
    }
  }
  /// M^-1, computed above the diagonal and mirrored.
  CHASLES_INLINE void inverse(Out* matrix) const {
    for (int j = 0; j < nv; j += N * width) {
      const int end = j + N * width < nv ? j + N * width : nv;
      const bool whole = j + N * width == end;
      Columns columns{{matrix + j, matrix + j + width}, nv};
      if (!whole)
        columns = {{reinterpret_cast<Out*>(rows), reinterpret_cast<Out*>(rows) + width}, N * width};
      int stop = end;  // includes all rows of a joint only partly among these columns
      for (int p = 0; p < pieces_count; ++p)
        if (!pieces[p].turns && pieces[p].begin < end && pieces[p].end > end) stop = pieces[p].end;
      for (int e = 0; e < stop; ++e)
        for (int b = 0; b < N; ++b) columns.put(e, b, T(Real(0)));
      for (int e = j; e < end; ++e) columns.at[0][e * columns.stride + e - j] = S(Real(-1));
      relate(true, j, end);
      inward(columns, end);
      outward(columns, end);
      if (whole) continue;
      write(matrix, j, end, 0, end);
      if (j + width < end) write(matrix, j + width, end, 1, end);
    }
    mirror<Sp, false>(matrix, nv);
  }
  /// Copies columns begin ... end - 1, fewer than `width`, to index b of `rows`; reads nothing beyond them.
  __attribute__((noinline)) void read(const Out* matrix, int begin, int end, int b) const {
    for (int e = 0; e < nv; ++e)
      for (int k = 0; k < width; ++k)
        reinterpret_cast<S*>(&rows[e][b])[k] =
            begin + k < end ? Take<S>().get(matrix + e * nv + begin + k) : S(Real(0));
  }
  /// Copies columns begin ... end - 1 back from index b of `rows`.
  __attribute__((noinline)) void write(Out* matrix, int begin, int end, int b, int to) const {
    for (int e = 0; e < to; ++e)
      for (int k = 0; k < width && begin + k < end; ++k)
        matrix[e * nv + begin + k] = reinterpret_cast<const S*>(&rows[e][b])[k];
  }
};
