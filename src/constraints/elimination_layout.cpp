/// What an elimination needs to know before it knows numbers: which constraints pass which links, in
/// which order they are eliminated, and where each finds what it works on.
#include <algorithm>

#include "constraints/elimination.hpp"
#include "dynamics/links.hpp"

namespace chasles {

Elimination::Elimination(const Constraints& constraints, std::vector<int> rows)
    : model_(constraints.model()),
      rows_(std::move(rows)),
      D_index_(dynamics::square_offsets(model_)) {
  const std::size_t n = model_.links().size(), nv = size(model_.nv());
  passages_.resize(n), meetings_.resize(n), at_link_.resize(n + 1);
  H_.resize(nv), U_.resize(nv), G_.resize(nv), u_.resize(nv);
  a_.resize(n), p_.resize(n), P_.resize(n), inertia_.resize(n), carried_.resize(n), way_.resize(n);
  D_.resize(size(D_index_.back()));
  lay_out(constraints);
  find_places(constraints);
}

/// Where all ends of a constraint have met.
int Elimination::meeting_point(const RowBlock& rows) const {
  const auto& links = model_.links();
  int c = -2;  // none yet
  const auto include = [&](int link) {
    if (c == -2)
      c = link;
    else
      while (c >= 0 && !(link >= 0 && dynamics::carries(model_, c, link)))
        c = links[size(c)].parent;
  };
  for (const int link : rows.links) include(link);
  // A wrench whose other end is on ground meets there.
  if (rows.links.size() == 1) c = -1;
  for (const int entry : rows.entries) include(links[size(model_.link_of_v()[size(entry)])].parent);
  return c;
}

/// Which constraints pass which links, and in which order they are eliminated.
void Elimination::lay_out(const Constraints& constraints) {
  const auto& parts = constraints.parts();
  int lambda = 0;
  for (std::size_t number = 0; number < parts.blocks.size(); ++number) {
    const ConstraintBlock& of = constraints.blocks()[number];
    Block block;
    block.number = number, block.first = lambda;
    for (const int row : rows_)
      if (row >= of.first && row < of.first + of.rows) block.picked.push_back(row - of.first);
    block.rows = static_cast<int>(block.picked.size());
    if (block.rows == 0) continue;
    lambda += block.rows;
    block.meets = meeting_point(parts.blocks[number]);
    blocks_.push_back(std::move(block));
  }
  g_.resize(size(lambda)), Y_.resize(size(lambda)), pivots_.resize(size(lambda));
  sizes_.resize(size(lambda)), best_.resize(size(lambda));

  // The links that each passes on its way, and the others that it meets there.
  const auto& links = model_.links();
  std::vector<std::vector<std::size_t>> open(links.size()), coupled(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const RowBlock& rows = parts.blocks[blocks_[b].number];
    const auto walk = [&](int link) {
      for (; link != blocks_[b].meets && link >= 0; link = links[size(link)].parent)
        if (auto& here = open[size(link)]; here.empty() || here.back() != b) here.push_back(b);
    };
    for (const int link : rows.links) walk(link);
    for (const int entry : rows.entries) walk(model_.link_of_v()[size(entry)]);
  }
  for (const auto& here : open)
    for (const std::size_t i : here)
      for (const std::size_t j : here)
        if (i != j) coupled[i].push_back(j);
  for (auto& list : coupled) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  std::vector<std::size_t> name(blocks_.size());
  for (std::size_t b = 0; b < name.size(); ++b) blocks_[b].C = b;  // to find them again
  order(coupled);
  for (std::size_t b = 0; b < name.size(); ++b) name[blocks_[b].C] = b;
  for (Block& block : blocks_)
    for (std::size_t& j : block.coupled) j = name[j];
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const std::size_t b : open[i]) passages_[i].push_back({name[b], 0, 0, none, true});
    std::sort(passages_[i].begin(), passages_[i].end(),
              [](const Passage& a, const Passage& b) { return a.block < b.block; });
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    std::sort(block.coupled.begin(), block.coupled.end());
    at_link_[block.meets < 0 ? links.size() : size(block.meets)].push_back(b);
    if (block.meets >= 0) passages_[size(block.meets)].push_back({b, 0, 0, none, false});
  }
}

/// Inner links first, as the sweep comes to them; on ground, always one with the fewest others. What is
/// eliminated couples all that it was coupled to.
void Elimination::order(std::vector<std::vector<std::size_t>>& coupled) {
  std::vector<std::size_t> left(blocks_.size());
  for (std::size_t b = 0; b < left.size(); ++b) left[b] = b;
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return blocks_[a].meets > blocks_[b].meets;
  });
  std::vector<Block> ordered;
  for (std::size_t done = 0; done < left.size(); ++done) {
    if (blocks_[left[done]].meets < 0)
      std::iter_swap(left.begin() + static_cast<std::ptrdiff_t>(done),
                     std::min_element(left.begin() + static_cast<std::ptrdiff_t>(done), left.end(),
                                      [&](std::size_t a, std::size_t b) {
                                        return coupled[a].size() < coupled[b].size();
                                      }));
    const std::size_t b = left[done];
    std::vector<std::size_t> others = coupled[b];
    for (const std::size_t j : others) {
      std::vector<std::size_t> joined;
      std::set_union(coupled[j].begin(), coupled[j].end(), others.begin(), others.end(),
                     std::back_inserter(joined));
      std::erase(joined, b);
      std::erase(joined, j);
      coupled[j] = std::move(joined);
    }
    blocks_[b].coupled = std::move(others);
    ordered.push_back(std::move(blocks_[b]));
  }
  blocks_ = std::move(ordered);
}

/// Memory for everything, and where each finds what it works on.
void Elimination::find_places(const Constraints& constraints) {
  const auto& links = model_.links();
  std::size_t L = 0, K = 0, k = 0;
  for (Block& block : blocks_) {
    block.C = L;
    L += size(block.rows * block.rows);
    for (const std::size_t j : block.coupled) {
      block.X.push_back(L);
      L += size(block.rows * blocks_[j].rows);
    }
    block.Y = size(block.first);
  }
  L_.resize(L);
  /// L_ji, i before j.
  const auto place = [&](std::size_t i, std::size_t j) {
    const Block& block = blocks_[i];
    if (i == j) return block.C;
    const auto found = std::lower_bound(block.coupled.begin(), block.coupled.end(), j);
    return block.X[size(static_cast<int>(found - block.coupled.begin()))];
  };
  for (Block& block : blocks_)
    for (std::size_t a = 0; a < block.coupled.size(); ++a)
      for (std::size_t b = a; b < block.coupled.size(); ++b)
        block.pairs.push_back(place(block.coupled[a], block.coupled[b]));

  for (std::size_t i = 0; i < links.size(); ++i)
    for (Passage& passage : passages_[i]) {
      const Block& block = blocks_[passage.block];
      passage.K = K, K += size(block.rows);
      if (passage.open) passage.k = k, k += size(block.rows * links[i].nv);
    }
  K_.resize(K), k_.resize(k), kD_.resize(k);
  const auto passage_of = [&](int link, std::size_t block) {
    if (link >= 0)
      for (const Passage& passage : passages_[size(link)])
        if (passage.block == block) return passage.K;
    return none;
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto& here = passages_[i];
    for (std::size_t a = 0; a < here.size(); ++a) {
      if (!here[a].open) continue;
      passages_[i][a].onward = passage_of(links[i].parent, here[a].block);
      for (std::size_t b = a; b < here.size() && here[b].open; ++b)
        meetings_[i].push_back({a, b, place(here[a].block, here[b].block)});
    }
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    for (const int link : constraints.parts().blocks[block.number].links)
      block.ends.push_back(passage_of(link, b));
    block.K.push_back(passage_of(block.meets, b));
    for (const std::size_t j : block.coupled) block.K.push_back(passage_of(block.meets, j));
  }
}

}  // namespace chasles
