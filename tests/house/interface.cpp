/// No owning Eigen object passes the interface: one that is built on one side of the library and
/// destroyed on the other corrupts the heap if the two sides were compiled with other flags
/// (math/dense.hpp). Parameters by Ref and looks by Map own nothing.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Lines of a header that name an owning type of Eigen.
std::vector<std::string> owners(const std::string& text) {
  static const std::regex comment(R"(//.*)");
  static const std::regex lent(R"((Ref|Map|Dense|MatrixBase|EigenBase)\s*<\s*(const\s+)?)"
                               R"(Eigen::(Matrix<[^<>]*>|Sparse\w+<\w+>|\w+)\s*(,[^<>]*)?>)");
  static const std::regex owning(
      R"(Eigen::(Matrix(Xd|Xf|<)|Vector(Xd|Xf)|RowVectorX|Array|Sparse(Matrix|Vector)))");
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string rest = std::regex_replace(std::regex_replace(line, comment, ""), lent, "");
    if (std::regex_search(rest, owning)) found.push_back(line);
  }
  return found;
}

TEST(Interface, no_owning_eigen_object_in_public_headers) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator("include/chasles")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const fs::path file = entry.path().lexically_relative("include/chasles");
    // The two that make Eigen's types harmless.
    if (file == "math/dense.hpp" || file == "screws/eigen.hpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (const std::string& line : owners(text.str())) ADD_FAILURE() << file << ": " << line;
  }
  EXPECT_GT(files, 30);
}

TEST(Interface, the_check_finds_them) {
  EXPECT_EQ(owners("Eigen::VectorXd q;\n").size(), 1);
  EXPECT_EQ(owners("const Eigen::MatrixXd& mass_matrix(int);\n").size(), 1);
  EXPECT_EQ(owners("std::vector<Eigen::Matrix<double, 6, 6>> Ups;\n").size(), 1);
  EXPECT_EQ(owners("Eigen::SparseMatrix<double> J;\n").size(), 1);
  EXPECT_EQ(owners("void f(const Eigen::Ref<const Eigen::VectorXd>& x);\n").size(), 0);
  EXPECT_EQ(owners("using R = Eigen::Ref<Eigen::Matrix<double, 6, Eigen::Dynamic>>;\n").size(), 0);
  EXPECT_EQ(owners("/// Eigen::VectorXd mine = 2 * tau;\n").size(), 0);
}

}  // namespace
