/// A tree in Simbody behind an interface of plain numbers: Simbody's headers are not C++20, ours require it.
#pragma once

#include <memory>
#include <vector>

struct SimbodyLink {
  int parent;                 // -1: ground
  bool free;                  // else revolute about z
  double R[9], r[3];          // the joint in the parent; R by columns
  double mass, com[3], I[6];  // I about the joint: xx, yy, zz, xy, xz, yz
};

class SimbodyTree {
 public:
  SimbodyTree(const std::vector<SimbodyLink>& links, const double (&gravity)[3]);
  ~SimbodyTree();

  /// All coordinates in the order of the links; `base` is the quaternion and position of the free
  /// one, if there is one.
  void set_positions(const double* base, const double* q);
  void mass_matrix();
  void mass_matrix_inverse();
  void inverse_dynamics(const double* u, const double* ud);
  void forward_dynamics(const double* u, const double* f);

  /// Entries of the last result.
  double entry(int i) const;
  double entry(int i, int j) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> impl_;
};
