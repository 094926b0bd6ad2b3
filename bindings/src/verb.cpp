/// Calls of verbs with plain arrays, and the functions of the module that make them.
#include <algorithm>
#include <chrono>
#include <utility>

#include "verb_call.hpp"

namespace chasles::python {

namespace {

/// float64, one-dimensional, contiguous, aligned, native, exactly an array.
bool is_plain(PyObject* object, npy_intp size) {
  if (Py_TYPE(object) != &PyArray_Type) return false;
  PyArrayObject* a = as_array(object);
  return PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == size && PyArray_TYPE(a) == NPY_DOUBLE &&
         PyArray_ISCARRAY_RO(a);
}

std::string shape_name(std::span<const npy_intp> shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? ", " : "") + std::to_string(shape[k]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

bool is_result(PyObject* out, const Shape& shape, int type) {
  if (Py_TYPE(out) != &PyArray_Type) return false;
  PyArrayObject* a = as_array(out);
  if (PyArray_NDIM(a) != shape.rank || PyArray_TYPE(a) != type || !PyArray_ISCARRAY(a))
    return false;
  for (int k = 0; k < shape.rank; ++k)
    if (PyArray_DIM(a, k) != shape.sizes[k]) return false;
  return true;
}
[[noreturn]] void refuse_result(const Verb& verb, PyObject* out, const Shape& shape, int type) {
  const std::string what = begin(verb) + ": out ",
                    needed = type == NPY_FLOAT ? "float32" : "float64";
  if (Py_TYPE(out) != &PyArray_Type)
    raise(PyExc_TypeError, what + "is a " + text(nb::handle(out).type()) + "; give a numpy array");
  PyArrayObject* a = as_array(out);
  const std::string now = what + "has ";
  if (PyArray_TYPE(a) != type)
    raise(PyExc_TypeError, now + "the type " + dtype_text(out) + "; it needs " + needed);
  if (!PyArray_ISNOTSWAPPED(a))
    raise(PyExc_TypeError, now + "the type " + dtype_text(out) + "; it needs native byte order");
  const std::span<const npy_intp> dims(PyArray_DIMS(a), static_cast<std::size_t>(PyArray_NDIM(a)));
  if (!std::ranges::equal(dims, shape.span()))
    raise(PyExc_ValueError,
          now + "shape " + shape_name(dims) + "; it needs " + shape_name(shape.span()));
  if (!PyArray_ISWRITEABLE(a))
    raise(PyExc_ValueError, what + "is read-only; give an array that can be written");
  raise(PyExc_ValueError,
        what + "is not contiguous; give an array in C order, and not a part of one");
}

}  // namespace

nb::object result_array(const Verb& verb, PyObject* out, const Shape& shape, int type) {
  if (out) {
    if (!is_result(out, shape, type)) refuse_result(verb, out, shape, type);
    return nb::borrow(out);
  }
  npy_intp sizes[5];
  std::copy_n(shape.sizes, shape.rank, sizes);
  PyObject* array = PyArray_SimpleNew(shape.rank, sizes, type);
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

PyObject* give(nb::object result, const Shape& shape, PyObject* out) {
  if (shape.rank == 0 && !out)
    return PyFloat_FromDouble(*static_cast<double*>(PyArray_DATA(as_array(result.ptr()))));
  return result.release().ptr();
}

void read_target(const Verb& verb, const Arguments& given, Call& call) {
  static PyObject* const exactly = nb::type<BoundFrame>().ptr();
  const std::size_t at = 1 + verb.arrays();
  const bool frame = verb.takes & Verb::frame;
  if (frame) {
    PyObject* value = given.slots[at];
    call.frame = reinterpret_cast<PyObject*>(Py_TYPE(value)) == exactly
                     ? nb::inst_ptr<BoundFrame>(value)->frame
                     : frame_of(call.model, value, begin(verb) + ": frame");
    require_frame(call.frame, call.model);
  }
  if (verb.takes & Verb::representation) {
    PyObject* value = given.slots[at + (frame ? 1 : 0)];
    if (const std::optional<Representation> named = representation_named(value))
      call.representation = *named;
    else
      call.representation = representation_of(value, begin(verb) + ": representation");
  }
}

namespace {

BoundModel* model_of(const Verb& verb, PyObject* object) {
  static PyObject* const exactly = nb::type<BoundModel>().ptr();
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == exactly || nb::isinstance<BoundModel>(object))
    return nb::inst_ptr<BoundModel>(object);
  raise(PyExc_TypeError,
        begin(verb) + ": model is a " + text(nb::handle(object).type()) + "; give a Model");
}

PyObject* run(const Verb& verb, std::size_t index, PyObject* const* args, Py_ssize_t count,
              PyObject* names) {
  static PyObject* const out_name = PyUnicode_InternFromString("out");
  Arguments given;
  const std::size_t needed = places(verb);
  const bool only_out = names && PyTuple_Size(names) == 1 && PyTuple_GetItem(names, 0) == out_name;
  if (static_cast<std::size_t>(count) == needed && (!names || only_out)) {
    std::copy_n(args, needed, given.slots);
    given.out = only_out ? args[needed] : nullptr;
  } else {
    bind(verb, args, static_cast<std::size_t>(count), names, given);
  }
  if (given.out == Py_None) given.out = nullptr;
  given.model = model_of(verb, given.slots[0]);
  const Model& model = given.model->model;
  Call call(model);
  for (std::size_t k = 0; k < verb.arrays(); ++k) {
    PyObject* x = given.slots[k + 1];
    if (!is_plain(x, verb.sizes[k] == 'q' ? call.nq : call.nv)) return convert(verb, index, given);
    call.in[k] = static_cast<const double*>(PyArray_DATA(as_array(x)));
  }
  if (given.applied) return convert(verb, index, given);
  if (verb.takes != Verb::nothing) read_target(verb, given, call);
  const Shape shape(verb, Sizes(model), -1);
  nb::object result = result_array(verb, given.out, shape, NPY_DOUBLE);
  call.out = static_cast<double*>(PyArray_DATA(as_array(result.ptr())));
  const Lease work(given.model->spares[index], verb.destroy, [&] { return verb.make(model); });
  verb.one(call, work.get());
  return give(std::move(result), shape, given.out);
}

template <std::size_t index>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  try {
    static const Verb& verb = verbs()[index];
    return run(verb, index, args, count, names);
  } catch (...) {
    set_error();
    return nullptr;
  }
}
using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template <std::size_t... k>
constexpr std::array<Function, sizeof...(k)> calls(std::index_sequence<k...>) {
  return {call<k>...};
}

/// name($module, /, model, q, *, out=None), which inspect reads, and the documentation.
std::string text_of(const Verb& verb) {
  std::string text = std::string(verb.name) + "($module, /";
  for (std::size_t k = 0; k < places(verb); ++k) text += ", " + place_name(verb, k);
  text += ", *";
  if (verb.takes & Verb::applied) text += ", applied=None";
  return text + ", out=None)\n--\n\n" + verb.documentation;
}

/// Rows of the table for tests, stubs and documents: (name, inputs, sizes, result, takes).
nb::list rows() {
  nb::list list;
  for (const Verb& verb : verbs()) {
    nb::list inputs;
    for (std::size_t k = 0; k < verb.arrays(); ++k) inputs.append(verb.inputs[k]);
    list.append(nb::make_tuple(verb.name, nb::tuple(inputs), verb.sizes, verb.result, verb.takes,
                               verb.many != nullptr));
  }
  return list;
}

/// Nanoseconds of a call, the mean of `count` calls.
template <class F>
double nanoseconds(int count, const F& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < count; ++k) call();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count() / count;
}
/// Nanoseconds of a function in C++, in a loop, of one state or a batch: for the benchmark of calls.
double time(const std::string& name, const BoundModel& m, const nb::list& arrays, nb::object frame,
            int count) {
  const std::span<const Verb> all = verbs();
  const auto verb = std::ranges::find_if(all, [&](const Verb& v) { return v.name == name; });
  if (verb == all.end() || nb::len(arrays) != verb->arrays())
    throw UnknownName("there is no function '" + name + "' of " + std::to_string(nb::len(arrays)) +
                      " arrays");
  const Sizes size(m.model);
  std::vector<std::vector<double>> kept;
  Call call(m.model);
  ManyCall<double> many;
  for (nb::handle x : arrays) {
    const std::size_t k = kept.size();
    const nb::object array = real_array(x, name);
    const auto* from = static_cast<const double*>(PyArray_DATA(as_array(array.ptr())));
    kept.emplace_back(from, from + PyArray_SIZE(as_array(array.ptr())));
    const auto width = static_cast<std::size_t>(size.of(verb->sizes[k]));
    if (kept[k].empty() || kept[k].size() % width != 0)
      raise(PyExc_ValueError, name + "(): " + verb->inputs[k] + " has a wrong size");
    many.states = static_cast<int>(kept[k].size() / width);
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k].size() != static_cast<std::size_t>(many.states * size.of(verb->sizes[k])))
      raise(PyExc_ValueError, name + "(): give equally many states");
    call.in[k] = kept[k].data(), many.in[k] = kept[k];
  }
  if (!frame.is_none()) call.frame = many.frame = frame_of(m.model, frame, name);
  call.representation = many.representation = Representation::hybrid;
  std::vector<double> out(static_cast<std::size_t>(many.states) *
                          static_cast<std::size_t>(Shape(*verb, size, -1).of_state));
  call.out = out.data(), many.out = out, many.nv = call.nv;
  if (many.states > 1 && verb->many) {
    Batch<double> batch(m.model);
    return nanoseconds(count, [&] { verb->many(batch, many); });
  }
  const std::unique_ptr<void, void (*)(void*)> work(verb->make(m.model), verb->destroy);
  return nanoseconds(count, [&] { verb->one(call, work.get()); });
}

}  // namespace

Spares::~Spares() {
  const std::span<const Verb> all = verbs();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (void* work = kept_[k].load()) all[k].destroy(work);
  if (void* batch = kept_[batch_slot].load()) destroy_batch<double>(batch);
  if (void* batch = kept_[batch_slot + 1].load()) destroy_batch<float>(batch);
}

void add_verbs(nb::module_& m) {
  static constexpr auto functions = calls(std::make_index_sequence<batch_slot>{});
  const std::span<const Verb> all = verbs();
  if (all.size() > batch_slot)
    throw Error("there are more functions of arrays than spare workspaces");
  static std::vector<std::string> texts;
  static std::vector<PyMethodDef> definitions;
  for (const Verb& verb : all) texts.push_back(text_of(verb));
  for (std::size_t k = 0; k < all.size(); ++k)
    definitions.push_back(
        {all[k].name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(functions[k])),
         METH_FASTCALL | METH_KEYWORDS, texts[k].c_str()});
  const nb::object module_name = m.attr("__name__");
  for (PyMethodDef& definition : definitions)
    m.attr(definition.ml_name) =
        nb::steal(PyCFunction_NewEx(&definition, m.ptr(), module_name.ptr()));
  m.def("_time", &time, nb::arg("name"), nb::arg("model"), nb::arg("arrays"),
        nb::arg("frame").none(), nb::arg("count"),
        nb::sig("def _time(name: str, model: Model, arrays: list[typing.Any], frame: Frame | None, "
                "count: int) -> float"),
        "Nanoseconds of a function of arrays in C++.");
  m.def("_verbs", &rows,
        nb::sig("def _verbs() -> list[tuple[str, tuple[str, ...], str, str, int, bool]]"),
        "The table of the functions of arrays.");
}

}  // namespace chasles::python
