#pragma once

/// 0 if all is well. Eigen of the program's own, whose functions must stay its own and the library's those of
/// the library.
#ifdef OWN_EIGEN
double own_eigen();
#else
inline double own_eigen() { return 0; }
#endif
