/// Symbolic phase of the elimination of constraint blocks along the tree: the link where the ends of each block meet
/// (their nearest common ancestor), the blocks that are open on each link, and the order of elimination.
///
/// A block (a loop, a coupling, a force element) acts on links and entries of v. It is open on the links from its ends
/// up to, but excluding, the link where its ends meet; there it is eliminated, before the joint of that link. Blocks
/// that meet on ground come last, in minimum-degree order: always the block coupled to the fewest others; eliminating a
/// block couples all its neighbors. A block may be eliminated early, on the link of one end, if its other end is on
/// links with higher indices that share nothing with the first end nor with other blocks.
///
///     ground ---- 0 ---- 1 ---- 2          a loop between links 2 and 4 meets at link 0,
///                  \---- 3 ---- 4          and is open on 1, 2, 3, 4
#pragma once

#include <vector>

#include "chasles/model/model.hpp"

namespace chasles {

/// The links and entries of v that a block acts on.
struct BlockEnds {
  std::vector<int> links;    // never ground
  std::vector<int> entries;  // indices into v
  bool to_ground = false;    // one of its ends is on ground
  int early = -1;            // if >= 0: eliminated on this link, which carries one of its ends
};

class BlockOrder {
 public:
  BlockOrder(const Model& model, const std::vector<BlockEnds>& blocks);

  struct Block {
    int number;                // index in the list of blocks given
    int meets;                 // link where its ends meet; -1: ground
    std::vector<int> coupled;  // indices into blocks(), all later
  };
  /// In the order of elimination.
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The open blocks of each link: indices into blocks(), ascending.
  const std::vector<std::vector<int>>& open() const { return open_; }
  /// The blocks that meet on a link (-1: ground) are begin(link) <= k < end(link).
  int begin(int link) const { return first_[static_cast<std::size_t>(link + 1)].begin; }
  int end(int link) const { return first_[static_cast<std::size_t>(link + 1)].end; }

 private:
  struct Range {
    int begin = 0, end = 0;
  };
  static int meeting_link(const Model& model, const BlockEnds& block);
  void find_open(const Model& model, const std::vector<BlockEnds>& ends);
  void sort_blocks(std::vector<std::vector<int>>& coupled);

  std::vector<Block> blocks_;
  std::vector<std::vector<int>> open_;
  std::vector<Range> first_;  // ground, links
};

}  // namespace chasles
