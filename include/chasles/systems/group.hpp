/// The configuration manifold as a Lie group: any product of R, SO(3), SE(3) and SO(3) x R^3. Integrators step on it
/// without knowing its factors.
///
///     plus      q exp(x)                         minus     log(q0^-1 q1)
///     dexp_inv  dexp_{-x}^-1 v                   dexp      dexp_{-x} u
///
/// v is left-trivialized: q' = q hat(v). In the chart x = log(q0^-1 q), x' = dexp_{-x}^-1 v. Sizes: q nq; all others
/// nv. A result may be the same vector as an argument.
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/chart.hpp"
#include "chasles/model/model.hpp"

namespace chasles CHASLES_API {

class Group {
 public:
  virtual ~Group() = default;
  virtual int nq() const = 0;
  virtual int nv() const = 0;

  /// The factors that are not R^n: entries v ... v + size - 1. On all other entries dexp is the identity.
  struct Factor {
    int v, size;
  };
  virtual std::vector<Factor> factors() const { return {{0, nv()}}; }

  virtual void plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const = 0;
  virtual void minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const = 0;
  virtual void dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const = 0;
  virtual void dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const = 0;
  /// The derivative of dexp_inv with respect to x along y.
  /// @throws Error unless overridden
  virtual void d_dexp_inv(ConstVectorRef x, ConstVectorRef y, ConstVectorRef v,
                          VectorRef out) const;
  /// The largest rotation angle in x [rad]; exponential coordinates are singular at 2 pi.
  virtual double rotation(ConstVectorRef x) const = 0;

  /// plus and dexp_inv in another chart: the point with coordinates x around q, and the rate of x for the velocity v.
  /// @throws Error unless overridden, except for the exponential chart
  virtual void chart_plus(Chart chart, ConstVectorRef q, ConstVectorRef x, VectorRef out) const;
  virtual void chart_rate(Chart chart, ConstVectorRef x, ConstVectorRef v, VectorRef out) const;

  /// Duals, applied to momenta: dexp_{-x}^-T p, and ad_v^T p.
  /// @throws Error unless overridden
  virtual void dexp_inv_dual(ConstVectorRef x, ConstVectorRef p, VectorRef out) const;
  virtual void ad_dual(ConstVectorRef v, ConstVectorRef p, VectorRef out) const;

  /// The time derivative of the coordinates q at the velocity v, nq; and q projected onto the manifold (unit
  /// quaternions). For methods that treat q as a vector.
  /// @throws Error unless overridden
  virtual void coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const;
  virtual void normalize(VectorRef q) const;
};

/// The Lie group of a mechanism: the product of those of its joints.
class ModelGroup : public Group {
 public:
  explicit ModelGroup(const Model& model) : model_(model) {}
  int nq() const override { return model_.nq(); }
  int nv() const override { return model_.nv(); }
  std::vector<Factor> factors() const override;
  /// @paper 004 (11)-(14), (20)-(23), (24)-(33)
  void plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const override;
  void minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const override;
  void dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const override;
  void dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const override;
  void d_dexp_inv(ConstVectorRef x, ConstVectorRef y, ConstVectorRef v,
                  VectorRef out) const override;
  double rotation(ConstVectorRef x) const override;
  void chart_plus(Chart chart, ConstVectorRef q, ConstVectorRef x, VectorRef out) const override;
  void chart_rate(Chart chart, ConstVectorRef x, ConstVectorRef v, VectorRef out) const override;
  void dexp_inv_dual(ConstVectorRef x, ConstVectorRef p, VectorRef out) const override;
  void ad_dual(ConstVectorRef v, ConstVectorRef p, VectorRef out) const override;
  /// @paper 000 (88)
  /// @paper 001 (5)
  /// @paper 004 (5)
  void coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const override;
  void normalize(VectorRef q) const override;

 private:
  Model model_;
};

}  // namespace CHASLES_API
