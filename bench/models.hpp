/// The benchmarked mechanisms: chains, a tree and a humanoid from a fixed random seed, and robots from files.
#pragma once

#include <filesystem>
#include <vector>

#include "chasles/mechanism/mechanism.hpp"

/// n revolute joints in a row: frames anywhere near their parent, boxes as bodies.
chasles::Mechanism chain(int n);
/// 2^levels - 1 bodies on revolute joints, each of which carries two more.
chasles::Mechanism binary_tree(int levels);
/// A floating torso with 32 revolute joints: waist 3, neck 3, two legs of 6, two arms of 7; nv = 38.
chasles::Mechanism humanoid();
/// A floating trunk with four legs of 3 revolute joints; nv = 18.
chasles::Mechanism quadruped();
/// The Panda arm, and the ANYmal on a floating base, if their URDF files are in the folder.
std::vector<chasles::Mechanism> robots(const std::filesystem::path& folder);
