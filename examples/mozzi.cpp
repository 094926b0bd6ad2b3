/// Every displacement of a rigid body is one screw motion. Here a workpiece is carried from one
/// pose to another: about which axis could a single joint have done it, and through which poses?
#include <cstdio>

#include "chasles/screws/all.hpp"

using namespace chasles;

int main() {
  const double degree = M_PI / 180;
  const SE3 start{rotation_from_rpy(0.0, 0.0, 20 * degree), {0.6, 0.1, 0.2}};
  const SE3 goal{rotation_from_rpy(30 * degree, -15 * degree, 140 * degree), {0.2, 0.5, 0.4}};

  const SE3 displacement =
      goal * inverse(start);  // in world coordinates: goal = displacement * start
  const ScrewAxis screw = mozzi_axis(displacement);
  std::printf("The displacement is one screw motion:\n");
  std::printf("  axis    (% .4f, % .4f, % .4f)\n", screw.axis.x, screw.axis.y, screw.axis.z);
  std::printf("  through (% .4f, % .4f, % .4f) m\n", screw.point.x, screw.point.y, screw.point.z);
  std::printf("  turn %.2f degrees, slide %.4f m (pitch %.4f m/rad)\n\n", screw.magnitude / degree,
              screw.pitch * screw.magnitude, screw.pitch);

  std::printf("Poses on the way, and the distance of the origin from the axis:\n");
  for (int i = 0; i <= 4; ++i) {
    const double s = i / 4.0;
    const SE3 C = interpolate(start, goal, s);
    const Vec3 angles = rpy(C.R), arm = cross(screw.axis, C.r - screw.point);
    std::printf("  s = %.2f  at (% .4f, % .4f, % .4f) m, rpy (%7.2f, %7.2f, %7.2f) deg, %.4f m\n",
                s, C.r.x, C.r.y, C.r.z, angles.x / degree, angles.y / degree, angles.z / degree,
                norm(arm));
  }

  const SE3 again = exp(log(displacement)) * start;
  const double error = max_abs(minus(again, goal));
  std::printf("\nexp(log(displacement)) * start misses the goal by %.1e\n", error);
  return error < 1e-14 ? 0 : 1;
}
