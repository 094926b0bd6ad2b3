#include "chasles/error.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
#include "fuzz/targets.hpp"

namespace chasles::fuzz {
namespace {

constexpr std::size_t longest_message = 1100;

void check_message(const Error& error) {
  const std::string text = error.what();
  require(!text.empty() && text.size() < longest_message,
          "message of " + std::to_string(text.size()));
  for (const char c : text)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n', "control character in a message");
}

/// Writing in another format ends with a text or a message; what is written may be beyond the limits of its reader.
template <class Writer, class Reader>
void convert(const Mechanism& mechanism, const Writer& writer, const Reader& reader) {
  std::vector<std::string> warnings;
  try {
    reader(writer(mechanism, &warnings), "written.xml", {});
  } catch (const Error& error) {
    check_message(error);
  }
}
void convert_all(const Mechanism& mechanism) {
  convert(mechanism, write_urdf, read_urdf);
  convert(mechanism, write_mjcf, read_mjcf);
  convert(mechanism, write_sdf, read_sdf);
}

/// A written model is read as the same one, and compiles if the first did.
void round_trip(const Mechanism& mechanism) {
  bool sound = true;
  try {
    compile(mechanism);
  } catch (const Error& error) {
    check_message(error);
    sound = false;
  }
  if (!sound) return;
  const std::string text = write_yaml(mechanism);
  try {
    const Mechanism again = read_yaml(text, "written");
    compile(again);
    require(write_yaml(again) == text, "written twice, it differs:\n" + text);
  } catch (const Error& error) {
    throw Failure(std::string("what was written is refused: ") + error.what() + "\n" + text);
  }
  convert_all(mechanism);
}

template <class Reader>
void read_xml(std::string_view bytes, bool floating, const Reader& reader) {
  std::vector<std::string> warnings;
  try {
    round_trip(reader(bytes, "fuzz.xml", {floating, &warnings}));
  } catch (const Error& error) {
    check_message(error);
  }
  require(warnings.size() <= 101, "too many warnings");
  for (const std::string& warning : warnings)
    require(warning.size() < longest_message, "a long warning");
}

}  // namespace

void model_yaml(std::string_view bytes) {
  try {
    round_trip(read_yaml(bytes, "fuzz.yaml"));
  } catch (const Error& error) {
    check_message(error);
  }
}

void urdf(std::string_view bytes) {
  const bool floating = bytes.starts_with(' ');
  read_xml(bytes, floating, read_urdf);
}
void mjcf(std::string_view bytes) { read_xml(bytes, false, read_mjcf); }
void sdf(std::string_view bytes) { read_xml(bytes, false, read_sdf); }

}  // namespace chasles::fuzz
