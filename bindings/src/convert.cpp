/// Arguments of verbs that are not plain arrays, batches, and all mistakes.
#include "verb_call.hpp"

namespace chasles::python {

namespace {

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
  bool plain = false;    // all of them are contiguous ones of doubles
  std::vector<nb::object> arrays;

  Converted(const Verb& verb, const Model& model, const Sizes& size, const Arguments& given) {
    arrays.reserve(verb.arrays());
    if (is_plain_batch(verb, size, given)) return;
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
  /// A batch of arrays that need no conversion: takes them.
  bool is_plain_batch(const Verb& verb, const Sizes& size, const Arguments& given) {
    for (std::size_t k = 0; k < verb.arrays(); ++k) {
      PyObject* x = given.slots[k + 1];
      if (Py_TYPE(x) != &PyArray_Type) return false;
      PyArrayObject* a = as_array(x);
      if (PyArray_NDIM(a) != 2 || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a) ||
          PyArray_DIM(a, 1) != size.of(verb.sizes[k]) ||
          PyArray_DIM(a, 0) != PyArray_DIM(as_array(given.slots[1]), 0))
        return false;
    }
    states = PyArray_DIM(as_array(given.slots[1]), 0);
    if (states > std::numeric_limits<int>::max()) return false;
    for (std::size_t k = 0; k < verb.arrays(); ++k)
      arrays.push_back(nb::borrow(given.slots[k + 1]));
    floats = false;
    return plain = true;
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
    if (plain && type == NPY_DOUBLE) return;
    for (nb::object& array : arrays) {
      PyObject* made = PyArray_FROM_OTF(
          array.ptr(), type,
          NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST);
      if (!made) throw nb::python_error();
      array = nb::steal(made);
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

}  // namespace

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

}  // namespace chasles::python
