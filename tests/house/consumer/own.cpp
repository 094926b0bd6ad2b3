#include "own.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

double own_eigen() {
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(7, 7);
  A = (A * A.transpose()).eval() + Eigen::MatrixXd::Identity(7, 7);
  Eigen::MatrixXd B;
  B.resize(7, 3);
  B.setOnes();
  const Eigen::MatrixXd x = A.partialPivLu().solve(B), y = A.ldlt().solve(B);
  return (A * x - B).norm() + (A * y - B).norm();
}
