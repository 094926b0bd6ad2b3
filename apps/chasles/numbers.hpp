#pragma once

#include <string>
#include <vector>

/// Numbers on the command line, separated by commas: "0,0,-9.81".
/// @param option   such as "--gravity", for messages
/// @param count    how many there must be; 0: any number
/// @param example  of what is meant: "three numbers such as 0,0,-9.81"
/// @throws chasles::Error naming the option, the text and the example; numbers that are not finite too
std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count, const std::string& example);
