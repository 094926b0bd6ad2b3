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

double* numbers(const nb::object& array) {
  return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}

/// An array that is filled before each call, and replaced if the function kept it.
struct Slot {
  nb::object array;
  npy_intp size;
  bool writable;

  Slot(npy_intp n, bool w) : size(n), writable(w) {}
  nb::object fill(const double* from) {
    if (!array.is_valid() || Py_REFCNT(array.ptr()) > 1) array = new_array({size}).value;
    if (from)
      std::copy_n(from, size, numbers(array));
    else
      std::fill_n(numbers(array), size, 0.0);
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    if (writable)
      PyArray_ENABLEFLAGS(a, NPY_ARRAY_WRITEABLE);
    else
      PyArray_CLEARFLAGS(a, NPY_ARRAY_WRITEABLE);
    return array;
  }
};

}  // namespace

struct StateFunction::Kept {
  nb::object function;
  std::string name;
  Slot q, v, tau;

  Kept(nb::object f, std::string n, int nq, int nv)
      : function(std::move(f)), name(std::move(n)), q(nq, false), v(nv, false), tau(nv, true) {}
};

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
  Kept& k = *kept_;
  const nb::object out = k.tau.fill(nullptr);
  const nb::object result = k.function(t, k.q.fill(q.data()), k.v.fill(v.data()), out);
  if (result.is_none()) {
    tau += Eigen::Map<const Eigen::VectorXd>(numbers(out), tau.size());
  } else {
    tau += vector_of({result}, "the result of " + k.name, static_cast<int>(tau.size()));
  }
}

double StateFunction::number(double t, ConstVectorRef q, ConstVectorRef v) const {
  const nb::gil_scoped_acquire acquired;
  Kept& k = *kept_;
  const nb::object result = k.function(t, k.q.fill(q.data()), k.v.fill(v.data()));
  const double x = PyFloat_AsDouble(result.ptr());
  if (x == -1 && PyErr_Occurred()) throw nb::python_error();
  return x;
}

Reference reference_of(nb::handle value, const std::string& what) {
  if (nb::isinstance<Reference>(value)) return *nb::inst_ptr<Reference>(value);
  if (!PyCallable_Check(value.ptr())) {
    const double q = PyFloat_AsDouble(value.ptr());
    if (q == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      raise(PyExc_TypeError,
            what + " is a " + text(value.type()) +
                "; give a number, a Reference, or a function of t that returns (q, v, a)");
    }
    return q;
  }
  return Reference([function = shared(nb::borrow(value)), what](double t) {
    const nb::gil_scoped_acquire acquired;
    const Vector x = vector_of({(*function)(t)}, "the result of " + what, 3);
    return Setpoint{x[0], x[1], x[2]};
  });
}

}  // namespace chasles::python
