#include <chasles/suggest.hpp>
#include <chasles/version.hpp>
#include <iostream>

int main() {
  std::cout << "chasles " << chasles::version() << '\n';
  return chasles::did_you_mean("inof", {{"info"}}).empty();
}
