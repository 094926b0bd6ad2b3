// Included by tree_newton.cpp. The symbolic phase: offsets of all blocks; and the initial Z of links and K, R, L of
// blocks.
#pragma once

template <int S, int P>
void TreeNewtonOf<S, P>::choose(std::span<const KeptEquations> kept) {
  bool same = true;
  for (TreeLinearization& stage : stages_) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      same = same && stage.constraints()[i].kept == kept[i].rank;
    stage.choose(kept);
  }
  if (!same) plan();
}

template <int S, int P>
void TreeNewtonOf<S, P>::hold(std::span<const int> entries) {
  std::fill(held_.begin(), held_.end(), char{0});
  for (const int v : entries) held_[size(v)] = 1;
  holds_ = !entries.empty();
}

template <int S, int P>
const BorderBlock& TreeNewtonOf<S, P>::data(int stage, int block) const {
  const TreeLinearization& at = stages_[size(stage)];
  const std::size_t number = size(numbers_[size(block)]), constraints = at.constraints().size();
  if (number < constraints) return at.constraints()[number];
  const LinkPair& pair = pairs_[number - constraints];
  const auto found = std::ranges::find(at.pairs(), pair);
  return at.elements()[size(static_cast<int>(found - at.pairs().begin()))];
}

/// The symbolic phase; repeated only if a force element appears between two links that had none.
template <int S, int P>
void TreeNewtonOf<S, P>::plan() {
  std::vector<BlockEnds> ends;
  std::vector<int> rows;
  const auto add = [&](const BorderBlock& block) {
    BlockEnds e;
    for (const auto& end : block.ends) e.links.push_back(end.link);
    for (const auto& entry : block.entries) e.entries.push_back(entry.v);
    e.to_ground = block.ends.size() == 1;
    ends.push_back(std::move(e));
    rows.push_back(S * block.rows);
  };
  for (const BorderBlock& block : stages_[0].constraints()) add(block);
  for (const LinkPair& pair : pairs_) {
    ends.push_back({{pair.a, pair.b}, {}, false});
    rows.push_back(6 * S);
  }
  const BlockOrder order(model_, ends);
  border_size_ = 0, pivot_count_ = 0;
  const auto take = [&](std::size_t n) { return std::exchange(border_size_, border_size_ + n); };
  blocks_.clear(), numbers_.clear(), passages_.clear(), meetings_.clear(), first_passage_.clear();
  position_.assign(ends.size(), 0);
  for (const BlockOrder::Block& from : order.blocks()) {
    Block block;
    block.rows = rows[size(from.number)], block.meets = from.meets;
    block.others = from.coupled;
    position_[size(from.number)] = static_cast<int>(blocks_.size());
    numbers_.push_back(from.number);
    blocks_.push_back(std::move(block));
  }
  for (Block& block : blocks_) {
    const std::size_t n = size(block.rows);
    block.L = take(n * n);
    block.pivots = size(pivot_count_);
    pivot_count_ += block.rows;
    for (const int j : block.others) {
      block.ij.push_back(take(n * size(blocks_[size(j)].rows)));
      block.ji.push_back(take(n * size(blocks_[size(j)].rows)));
    }
    if (block.meets < 0) continue;
    block.meeting = static_cast<int>(meetings_.size());
    const std::size_t K = take(n * w), R = take(n * duals);
    meetings_.push_back({static_cast<int>(&block - blocks_.data()), K, R});
  }
  const auto& links = tree_links(model_);
  for (std::size_t i = 0; i < links.size(); ++i) {
    first_passage_.push_back(passages_.size());
    for (const int b : order.open()[i]) {
      const std::size_t n = size(blocks_[size(b)].rows), K = take(n * w), R = take(n * duals);
      passages_.push_back({b, K, R});
    }
  }
  first_passage_.push_back(passages_.size());
  border_begins_ = border_size_;
  for (Block& block : blocks_)
    block.g = take(size(block.rows)), block.X = take(size(block.rows) * w);
  for (std::size_t i = 0; i < links.size(); ++i)
    for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p) {
      const std::size_t n = size(blocks_[size(passages_[p].block)].rows * links[i].nv * S);
      passages_[p].Drho = take(n), passages_[p].kap = take(n);
    }
  begins_.clear(), ends_.clear();
  for (int link = -1; link < static_cast<int>(links.size()); ++link)
    begins_.push_back(order.begin(link)), ends_.push_back(order.end(link));
  moves_others_.assign(links.size(), 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (begins_[i + 1] < ends_[i + 1]) moves_others_[i] = 1;
    if (links[i].parent >= 0) moves_others_[size(links[i].parent)] = 1;
  }
  border_.resize(border_size_);
  block_pivots_.resize(size(pivot_count_));
}

template <int S, int P>
int TreeNewtonOf<S, P>::passage_of(int link, int block) const {
  if (link < 0) return -1;
  for (std::size_t p = first_passage_[size(link)]; p < first_passage_[size(link) + 1]; ++p)
    if (passages_[p].block == block) return static_cast<int>(p);
  return -1;
}

/// Offsets of K and R of a block on a link.
template <int S, int P>
double* TreeNewtonOf<S, P>::K_on(int link, int block, double** R) {
  const Block& b = blocks_[size(block)];
  if (link < 0) return nullptr;
  if (b.meets == link) {
    const Passage& m = meetings_[size(b.meeting)];
    *R = border_.data() + m.R;
    return border_.data() + m.K;
  }
  const int p = passage_of(link, block);
  if (p < 0) return nullptr;
  *R = border_.data() + passages_[size(p)].R;
  return border_.data() + passages_[size(p)].K;
}
/// Offset of L_ij of two different blocks.
template <int S, int P>
std::size_t TreeNewtonOf<S, P>::offset_of_L(int i, int j) const {
  const Block& first = blocks_[size(std::min(i, j))];
  const auto found = std::ranges::lower_bound(first.others, std::max(i, j));
  const auto k = size(static_cast<int>(found - first.others.begin()));
  return i < j ? first.ij[k] : first.ji[k];
}

/// Z of the links before any elimination.
template <int S, int P>
void TreeNewtonOf<S, P>::set_links() {
  if constexpr (S > 1) std::fill(Z_.begin(), Z_.end(), 0.0);
  for (std::size_t i = 0; i < tree_links(model_).size(); ++i)
    for (int stage = 0; stage < S; ++stage) {
      const double* own = stages_[size(stage)].link_terms(i);
      for (int r = 0; r < 6; ++r)
        std::copy_n(own + 18 * r, state, Z(i) + (6 * stage + r) * w + stage * state);
    }
}
/// K, R, L of the blocks before any elimination.
template <int S, int P>
void TreeNewtonOf<S, P>::set_borders() {
  std::fill_n(border_.begin(), border_begins_, 0.0);
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    for (int stage = 0; stage < S; ++stage) {
      const BorderBlock& from = data(stage, b);
      Block& block = blocks_[size(b)];
      const int n = block.rows / S;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          border_[block.L + size((stage * n + r) * block.rows + stage * n + c)] =
              from.L[size(r * n + c)];
      for (const auto& end : from.ends) {
        double* R = nullptr;
        double* K = K_on(end.link, b, &R);
        for (int r = 0; r < n; ++r) {
          axpy(1, end.K.data() + 18 * r, K + (stage * n + r) * w + stage * state, state);
          axpy(1, end.R.data() + 6 * r, R + (stage * n + r) * duals + 6 * stage, 6);
        }
      }
    }
}
