/// Calls of verbs: arguments, the fast path, conversion, batches.
#include "verb.hpp"

#include <utility>

namespace chasles::python {

namespace {

constexpr std::size_t batch_slot = Spares::most - 2;  // of doubles; the next one: of floats

PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

/// A workspace on loan from the model.
class Lease {
 public:
  template <class Make>
  Lease(std::atomic<void*>& slot, void (*destroy)(void*), const Make& make)
      : slot_(slot), destroy_(destroy), work_(slot.exchange(nullptr, std::memory_order_acquire)) {
    if (!work_) work_ = make();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (void* other = slot_.exchange(work_, std::memory_order_acq_rel)) destroy_(other);
  }
  void* get() const { return work_; }

 private:
  std::atomic<void*>& slot_;
  void (*destroy_)(void*);
  void* work_;
};
template <class Real>
void destroy_batch(void* batch) {
  delete static_cast<Batch<Real>*>(batch);
}

/// The arguments of a call by their places: model, arrays, frame, representation; then those by keyword.
struct Arguments {
  BoundModel* model = nullptr;
  PyObject* slots[10] = {};  // model, arrays, frame, representation
  PyObject* applied = nullptr;
  PyObject* out = nullptr;
};
std::size_t places(const Verb& verb) {
  return 1 + verb.arrays() + ((verb.takes & Verb::frame) ? 1 : 0) +
         ((verb.takes & Verb::representation) ? 1 : 0);
}
std::string place_name(const Verb& verb, std::size_t k) {
  if (k == 0) return "model";
  if (k <= verb.arrays()) return verb.inputs[k - 1];
  return k == verb.arrays() + 1 && (verb.takes & Verb::frame) ? "frame" : "representation";
}
std::string begin(const Verb& verb) { return std::string(verb.name) + "()"; }

struct Sizes {
  int nq, nv, joints, parameters;
  explicit Sizes(const Model& model)
      : nq(model.nq()),
        nv(model.nv()),
        joints(static_cast<int>(model.joints().size())),
        parameters(10 * static_cast<int>(model.bodies().size())) {}
  int of(char c) const {
    return c == 'q' ? nq : c == 'v' ? nv : c == 'j' ? joints : c == 'p' ? parameters : c - '0';
  }
};

/// Arguments by keyword, and wrong ones.
void bind(const Verb& verb, PyObject* const* args, std::size_t given, PyObject* names,
          Arguments& out) {
  const std::size_t count = places(verb);
  if (given > count)
    raise(PyExc_TypeError, begin(verb) + " takes " + std::to_string(count) +
                               " positional arguments but " + std::to_string(given) +
                               " were given");
  std::copy_n(args, given, out.slots);
  const Py_ssize_t keywords = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    const std::string name = nb::cast<std::string>(nb::handle(PyTuple_GetItem(names, i)));
    PyObject* value = args[given + static_cast<std::size_t>(i)];
    PyObject** to = nullptr;
    for (std::size_t k = 0; k < count; ++k)
      if (place_name(verb, k) == name) to = &out.slots[k];
    if (name == "out") to = &out.out;
    if (name == "applied" && (verb.takes & Verb::applied)) to = &out.applied;
    if (!to)
      raise(PyExc_TypeError, begin(verb) + " got an unexpected keyword argument '" + name + "'");
    if (*to)
      raise(PyExc_TypeError, begin(verb) + " got multiple values for argument '" + name + "'");
    *to = value;
  }
  for (std::size_t k = 0; k < count; ++k)
    if (!out.slots[k])
      raise(PyExc_TypeError,
            begin(verb) + " missing required argument: '" + place_name(verb, k) + "'");
}

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

/// The shape of the result: that of one state, after the number of states of a batch.
struct Shape {
  npy_intp sizes[5];
  int rank = 0;
  npy_intp of_state = 1;
  Shape(const Verb& verb, const Sizes& size, npy_intp states) {
    if (states >= 0) sizes[rank++] = states;
    for (const char* c = verb.result; *c; ++c) of_state *= sizes[rank++] = size.of(*c);
  }
  std::span<const npy_intp> span() const { return {sizes, static_cast<std::size_t>(rank)}; }
};

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

/// The array to write to: `out`, or a new one. New reference.
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

/// A number instead of an array without dimensions.
PyObject* give(nb::object result, const Shape& shape, PyObject* out) {
  if (shape.rank == 0 && !out)
    return PyFloat_FromDouble(*static_cast<double*>(PyArray_DATA(as_array(result.ptr()))));
  return result.release().ptr();
}

void read_target(const Verb& verb, const Arguments& given, Call& call) {
  const std::size_t at = 1 + verb.arrays();
  const bool frame = verb.takes & Verb::frame;
  if (frame) {
    call.frame = frame_of(call.model, given.slots[at], begin(verb) + ": frame");
    require_frame(call.frame, call.model);
  }
  if (verb.takes & Verb::representation)
    call.representation =
        representation_of(given.slots[at + (frame ? 1 : 0)], begin(verb) + ": representation");
}

/// Applied wrenches: {frame: wrench}, or {frame: (wrench, representation)}; in a batch (states, 6) are also accepted.
struct Applied {
  std::vector<AppliedWrench> now;
  std::vector<nb::object> kept;
  std::vector<const double*> of_states;  // null: the same in all states

  void read(const Verb& verb, const Model& model, PyObject* value, npy_intp states) {
    if (!value || value == Py_None) return;
    const std::string what = begin(verb) + ": applied";
    if (!PyDict_Check(value))
      raise(PyExc_TypeError,
            what + " is a " + text(nb::handle(value).type()) + "; give a dict {frame: wrench}");
    for (auto [key, item] : nb::borrow<nb::dict>(value)) {
      AppliedWrench next{frame_of(model, key, what), {}, Representation::hybrid};
      require_frame(next.frame, model);
      nb::object wrench = nb::borrow(item);
      if (PyTuple_Check(item.ptr()) && PyTuple_Size(item.ptr()) == 2) {
        wrench = nb::borrow(PyTuple_GetItem(item.ptr(), 0));
        next.representation = representation_of(PyTuple_GetItem(item.ptr(), 1), what);
      }
      nb::object array = real_array(wrench, what);
      PyArrayObject* a = as_array(array.ptr());
      const bool each = PyArray_NDIM(a) == 2 && states >= 0 && PyArray_DIM(a, 0) == states &&
                        PyArray_DIM(a, 1) == 6;
      if (!each && !(PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == 6))
        raise(PyExc_ValueError, what + " has a wrench of shape " + shape_text(array) +
                                    "; it needs (6,)" +
                                    (states >= 0 ? " or (" + std::to_string(states) + ", 6)" : ""));
      const double* x = static_cast<const double*>(PyArray_DATA(a));
      if (!each) next.W = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      now.push_back(next);
      of_states.push_back(each ? x : nullptr);
      kept.push_back(std::move(array));
    }
  }
  void at(npy_intp state) {
    for (std::size_t k = 0; k < now.size(); ++k)
      if (const double* x = of_states[k] ? of_states[k] + 6 * state : nullptr)
        now[k].W = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
};

/// The arrays of a call that are not plain, or of a batch.
struct Converted {
  npy_intp states = -1;  // -1: one state
  bool floats = true;    // all of them are float32
  std::vector<nb::object> arrays;

  Converted(const Verb& verb, const Model& model, const Sizes& size, const Arguments& given) {
    std::vector<int> types(verb.arrays());
    for (std::size_t k = 0; k < verb.arrays(); ++k) {
      const std::string what = begin(verb) + ": " + verb.inputs[k];
      arrays.push_back(any_real_array(given.slots[k + 1], what, types[k]));
      check_shape(model, size.of(verb.sizes[k]), k, verb, what);
      floats = floats && types[k] == NPY_FLOAT;
    }
    floats = floats && states >= 0;
    if (states > std::numeric_limits<int>::max())
      raise(PyExc_ValueError, begin(verb) + ": there are too many states");
  }
  void check_shape(const Model& model, int needed, std::size_t k, const Verb& verb,
                   const std::string& what) {
    PyArrayObject* a = as_array(arrays[k].ptr());
    const int rank = PyArray_NDIM(a);
    if ((rank != 1 && rank != 2) || PyArray_DIM(a, rank - 1) != needed)
      throw_size(what + " has shape " + shape_text(arrays[k]) + "; the model '" + model.name() +
                 "' needs (" + std::to_string(needed) + ",), or (states, " +
                 std::to_string(needed) + ") for a batch");
    const npy_intp here = rank == 2 ? PyArray_DIM(a, 0) : -1;
    if (k == 0) states = here;
    if (here != states)
      throw_size(what + " has shape " + shape_text(arrays[k]) + ", and " + verb.inputs[0] +
                 " has " + shape_text(arrays[0]) + "; give one state, or equally many states");
  }
  [[noreturn]] static void throw_size(const std::string& message) {
    raise(nb::object(nb::module_::import_("chasles._errors").attr("SizeError")).ptr(), message);
  }
  /// All arrays as contiguous ones of a type.
  void convert(int type) {
    for (nb::object& array : arrays) {
      PyObject* plain = PyArray_FROM_OTF(
          array.ptr(), type,
          NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST);
      if (!plain) throw nb::python_error();
      array = nb::steal(plain);
    }
  }
};

/// Whether a result is written to memory that an argument is read from.
bool overlaps(const nb::object& result, const nb::object& argument) {
  const auto range = [](PyObject* o) {
    const char* from = PyArray_BYTES(as_array(o));
    return std::pair{from, from + PyArray_NBYTES(as_array(o))};
  };
  const auto [a, a_end] = range(result.ptr());
  const auto [b, b_end] = range(argument.ptr());
  return a < b_end && b < a_end;
}

/// Releases the GIL for work that takes longer than that.
class Release {
 public:
  explicit Release(npy_intp states) {
    if (states > 8) state_ = PyEval_SaveThread();
  }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (state_) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_ = nullptr;
};

template <class Real>
void run_many(const Verb& verb, BoundModel& model, const Converted& in, const Call& call,
              const nb::object& result) {
  ManyCall<Real> many;
  many.states = static_cast<int>(in.states);
  for (std::size_t k = 0; k < in.arrays.size(); ++k) {
    PyArrayObject* a = as_array(in.arrays[k].ptr());
    many.in[k] = {static_cast<const Real*>(PyArray_DATA(a)),
                  static_cast<std::size_t>(PyArray_SIZE(a))};
  }
  PyArrayObject* out = as_array(result.ptr());
  many.out = {static_cast<Real*>(PyArray_DATA(out)), static_cast<std::size_t>(PyArray_SIZE(out))};
  many.frame = call.frame, many.representation = call.representation, many.nv = call.nv;
  constexpr std::size_t slot = batch_slot + (sizeof(Real) == sizeof(float) ? 1 : 0);
  const Release released(in.states);
  const Lease batch(model.spares[slot], destroy_batch<Real>,
                    [&] { return new Batch<Real>(model.model); });
  if constexpr (sizeof(Real) == sizeof(float))
    verb.many_float(*static_cast<Batch<float>*>(batch.get()), many);
  else
    verb.many(*static_cast<Batch<double>*>(batch.get()), many);
}

void run_each(const Verb& verb, std::atomic<void*>& slot, const Converted& in, const Sizes& size,
              Call call, Applied& applied, double* out, npy_intp of_state) {
  const npy_intp states = std::max<npy_intp>(in.states, in.states < 0 ? 1 : 0);
  const Release released(states);
  const Lease work(slot, verb.destroy, [&] { return verb.make(call.model); });
  for (npy_intp s = 0; s < states; ++s) {
    for (std::size_t k = 0; k < in.arrays.size(); ++k)
      call.in[k] = static_cast<const double*>(PyArray_DATA(as_array(in.arrays[k].ptr()))) +
                   s * size.of(verb.sizes[k]);
    applied.at(s);
    call.applied = applied.now;
    call.out = out + s * of_state;
    verb.one(call, work.get());
  }
}

/// Every call that is not plain: lists, other types of numbers, batches, applied wrenches, and all mistakes.
PyObject* convert(const Verb& verb, std::size_t index, const Arguments& given) {
  const Model& model = given.model->model;
  const Sizes size(model);
  Converted in(verb, model, size, given);
  const Shape shape(verb, size, in.states);
  Applied applied;
  applied.read(verb, model, given.applied, in.states);
  Call call(model);
  read_target(verb, given, call);
  const bool kernel = verb.many && in.states > 1 && applied.now.empty();
  const int type = in.floats ? NPY_FLOAT : NPY_DOUBLE;
  in.convert(kernel ? type : NPY_DOUBLE);
  nb::object result = result_array(verb, given.out, shape, type);
  if (in.states >= 0)
    for (std::size_t k = 0; k < in.arrays.size(); ++k)
      if (overlaps(result, in.arrays[k]))
        raise(PyExc_ValueError, begin(verb) + ": out and " + verb.inputs[k] +
                                    " share memory; in a batch they must not");
  if (kernel && in.floats) {
    run_many<float>(verb, *given.model, in, call, result);
  } else if (kernel) {
    run_many<double>(verb, *given.model, in, call, result);
  } else {
    const nb::object computed =
        type == NPY_DOUBLE ? result : result_array(verb, nullptr, shape, NPY_DOUBLE);
    run_each(verb, given.model->spares[index], in, size, call, applied,
             static_cast<double*>(PyArray_DATA(as_array(computed.ptr()))), shape.of_state);
    if (type != NPY_DOUBLE &&
        PyArray_CopyInto(as_array(result.ptr()), as_array(computed.ptr())) < 0)
      throw nb::python_error();
  }
  return give(std::move(result), shape, given.out);
}

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
    return run(verbs()[index], index, args, count, names);
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
  m.def("_verbs", &rows, "The table of the functions of arrays.");
}

}  // namespace chasles::python
