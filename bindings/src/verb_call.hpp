/// Parts of a call that the fast path (verb.cpp) and the conversion of arguments (convert.cpp) share.
#pragma once

#include "verb.hpp"

namespace chasles::python {

inline constexpr std::size_t batch_slot = Spares::most - 2;  // of doubles; the next one: of floats

inline PyArrayObject* as_array(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

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
inline std::size_t places(const Verb& verb) {
  return 1 + verb.arrays() + ((verb.takes & Verb::frame) ? 1 : 0) +
         ((verb.takes & Verb::representation) ? 1 : 0);
}
inline std::string place_name(const Verb& verb, std::size_t k) {
  if (k == 0) return "model";
  if (k <= verb.arrays()) return verb.inputs[k - 1];
  return k == verb.arrays() + 1 && (verb.takes & Verb::frame) ? "frame" : "representation";
}
inline std::string begin(const Verb& verb) { return std::string(verb.name) + "()"; }

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

/// The array to write to: `out`, or a new one. New reference.
nb::object result_array(const Verb& verb, PyObject* out, const Shape& shape, int type);
/// A number instead of an array without dimensions.
PyObject* give(nb::object result, const Shape& shape, PyObject* out);
/// The frame and the representation.
void read_target(const Verb& verb, const Arguments& given, Call& call);
/// Arguments by keyword, and wrong ones.
void bind(const Verb& verb, PyObject* const* args, std::size_t given, PyObject* names,
          Arguments& out);
/// Every call that is not plain: lists, other types of numbers, batches, applied wrenches, and all mistakes.
PyObject* convert(const Verb& verb, std::size_t index, const Arguments& given);

}  // namespace chasles::python
