#include "constraints/block_order.hpp"

#include <algorithm>
#include <iterator>

#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

BlockOrder::BlockOrder(const Model& model, const std::vector<BlockEnds>& ends)
    : open_(tree_links(model).size()), first_(tree_links(model).size() + 1) {
  for (std::size_t b = 0; b < ends.size(); ++b)
    blocks_.push_back({static_cast<int>(b),
                       ends[b].early >= 0 ? ends[b].early : meeting_link(model, ends[b]),
                       {}});
  find_open(model, ends);
  std::vector<std::vector<int>> coupled(blocks_.size());
  for (const auto& here : open_)
    for (const int i : here)
      for (const int j : here)
        if (i != j) coupled[size(i)].push_back(j);
  for (auto& list : coupled) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  sort_blocks(coupled);
  // Order of elimination: blocks of the last link first, those of ground last.
  int next = 0;
  for (int link = static_cast<int>(tree_links(model).size()) - 1; link >= -1; --link) {
    first_[size(link + 1)].begin = next;
    while (next < static_cast<int>(blocks_.size()) && blocks_[size(next)].meets == link) ++next;
    first_[size(link + 1)].end = next;
  }
}

int BlockOrder::meeting_link(const Model& model, const BlockEnds& block) {
  const auto& links = tree_links(model);
  int c = -2;  // unset
  const auto include = [&](int link) {
    if (c == -2)
      c = link;
    else
      while (c >= 0 && !(link >= 0 && dynamics::carries(model, c, link))) c = links[size(c)].parent;
  };
  for (const int link : block.links) include(link);
  if (block.to_ground) c = -1;
  for (const int entry : block.entries) include(links[size(link_of_v(model)[size(entry)])].parent);
  return std::max(c, -1);
}

void BlockOrder::find_open(const Model& model, const std::vector<BlockEnds>& ends) {
  for (const Block& block : blocks_) {
    const int b = block.number;
    const auto walk = [&](int link) {
      for (; link != block.meets && link >= 0; link = tree_links(model)[size(link)].parent)
        if (auto& here = open_[size(link)]; here.empty() || here.back() != b) here.push_back(b);
    };
    for (const int link : ends[size(b)].links) walk(link);
    for (const int entry : ends[size(b)].entries) walk(link_of_v(model)[size(entry)]);
  }
}

void BlockOrder::sort_blocks(std::vector<std::vector<int>>& coupled) {
  std::vector<int> left(blocks_.size()), position(blocks_.size());
  for (std::size_t b = 0; b < left.size(); ++b) left[b] = static_cast<int>(b);
  std::ranges::stable_sort(
      left, [&](int a, int b) { return blocks_[size(a)].meets > blocks_[size(b)].meets; });
  std::vector<Block> ordered;
  for (auto next = left.begin(); next != left.end(); ++next) {
    if (blocks_[size(*next)].meets < 0)
      std::iter_swap(next, std::min_element(next, left.end(), [&](int a, int b) {
                       return coupled[size(a)].size() < coupled[size(b)].size();
                     }));
    const int b = *next;
    const std::vector<int> others = coupled[size(b)];
    for (const int j : others) {
      std::vector<int> joined;
      std::ranges::set_union(coupled[size(j)], others, std::back_inserter(joined));
      std::erase(joined, b);
      std::erase(joined, j);
      coupled[size(j)] = std::move(joined);
    }
    position[size(b)] = static_cast<int>(ordered.size());
    ordered.push_back(std::move(blocks_[size(b)]));
    ordered.back().coupled = others;
  }
  blocks_ = std::move(ordered);
  const auto rename = [&](std::vector<int>& list) {
    for (int& b : list) b = position[size(b)];
    std::ranges::sort(list);
  };
  for (Block& block : blocks_) rename(block.coupled);
  for (auto& here : open_) rename(here);
}

}  // namespace chasles
