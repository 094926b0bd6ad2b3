/// Functions of Python as laws, references, signals and events of runs. They may be copied and destroyed without the
/// GIL, which a call takes; arrays are made once and used again, unless the function kept them.
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/simulation/reference.hpp"
#include "common.hpp"

namespace chasles::python {

/// A function of (t, q, v) or (t, q, v, tau).
class StateFunction {
 public:
  /// @param name  for messages: "force 'wind'"
  StateFunction(nb::object function, std::string name, int nq, int nv);

  /// tau += what the function adds to its argument tau, zero before the call, or returns.
  /// @throws nb::python_error of the function, and for a result of wrong shape
  void add(double t, ConstVectorRef q, ConstVectorRef v, VectorRef tau) const;
  /// The number that the function returns.
  double number(double t, ConstVectorRef q, ConstVectorRef v) const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

/// A reference from a number, a Reference, or a function of t that returns (q, v, a).
Reference reference_of(nb::handle value, const std::string& what);
/// One of each element.
std::vector<Reference> references_of(const SequenceLike& list, const std::string& what);
/// A signal from a number, or a function of t.
Signal signal_of(nb::handle value, const std::string& what);

}  // namespace chasles::python
