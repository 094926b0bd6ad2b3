#pragma once

namespace chasles::studies::park_chung {

/// The methods of 001 in the order of its tables, by their titles there and their names here.
struct PaperMethod {
  const char *title, *name;
  int order;
};
inline constexpr PaperMethod methods[] = {{"CG2", "cg2", 2}, {"CG3", "cg3", 3}, {"CG4", "cg4", 4},
                                          {"CF2", "cf2", 2}, {"CF3", "cf3", 3}, {"CF4", "cf4", 4},
                                          {"MK2", "mk2", 2}, {"MK3", "mk3", 3}, {"MK4", "mk4", 4}};

}  // namespace chasles::studies::park_chung
