/// Calls of functions of Python.
#include "callback.hpp"

namespace chasles::python {

namespace {

/// An object of Python that may be destroyed without the GIL.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* kept) {
            const nb::gil_scoped_acquire acquired;
            delete kept;
          }};
}

PyArrayObject* as_array(const nb::object& array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}
double* numbers(const nb::object& array) {
  return static_cast<double*>(PyArray_DATA(as_array(array)));
}

/// An array that is filled before each call, and replaced if the function kept it or changed its shape or type.
struct Slot {
  nb::object array;

  bool holds(npy_intp size) const {
    PyArrayObject* a = as_array(array);
    return PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == size && PyArray_TYPE(a) == NPY_DOUBLE &&
           PyArray_ISCARRAY_RO(a);
  }
  void fill(const double* from, npy_intp size, bool writable) {
    if (!array.is_valid() || Py_REFCNT(array.ptr()) > 1 || !holds(size))
      array = new_array({size}).value;
    if (from)
      std::copy_n(from, size, numbers(array));
    else
      std::fill_n(numbers(array), size, 0.0);
    if (writable)
      PyArray_ENABLEFLAGS(as_array(array), NPY_ARRAY_WRITEABLE);
    else
      PyArray_CLEARFLAGS(as_array(array), NPY_ARRAY_WRITEABLE);
  }
};
/// The arrays of a call.
struct Arrays {
  Slot q, v, tau;
};

}  // namespace

/// `spare` is taken by a call and given back after it: a call within a call, or in another thread, makes its own.
struct StateFunction::Kept {
  nb::object function;
  std::string name;
  int nq, nv;
  std::atomic<Arrays*> spare = nullptr;

  Kept(nb::object f, std::string n, int nq_, int nv_)
      : function(std::move(f)), name(std::move(n)), nq(nq_), nv(nv_) {}
  ~Kept() { delete spare.load(); }
};

namespace {
/// Arrays on loan.
class Loan {
 public:
  explicit Loan(std::atomic<Arrays*>& spare)
      : spare_(spare), arrays_(spare.exchange(nullptr, std::memory_order_acquire)) {
    if (!arrays_) arrays_ = new Arrays;
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() { delete spare_.exchange(arrays_, std::memory_order_acq_rel); }
  Arrays* operator->() const { return arrays_; }

 private:
  std::atomic<Arrays*>& spare_;
  Arrays* arrays_;
};
}  // namespace

StateFunction::StateFunction(nb::object function, std::string name, int nq, int nv) {
  if (!PyCallable_Check(function.ptr()))
    raise(PyExc_TypeError, name + " has no function: it is a " + text(function.type()));
  kept_ = {new Kept(std::move(function), std::move(name), nq, nv), [](Kept* kept) {
             const nb::gil_scoped_acquire acquired;
             delete kept;
           }};
}

void StateFunction::add(double t, ConstVectorRef q, ConstVectorRef v, VectorRef tau) const {
  const nb::gil_scoped_acquire acquired;
  const Kept& k = *kept_;
  const Loan arrays(kept_->spare);
  arrays->q.fill(q.data(), k.nq, false);
  arrays->v.fill(v.data(), k.nv, false);
  arrays->tau.fill(nullptr, k.nv, true);
  const nb::object result = k.function(t, arrays->q.array, arrays->v.array, arrays->tau.array);
  if (result.is_none()) {
    if (!arrays->tau.holds(k.nv))
      raise(PyExc_ValueError, k.name + " has changed the shape or the type of tau, which is now " +
                                  shape_text(arrays->tau.array) + " of " +
                                  dtype_text(arrays->tau.array) + "; write to tau[:]");
    const double* out = numbers(arrays->tau.array);
    for (Eigen::Index i = 0; i < tau.size(); ++i) tau[i] += out[i];
  } else {
    tau += vector_of({result}, "the result of " + k.name, k.nv);
  }
}

namespace {
/// The number that an object is.
/// @param instead  what else may be given
double number_of(nb::handle value, const std::string& what, const char* instead) {
  double x = 0;
  if (!is_real_number(value, x))
    raise(PyExc_TypeError, what + " is a " + text(value.type()) + "; give a number" + instead);
  return x;
}
}  // namespace

double StateFunction::number(double t, ConstVectorRef q, ConstVectorRef v) const {
  const nb::gil_scoped_acquire acquired;
  const Kept& k = *kept_;
  const Loan arrays(kept_->spare);
  arrays->q.fill(q.data(), k.nq, false);
  arrays->v.fill(v.data(), k.nv, false);
  const nb::object result = k.function(t, arrays->q.array, arrays->v.array);
  return number_of(result, "the result of " + k.name, ", such as float(q[0])");
}

Reference reference_of(nb::handle value, const std::string& what) {
  if (nb::isinstance<Reference>(value)) return *nb::inst_ptr<Reference>(value);
  if (!PyCallable_Check(value.ptr()))
    return number_of(value, what, ", a Reference, or a function of t that returns (q, v, a)");
  return Reference([function = shared(nb::borrow(value)), what](double t) {
    const nb::gil_scoped_acquire acquired;
    const Vector x = vector_of({(*function)(t)}, "the result of " + what);
    if (x.size() == 5) return Setpoint{x[0], x[1], x[2], x[3], x[4]};
    if (x.size() != 3)
      raise(PyExc_ValueError, "the result of " + what + " has " + std::to_string(x.size()) +
                                  " numbers; it needs (q, v, a), or also jerk and snap");
    return Setpoint{x[0], x[1], x[2]};
  });
}

std::vector<Reference> references_of(const SequenceLike& list, const std::string& what) {
  std::vector<Reference> out;
  for (nb::handle item : list.value) out.push_back(reference_of(item, what));
  return out;
}

Signal signal_of(nb::handle value, const std::string& what) {
  if (nb::isinstance<Signal>(value)) return *nb::inst_ptr<Signal>(value);
  if (!PyCallable_Check(value.ptr())) return number_of(value, what, ", or a function of t");
  return Signal([function = shared(nb::borrow(value)), what](double t) {
    const nb::gil_scoped_acquire acquired;
    return number_of((*function)(t), "the result of " + what, "");
  });
}

}  // namespace chasles::python
