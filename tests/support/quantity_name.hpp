/// A name with arguments for every row of the list of quantities.
#pragma once

#include <string>

#include "chasles/simulation/quantity.hpp"

namespace chasles::test {

/// Arguments of quantities in a model: "tip", "tip:hybrid", "elbow:spatial", "floor".
struct QuantityArguments {
  std::string frame, frame_and_representation, joint_and_representation, contact, driver{};
};
inline std::string quantity_name(const QuantityInfo& row, const QuantityArguments& arguments) {
  const std::string name = std::string(row.name) + ":";
  switch (row.argument) {
    case Argument::none:
    case Argument::optional_joint:
      break;
    case Argument::frame:
      return name + arguments.frame;
    case Argument::frame_and_representation:
      return name + arguments.frame_and_representation;
    case Argument::joint_and_representation:
      return name + arguments.joint_and_representation;
    case Argument::contact:
      return name + arguments.contact;
    case Argument::driver:
      return name + arguments.driver;
  }
  return std::string(row.name);
}

}  // namespace chasles::test
