/// Conversion between arrays of numpy and the types of the library, and errors.
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/simulation.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {
PyArrayObject* array_of(nb::handle object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}
const double* numbers(nb::handle array) {
  return static_cast<const double*>(PyArray_DATA(array_of(array)));
}

/// The class of chasles._errors with this name.
PyObject* error_class(const char* name) {
  static const nb::object* errors = new nb::object(nb::module_::import_("chasles._errors"));
  return nb::object(errors->attr(name)).ptr();  // the module keeps it
}

Array filled(std::initializer_list<npy_intp> shape, std::initializer_list<double> values) {
  Array out = new_array(shape);
  std::copy(values.begin(), values.end(), data(out));
  return out;
}

template <int size>
std::array<double, size> fixed(const ArrayLike& value, const std::string& what) {
  const Vector x = vector_of(value, what, size);
  std::array<double, size> out;
  std::copy_n(x.data(), size, out.begin());
  return out;
}
}  // namespace

Array new_array(std::initializer_list<npy_intp> shape) {
  PyObject* array = PyArray_SimpleNew(static_cast<int>(shape.size()), std::data(shape), NPY_DOUBLE);
  if (!array) throw nb::python_error();
  return {nb::steal(array)};
}
double* data(const Array& array) {
  return static_cast<double*>(PyArray_DATA(array_of(array.value)));
}

Array matrix_array(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  Array out = new_array({matrix.rows(), matrix.cols()});
  using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
  Eigen::Map<Rows>(data(out), matrix.rows(), matrix.cols()) = matrix;
  return out;
}
Array vector_array(ConstVectorRef vector) {
  Array out = new_array({vector.size()});
  Eigen::Map<Eigen::VectorXd>(data(out), vector.size()) = vector;
  return out;
}
Array to_array(const Vec3& x) { return filled({3}, {x.x, x.y, x.z}); }
Array to_array(const Twist& x) { return filled({6}, {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z}); }
Array to_array(const Wrench& x) { return filled({6}, {x.t.x, x.t.y, x.t.z, x.f.x, x.f.y, x.f.z}); }
Array to_array(const SE3& C) {
  const auto& R = C.R.matrix();
  return filled({4, 4}, {R(0, 0), R(0, 1), R(0, 2), C.r.x, R(1, 0), R(1, 1), R(1, 2), C.r.y,  //
                         R(2, 0), R(2, 1), R(2, 2), C.r.z, 0, 0, 0, 1});
}
Array to_array(const std::vector<double>& x, std::vector<npy_intp> shape) {
  PyObject* array = PyArray_SimpleNew(static_cast<int>(shape.size()), shape.data(), NPY_DOUBLE);
  if (!array) throw nb::python_error();
  Array out{nb::steal(array)};
  std::copy(x.begin(), x.end(), data(out));
  return out;
}

Array stacked(const std::vector<Matrix>& list, Eigen::Index rows, Eigen::Index columns) {
  Array out = new_array({static_cast<npy_intp>(list.size()), rows, columns});
  using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
  for (const Matrix& m : list)
    if (m.rows() != rows || m.cols() != columns)
      throw Error("matrices of different sizes cannot be one array");
  for (std::size_t k = 0; k < list.size(); ++k)
    Eigen::Map<Rows>(data(out) + static_cast<Eigen::Index>(k) * rows * columns, rows, columns) =
        list[k];
  return out;
}

std::string text(nb::handle object) {
  PyObject* made = PyObject_Str(object.ptr());
  if (!made) throw nb::python_error();
  return nb::cast<std::string>(nb::steal(made));
}
std::string shape_text(nb::handle array) { return text(nb::object(array.attr("shape"))); }
std::string dtype_text(nb::handle array) { return text(nb::object(array.attr("dtype"))); }

namespace {
/// An array that shares the memory of a tensor which offers DLPack only; the value itself if it offers something that
/// numpy reads by itself.
nb::object from_exchange(nb::handle value) {
  if (PyArray_Check(value.ptr()) || !nb::hasattr(value, "__dlpack__") ||
      nb::hasattr(value, "__array__") || nb::hasattr(value, "__array_interface__"))
    return nb::borrow(value);
  const nb::module_ numpy = nb::module_::import_("numpy");
  return numpy.attr(nb::hasattr(numpy, "from_dlpack") ? "from_dlpack" : "_from_dlpack")(value);
}
}  // namespace

nb::object any_real_array(nb::handle given, const std::string& what, int& type) {
  if (given.is_none()) raise(PyExc_TypeError, what + " is None; give numbers");
  const nb::object value = from_exchange(given);
  if (nb::hasattr(value, "mask") && nb::hasattr(value, "filled"))
    raise(PyExc_TypeError, what + " is a masked array; give the numbers by its method filled");
  PyObject* array = PyArray_FromAny(value.ptr(), nullptr, 0, 0, 0, nullptr);
  if (!array) throw nb::python_error();
  nb::object kept = nb::steal(array);
  type = PyArray_TYPE(array_of(kept));
  if (!PyTypeNum_ISFLOAT(type) && !PyTypeNum_ISINTEGER(type))
    raise(PyExc_TypeError, what + " has the type " + dtype_text(kept) + "; give real numbers");
  return kept;
}

nb::object real_array(nb::handle value, const std::string& what) {
  int type = 0;
  const nb::object any = any_real_array(value, what, type);
  PyObject* array = PyArray_FROM_OTF(
      any.ptr(), NPY_DOUBLE,
      NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST);
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

bool is_real_number(nb::handle value, double& number) noexcept {
  PyObject* x = value.ptr();
  if (!PyFloat_Check(x)) {
    const bool is_array = PyArray_Check(x);
    if (PyComplex_Check(x) || PyArray_IsScalar(x, ComplexFloating) ||
        (is_array && PyTypeNum_ISCOMPLEX(PyArray_TYPE(array_of(value)))) ||
        (is_array && !PyArray_CheckExact(x) && nb::hasattr(value, "mask")))
      return false;
  }
  number = PyFloat_AsDouble(x);
  if (number != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}
bool is_real_vector(nb::handle value, std::vector<double>& list) noexcept {
  try {
    const nb::object array = real_array(value, "list");
    if (PyArray_NDIM(array_of(array)) != 1) return false;
    list.assign(numbers(array), numbers(array) + PyArray_SIZE(array_of(array)));
    return true;
  } catch (nb::python_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Vector vector_of(const ArrayLike& value, const std::string& what, int size) {
  const nb::object array = real_array(value.value, what);
  const auto n = PyArray_SIZE(array_of(array));
  if (PyArray_NDIM(array_of(array)) != 1 || (size >= 0 && n != size))
    raise(error_class("SizeError"),
          what + " has shape " + shape_text(array) + "; it needs " +
              (size < 0 ? "one dimension" : "(" + std::to_string(size) + ",)"));
  return Eigen::Map<const Eigen::VectorXd>(numbers(array), n);
}
Matrix matrix_of(const ArrayLike& value, const std::string& what, int rows, int columns) {
  const nb::object array = real_array(value.value, what);
  PyArrayObject* a = array_of(array);
  const auto fits = [](npy_intp given, int needed) { return needed < 0 || given == needed; };
  if (PyArray_NDIM(a) != 2 || !fits(PyArray_DIM(a, 0), rows) || !fits(PyArray_DIM(a, 1), columns)) {
    const auto text = [](int n) { return n < 0 ? std::string("any") : std::to_string(n); };
    raise(error_class("SizeError"), what + " has shape " + shape_text(array) + "; it needs (" +
                                        text(rows) + ", " + text(columns) + ")");
  }
  using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
  return Eigen::Map<const Rows>(numbers(array), PyArray_DIM(a, 0), PyArray_DIM(a, 1));
}
Vec3 vec3_of(const ArrayLike& value, const std::string& what) {
  const auto x = fixed<3>(value, what);
  return {x[0], x[1], x[2]};
}
Wrench wrench_of(const ArrayLike& value, const std::string& what) {
  const auto x = fixed<6>(value, what);
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
Twist twist_of(const ArrayLike& value, const std::string& what) {
  const auto x = fixed<6>(value, what);
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
SO3 rotation_of(const ArrayLike& value, const std::string& what) {
  const Matrix m = matrix_of(value, what, 3, 3);
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = m(i, j);
  try {
    return SO3(R);
  } catch (const Error& error) {
    raise(PyExc_ValueError, what + " is " + error.what());
  }
}
SE3 pose_of(const ArrayLike& value, const std::string& what) {
  const Matrix m = matrix_of(value, what, 4, 4);
  lie::Matrix<double, 4> C;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) C(i, j) = m(i, j);
  try {
    return SE3::from_matrix(C);
  } catch (const Error& error) {
    raise(PyExc_ValueError, what + " is " + error.what());
  }
}

Frame frame_of(const Model& model, nb::handle value, const std::string& what) {
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (!text) throw nb::python_error();
    return as<UnknownName>(
        [&] { return model.frame(std::string_view(text, static_cast<std::size_t>(size))); });
  }
  if (nb::isinstance<BoundFrame>(value)) return nb::inst_ptr<BoundFrame>(value)->frame;
  raise(PyExc_TypeError,
        what + " is a " + text(value.type()) + "; give the name of a body or frame, or a Frame");
}

std::optional<Representation> representation_named(nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) return std::nullopt;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text) throw nb::python_error();
  const std::string_view name(text, static_cast<std::size_t>(size));
  if (name == "body") return Representation::body;
  if (name == "spatial") return Representation::spatial;
  if (name == "hybrid") return Representation::hybrid;
  if (name == "mixed") return Representation::mixed;
  return std::nullopt;
}
Representation representation_of(nb::handle value, const std::string& what) {
  if (const std::optional<Representation> named = representation_named(value)) return *named;
  if (!PyUnicode_Check(value.ptr()))
    raise(PyExc_TypeError,
          what + " is a " + text(value.type()) + "; give 'body', 'spatial', 'hybrid' or 'mixed'");
  raise(PyExc_ValueError,
        what + " is '" + text(value) + "'; it is one of 'body', 'spatial', 'hybrid', 'mixed'");
}

void raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

namespace {
/// Most special first.
void set_error_of(const std::exception_ptr& exception) {
  const auto set = [](const char* name, const std::exception& e) {
    PyErr_SetString(error_class(name), e.what());
  };
  try {
    std::rethrow_exception(exception);
  } catch (const UnknownName& e) {
    set("UnknownNameError", e);
  } catch (const FileError& e) {
    set("FileError", e);
  } catch (const SizeError& e) {
    set("SizeError", e);
  } catch (const ForeignError& e) {
    set("ForeignError", e);
  } catch (const SingularError& e) {
    set("SingularError", e);
  } catch (const ForceError& e) {
    set("ForceError", e);
  } catch (const StepError& e) {
    set("StepError", e);
  } catch (const StateError& e) {
    set("StateError", e);
  } catch (const RunError& e) {
    set("RunError", e);
  } catch (const Error& e) {
    set("Error", e);
  }
}
}  // namespace

void set_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const Error&) {
    set_error_of(std::current_exception());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void register_errors(nb::module_&) {
  nb::register_exception_translator(
      [](const std::exception_ptr& exception, void*) { set_error_of(exception); });
}

}  // namespace chasles::python
