#include <chasles/lie/se3.hpp>
#include <chasles/suggest.hpp>
#include <chasles/version.hpp>
#include <iostream>

int main() {
  std::cout << "chasles " << chasles::version() << '\n';
  const chasles::SE3 C = exp(chasles::Twist{{0, 0, 1}, {0, 0, 1}});
  return chasles::did_you_mean("inof", {{"info"}}).empty() || C.r.z != 1;
}
