#include <chasles/version.hpp>

namespace chasles {

std::string_view version() { return CHASLES_VERSION; }

}  // namespace chasles
