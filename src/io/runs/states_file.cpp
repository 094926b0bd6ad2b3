#include "chasles/io/states_file.hpp"

#include <fstream>
#include <functional>
#include <iostream>

#include "chasles/suggest.hpp"
#include "io/json/json_stream.hpp"
#include "model/coordinate_name.hpp"

namespace chasles {
namespace io {
namespace {

constexpr std::string_view state_keys[] = {"q", "v", "a", "jerk", "snap", "tau", "wrenches"};
constexpr std::string_view wrench_keys[] = {"wrench", "representation"};

class StatesReader {
 public:
  StatesReader(std::istream& in, const std::string& name, const Model& model)
      : json_(in, name), model_(model) {}

  std::vector<GivenState> read() {
    constexpr const char* form = "give {\"states\": [{\"q\": [..], \"v\": [..], \"a\": [..]}, ..]}";
    if (json_.peek() != '{') json_.refuse("here is " + json_.peek_text() + "; " + form);
    std::vector<GivenState> states;
    bool found = false;
    json_.object([&](const std::string& key) {
      if (key != "states") json_.refuse("unknown key " + quote(key) + "; " + form);
      found = true;
      require('[', "states", "a list of states");
      json_.array([&] {
        const std::string where = "states[" + std::to_string(states.size()) + "]";
        states.push_back(state(where));
      });
    });
    if (!found) json_.refuse(std::string("there are no states; ") + form);
    json_.end();
    return states;
  }

 private:
  void require(char first, const std::string& where, const char* what) {
    if (json_.peek() != first) json_.refuse(where + " is " + json_.peek_text() + "; give " + what);
  }
  [[noreturn]] void unknown(const std::string& where, const std::string& key,
                            std::span<const std::string_view> known) {
    json_.refuse(where + ": unknown key " + quote(key) + choices(key, known));
  }

  /// As many numbers as `out` has.
  /// @param entry  the name of an entry, for messages; empty: it has none
  void read(const std::string& where, VectorRef out,
            const std::function<std::string(int)>& entry = {}) {
    const auto name = [&](Eigen::Index k) {
      return entry && k < out.size() ? " (" + entry(static_cast<int>(k)) + ")" : std::string();
    };
    require('[', where, "a list of numbers");
    const LineColumn at = json_.next_place();
    Eigen::Index count = 0;
    json_.array([&] {
      const char c = json_.peek();
      if (c != '-' && (c < '0' || c > '9'))
        json_.refuse(where + "[" + std::to_string(count) + "]" + name(count) + " is " +
                     json_.peek_text() + "; give a finite number");
      const double x = json_.number();
      if (count < out.size()) out[count] = x;
      ++count;
    });
    if (count != out.size())
      fail(json_.name(), at,
           where + " has " + std::to_string(count) + " entries; the model needs " +
               std::to_string(out.size()) +
               (count < out.size() && entry
                    ? ", and the first that is missing is that of " + entry(static_cast<int>(count))
                    : ""));
  }

  /// Entries by joint: {"elbow": 0.3, "base": [..]}.
  /// @param kept  receives the entries of v of these joints
  void read_by_joint(const std::string& where, bool is_q, Vector& out, std::vector<bool>& kept) {
    kept.assign(static_cast<std::size_t>(model_.nv()), false);
    json_.object([&](const std::string& name) {
      const LineColumn at = json_.next_place();
      const ModelJoint* joint = nullptr;
      try {
        joint = &model_.joint(name);
      } catch (const Error& error) {
        fail(json_.name(), at, where + ": " + error.what());
      }
      const std::string here = where + "." + std::string(name, 0, longest_word);
      const int first = is_q ? joint->q_index : joint->v_index;
      const int count = is_q ? joint->nq : joint->nv;
      if (json_.peek() == '[')
        read(here, out.segment(first, count));
      else if (const char c = json_.peek(); count == 1 && (c == '-' || (c >= '0' && c <= '9')))
        out[first] = json_.number();
      else
        json_.refuse(here + " is " + json_.peek_text() + "; give " +
                     (count == 1 ? "a number" : "a list of " + std::to_string(count) + " numbers"));
      std::fill_n(kept.begin() + joint->v_index, joint->nv, true);
    });
  }

  AppliedWrench wrench(const std::string& body, const std::string& where) {
    const auto with_location = [&](LineColumn at, const auto& f) {
      try {
        return f();
      } catch (const Error& error) {
        fail(json_.name(), at, where + ": " + error.what());
      }
    };
    const LineColumn at = json_.next_place();
    AppliedWrench applied{with_location(at, [&] { return model_.frame(body); }), {}};
    bool given = false;
    require('{', where, "{\"wrench\": [6 numbers], \"representation\": \"hybrid\"}");
    json_.object([&](const std::string& key) {
      if (key == "wrench") {
        given = true;
        Vector W(6);
        read(where + ".wrench", W);
        applied.W = {{W[0], W[1], W[2]}, {W[3], W[4], W[5]}};
      } else if (key == "representation") {
        require('"', where + ".representation", "a word");
        const LineColumn word = json_.next_place();
        applied.representation =
            with_location(word, [&] { return representation_named(json_.text()); });
      } else {
        unknown(where, key, wrench_keys);
      }
    });
    if (!given) fail(json_.name(), at, where + ": needs \"wrench\": [6 numbers]");
    return applied;
  }

  GivenState state(const std::string& where) {
    GivenState state(model_);
    require('{', where, "an object with q, v, a, ...");
    LineColumn q_place = json_.next_place();
    json_.object([&](const std::string& key) {
      const std::string here = where + "." + std::string(key, 0, longest_word);
      if (key == "wrenches") {
        require('{', here, "wrenches by body");
        json_.object([&](const std::string& body) {
          state.wrenches.push_back(wrench(body, here + "." + std::string(body, 0, longest_word)));
        });
        return;
      }
      Vector* const targets[] = {&state.q,    &state.v,    &state.a,
                                 &state.jerk, &state.snap, &state.tau};
      for (std::size_t i = 0; i < std::size(targets); ++i)
        if (key == state_keys[i]) {
          if (i == 0) q_place = json_.next_place();
          if (key == "a") state.gives_a = true;
          if (key == "tau") state.gives_tau = true;
          if (json_.peek() == '{') {
            std::vector<bool> unused;
            std::vector<bool>* const kept[] = {&state.kept_q, &state.kept_v, &state.kept_a};
            return read_by_joint(here, i == 0, *targets[i],
                                 i < std::size(kept) ? *kept[i] : unused);
          }
          return read(here, *targets[i], [&, i](int k) {
            return i == 0 ? position_name(model_, k) : coordinate_name(model_, k);
          });
        }
      unknown(where, key, state_keys);
    });
    try {
      state.q = checked_configuration(model_, state.q);
    } catch (const Error& error) {
      fail(json_.name(), q_place, where + ".q: " + error.what());
    }
    return state;
  }

  JsonStream json_;
  const Model& model_;
};

}  // namespace
}  // namespace io

GivenState::GivenState(const Model& model)
    : q(model.neutral()),
      v(model.nv()),
      a(model.nv()),
      jerk(model.nv()),
      snap(model.nv()),
      tau(model.nv()) {}

void GivenState::write_to(EvaluationState& moment) const {
  moment.q = q, moment.v = v, moment.a = a, moment.jerk = jerk, moment.snap = snap;
  moment.acting.tau = tau;
  moment.acting.wrenches = wrenches;
  moment.gives_a = gives_a, moment.gives_tau = gives_tau;
}

std::vector<GivenState> read_states(std::istream& in, const std::string& name, const Model& model) {
  return io::StatesReader(in, name, model).read();
}

std::vector<GivenState> read_states(const std::filesystem::path& path, const Model& model) {
  const std::string name = io::input_name(path);
  if (io::is_standard_stream(path)) return read_states(std::cin, name, model);
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(name + ": is a directory; give a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": there is no such file, or it cannot be read");
  return read_states(file, name, model);
}

}  // namespace chasles
