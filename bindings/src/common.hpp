/// Shared by all sources of the module: numpy's C interface, the bound model, conversion of arguments, errors.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL chasles_numpy
#ifndef CHASLES_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <numpy/arrayobject.h>

#include <memory>
#include <string>

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/dynamics/batch.hpp"
#include "spares.hpp"

namespace nb = nanobind;

namespace chasles::python {

/// A name that a model or a list does not have: a KeyError.
class UnknownName : public Error {
  using Error::Error;
};
/// A file or text that cannot be read: a ValueError.
class FileError : public Error {
  using Error::Error;
};
/// Calls read(), and turns every Error into another kind of it.
template <class As, class Call>
auto as(const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    throw As(error.what());
  }
}

/// A compiled model with its description, if it has one, and the spare workspaces of the verbs.
struct BoundModel {
  Model model;
  std::shared_ptr<const Mechanism> mechanism{};  // null: made from a scenario
  Spares spares{};

  explicit BoundModel(Model m, std::shared_ptr<const Mechanism> of = {})
      : model(std::move(m)), mechanism(std::move(of)) {}
};

/// A frame handle that knows its name and its model.
struct BoundFrame {
  Model model;
  std::string name;
  Frame frame;
};

/// An argument that numpy makes an array of; converted by `numbers`, which knows its name.
struct ArrayLike {
  nb::handle value;
};
/// An argument that is the name of a body or frame, or a Frame; read by `frame_of`.
struct FrameLike {
  nb::handle value;
};
/// An argument that names a representation; read by `representation_of`.
struct RepresentationLike {
  nb::handle value;
};
/// A sequence of anything; its elements are read by their own functions, which know their names.
struct SequenceLike {
  nb::handle value;
};
/// A result that is an array; of a property it is read-only, since writing to it would change a copy.
struct Array {
  nb::object value;
};

/// New reference; owned memory in C order.
Array new_array(std::initializer_list<npy_intp> shape);
double* data(const Array& array);
Array matrix_array(const Eigen::Ref<const Eigen::MatrixXd>& matrix);
Array vector_array(ConstVectorRef vector);
template <class Derived>
Array to_array(const Eigen::MatrixBase<Derived>& x) {
  if constexpr (Derived::ColsAtCompileTime == 1)
    return vector_array(x);
  else
    return matrix_array(x);
}
Array to_array(const Vec3& x);
Array to_array(const Twist& x);
Array to_array(const Wrench& x);
Array to_array(const SE3& C);
Array to_array(const std::vector<double>& x, std::vector<npy_intp> shape);

/// A contiguous array of doubles (a new reference) from anything that has real numbers.
/// @param what  begins messages: "inverse_dynamics(): q"
/// @throws nb::python_error: TypeError for None, complex, bool, objects, text and masked arrays
nb::object real_array(nb::handle value, const std::string& what);
/// The same, still in its own type; sets its numpy type number.
nb::object any_real_array(nb::handle value, const std::string& what, int& type);
/// Reads a number; false for complex and masked ones, of which float() keeps a part, and for everything else.
bool is_real_number(nb::handle value, double& number) noexcept;
/// Reads a one-dimensional array or sequence of real numbers; false for everything else.
bool is_real_vector(nb::handle value, std::vector<double>& numbers) noexcept;
/// str(object).
std::string text(nb::handle object);
std::string shape_text(nb::handle array);
/// "float64", "<U3".
std::string dtype_text(nb::handle array);

/// n matrices of one size, (n, rows, columns).
Array stacked(const std::vector<Matrix>& list, Eigen::Index rows, Eigen::Index columns);

/// A vector of `size` numbers; size -1: of any size.
Vector vector_of(const ArrayLike& value, const std::string& what, int size = -1);
Matrix matrix_of(const ArrayLike& value, const std::string& what, int rows, int columns);
Vec3 vec3_of(const ArrayLike& value, const std::string& what);
Wrench wrench_of(const ArrayLike& value, const std::string& what);
Twist twist_of(const ArrayLike& value, const std::string& what);
/// A pose from its 4 x 4 matrix.
SE3 pose_of(const ArrayLike& value, const std::string& what);

SO3 rotation_of(const ArrayLike& value, const std::string& what);

/// A frame of the model by name, or a Frame.
Frame frame_of(const Model& model, nb::handle value, const std::string& what);
inline Frame frame_of(const Model& model, const FrameLike& value, const std::string& what) {
  return frame_of(model, value.value, what);
}
/// By name, also by an enumerator that is a str; none: there is no such name.
std::optional<Representation> representation_named(nb::handle value);
Representation representation_of(nb::handle value, const std::string& what);
inline Representation representation_of(const RepresentationLike& value, const std::string& what) {
  return representation_of(value.value, what);
}

/// Of a symmetric matrix (3, 3).
Sym3 tensor_of(const ArrayLike& value, const std::string& what);
/// The model of a description, as a new object.
BoundModel* compiled(Mechanism mechanism);

/// For long runs without the GIL: looks from time to time whether the user has pressed Ctrl-C.
/// @throws nb::python_error
bool interrupted(double t);

/// Sets the Python error and throws it.
[[noreturn]] void raise(PyObject* type, const std::string& message);
/// Sets the Python error that belongs to the exception being handled.
void set_error() noexcept;
void register_errors(nb::module_& m);

// The parts of the module.
void add_verbs(nb::module_& m);
void add_lie(nb::module_& m);
void add_groups(nb::module_& m);
void add_screws(nb::module_& m);
void add_mechanism(nb::module_& m);
void add_model(nb::module_& m);
void add_analysis(nb::module_& m);
void add_linear_systems(nb::module_& m);
void add_integrators(nb::module_& m);
void add_sensitivities(nb::module_& m);
void add_closed_systems(nb::module_& m);
void add_fits(nb::module_& m);
void add_motions(nb::module_& m);
void add_textbook(nb::module_& m);
void add_forces(nb::module_& m);
void add_contacts(nb::module_& m);
void add_simulation(nb::module_& m);
void add_verification(nb::module_& m);

}  // namespace chasles::python

namespace nanobind::detail {
template <>
struct type_caster<chasles::python::ArrayLike> {
  NB_TYPE_CASTER(chasles::python::ArrayLike, const_name("numpy.typing.ArrayLike"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value.value = source;
    return true;
  }
};
template <>
struct type_caster<chasles::python::FrameLike> {
  NB_TYPE_CASTER(chasles::python::FrameLike, const_name("str | chasles._core.Frame"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value.value = source;
    return true;
  }
};
template <>
struct type_caster<chasles::python::RepresentationLike> {
  NB_TYPE_CASTER(chasles::python::RepresentationLike, const_name("str"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value.value = source;
    return true;
  }
};
template <>
struct type_caster<chasles::python::Array> {
  NB_TYPE_CASTER(chasles::python::Array, const_name("numpy.typing.NDArray[numpy.float64]"))
  static handle from_cpp(const chasles::python::Array& array, rv_policy policy,
                         cleanup_list*) noexcept {
    if (policy == rv_policy::reference_internal)  // that of properties
      PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array.value.ptr()), NPY_ARRAY_WRITEABLE);
    return array.value.inc_ref();
  }
};
template <>
struct type_caster<chasles::python::SequenceLike> {
  NB_TYPE_CASTER(chasles::python::SequenceLike, const_name("collections.abc.Sequence[typing.Any] | "
                                                           "numpy.typing.NDArray[typing.Any]"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value.value = source;
    return PySequence_Check(source.ptr()) && !PyUnicode_Check(source.ptr()) &&
           !PyBytes_Check(source.ptr());
  }
};
template <>
struct type_caster<double> {
  NB_TYPE_CASTER(double, const_name("float"))
  bool from_python(handle source, uint32_t flags, cleanup_list*) noexcept {
    if (!(flags & static_cast<uint32_t>(cast_flags::convert)) && !PyFloat_Check(source.ptr()))
      return false;
    return chasles::python::is_real_number(source, value);
  }
  static handle from_cpp(double x, rv_policy, cleanup_list*) noexcept {
    return PyFloat_FromDouble(x);
  }
};
template <>
struct type_caster<std::vector<double>> {
  NB_TYPE_CASTER(std::vector<double>, io_name("numpy.typing.ArrayLike", "list[float]"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    return chasles::python::is_real_vector(source, value);
  }
  static handle from_cpp(const std::vector<double>& list, rv_policy, cleanup_list*) noexcept {
    PyObject* made = PyList_New(static_cast<Py_ssize_t>(list.size()));
    for (std::size_t k = 0; made && k < list.size(); ++k)
      PyList_SetItem(made, static_cast<Py_ssize_t>(k), PyFloat_FromDouble(list[k]));
    return made;
  }
};
}  // namespace nanobind::detail
