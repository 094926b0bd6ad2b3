/// The symbolic phase of an elimination of constraint blocks along the tree: where the ends of each block
/// meet, which blocks are open on each link, and the order of elimination.
///
/// A block (a loop, a coupling, a force element) touches links and entries of v. It is open on the links
/// from its ends up to, but without, the link where all of them meet; there it is eliminated, before the
/// joint of that link. Blocks that meet on ground come last, always the one coupled to the fewest others
/// (minimum degree); an eliminated block couples all that it was coupled to. A block may be eliminated early, on
/// the link of one end: its other end is then on links that come later, and has no links in common with the first
/// nor with other blocks.
///
///     ground ---- 0 ---- 1 ---- 2          a loop between links 2 and 4 meets at link 0,
///                  \---- 3 ---- 4          and is open on 1, 2, 3, 4
#pragma once

#include <vector>

#include "chasles/model/model.hpp"

namespace chasles {

/// What a block touches.
struct BlockEnds {
  std::vector<int> links;    // never ground
  std::vector<int> entries;  // of v
  bool to_ground = false;    // one of its ends is on ground
  int early = -1;            // eliminated on this link instead, on which one of its ends is
};

class BlockOrder {
 public:
  BlockOrder(const Model& model, const std::vector<BlockEnds>& blocks);

  struct Block {
    int number;                // in the list that was given
    int meets;                 // link; -1: ground
    std::vector<int> coupled;  // positions in this order, all later
  };
  /// In the order of elimination.
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Of each link the open blocks: positions in the order, ascending.
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
