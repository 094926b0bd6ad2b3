/// Symbolic phase of the KKT factorization: the links that each constraint passes, the order of elimination, and the
/// offsets of all blocks.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "access.hpp"
#include "constraints/block_order.hpp"
#include "constraints/kkt_factorization.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

int count(const auto& list) { return static_cast<int>(list.size()); }
int in_lanes(int rows) { return (rows + 3) / 4 * 4; }
/// Checked addition of int offsets.
int after(int n, long more) {
  if (n + more > std::numeric_limits<int>::max())
    throw Error("so many constraints depend on each other that their matrices have more than " +
                std::to_string(std::numeric_limits<int>::max()) +
                " entries; cut the mechanism where fewer loops meet");
  return static_cast<int>(n + more);
}

}  // namespace

KktFactorization::KktFactorization(const Constraints& constraints, const Blocks& blocks, bool early,
                                   const kernels::KktKernels& kernels)
    : model_(constraints.model()), run_(kernels.any), all_rows_(constraints.constraint_count()) {
  const kernels::Tree<double>& tree = kernel_trees(model_).of<double>();
  group_.resize(size(tree.group_size));
  list_blocks(constraints, blocks);
  const BlocksOnLinks open = sort_blocks(constraints, early);
  lay_out_blocks(blocks);
  lay_out_links(open, constraints);
  work_.reserve(kernels.work(tree, count(c_), count(loops_)), tree);
  const auto all = [&](int width) {
    return std::ranges::all_of(plan_, [&](const auto& block) { return block.width == width; });
  };
  if (all(4)) run_ = kernels.four;
  if (all(8)) run_ = kernels.eight;
}

/// Lists the constraints with at least one kept equation.
void KktFactorization::list_blocks(const Constraints& constraints, const Blocks& blocks) {
  const auto& parts = detail::Access::parts(constraints);
  int kept = 0;
  for (std::size_t number = 0; number < parts.blocks.size(); ++number) {
    const ConstraintBlock& of = constraints.blocks()[number];
    Block block;
    block.number = number, block.all = of.first, block.all_rows = of.rows;
    block.V = blocks.at(number).kept;
    all_kept_ = all_kept_ && block.kept() == of.rows && block.V.isIdentity(0);
    if (block.kept() == 0) continue;
    for (Eigen::Index k = 0; k < block.V.cols(); ++k) {
      Eigen::Index row = 0;
      if (block.V.col(k).maxCoeff(&row) == 1) block.picked.push_back(static_cast<int>(row));
    }
    if (count(block.picked) < block.kept()) block.picked.clear();
    block.first = kept;
    kept += block.kept();
    blocks_.push_back(std::move(block));
  }
  c_.resize(size(kept)), kept_lambda_.resize(size(kept));
}

/// For each block, the link on which it may be eliminated early, or -1.
std::vector<int> KktFactorization::early_links(const Constraints& constraints) const {
  const auto& links = tree_links(model_);
  std::vector<int> users(links.size());  // blocks on each link or beyond it
  const auto for_carriers = [&](int link, const auto& f) {
    for (; link >= 0; link = links[size(link)].parent) f(link);
  };
  const auto rows_of = [&](const Block& block) -> const RowBlock& {
    return detail::Access::parts(constraints).blocks[block.number];
  };
  for (const Block& block : blocks_) {
    for (const int end : rows_of(block).links) for_carriers(end, [&](int i) { ++users[size(i)]; });
    for (const int entry : rows_of(block).entries)
      for_carriers(link_of_v(model_)[size(entry)], [&](int i) { ++users[size(i)]; });
  }
  std::vector<int> out(blocks_.size(), -1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<int>& ends = rows_of(blocks_[b]).links;
    if (ends.size() != 2) continue;
    const int on = std::min(ends[0], ends[1]), leg = std::max(ends[0], ends[1]);
    int joints = 0;
    bool alone = true;
    for_carriers(leg, [&](int i) {
      joints += links[size(i)].nv;
      alone = alone && i > on && users[size(i)] == 1;
    });
    if (alone && joints >= blocks_[b].kept()) out[b] = on;
  }
  return out;
}

/// Sorts the blocks by BlockOrder.
KktFactorization::BlocksOnLinks KktFactorization::sort_blocks(const Constraints& constraints,
                                                              bool early) {
  std::vector<BlockEnds> ends;
  const std::vector<int> on = early ? early_links(constraints) : std::vector(blocks_.size(), -1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const RowBlock& rows = detail::Access::parts(constraints).blocks[blocks_[b].number];
    ends.push_back({rows.links, rows.entries, rows.links.size() == 1, on[b]});
  }
  const BlockOrder order(model_, ends);
  std::vector<Block> ordered;
  for (const BlockOrder::Block& from : order.blocks()) {
    ordered.push_back(std::move(blocks_[size(from.number)]));
    ordered.back().meets = from.meets, ordered.back().coupled = from.coupled;
    if (on[size(from.number)] >= 0) early_.push_back(count(ordered) - 1);
  }
  blocks_ = std::move(ordered);
  for (int b = 0; b < count(blocks_); ++b) {
    const Block& block = blocks_[size(b)];
    if (block.picked.empty()) combined_.push_back(b);
    for (int r = 0; r < count(block.picked); ++r)
      picked_rows_.emplace_back(block.all + block.picked[size(r)], block.first + r);
  }
  return order.open();
}

/// The offset of L_ji, i <= j.
int KktFactorization::offset_of_L(int i, int j) const {
  if (i == j) return plan_[size(i)].C;
  const auto& coupled = blocks_[size(i)].coupled;
  const auto found = std::lower_bound(coupled.begin(), coupled.end(), j);
  return others_[size(plan_[size(i)].others) + size(static_cast<int>(found - coupled.begin()))].X;
}

/// Lays out L, and the updates of coupled blocks when a constraint is eliminated.
void KktFactorization::lay_out_blocks(const Blocks& blocks) {
  int L = 0, lane = 0, Z = 0, most = 0;
  for (const Block& block : blocks_) {
    kernels::ConstraintRows rows{};
    const int rank = blocks[block.number].rank;
    rows.rows = block.kept(), rows.width = in_lanes(rows.rows);
    rows.first = all_kept_ ? block.all : block.first, rows.lane = lane;
    lane += rows.width;
    rows.Z = rank < rows.rows ? Z : -1;
    if (rank < rows.rows) {
      Z = after(Z, long{rows.rows} * rows.width);
      most = std::max(most, rows.rows);
    }
    ranks_.push_back(std::max(0, rank));
    combinations_.push_back({block.number, block.all, block.all_rows, block.meets, 0, {}});
    complements_.push_back(rows.Z < 0 ? Matrix() : Matrix::Zero(rows.rows, rows.rows));
    plan_.push_back(rows);
  }
  Z_.resize(size(Z)), order_.resize(size(most));
  scratch_.resize(3 * size(most) * size(most) + 4 * size(most) + 4);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    kernels::ConstraintRows& rows = plan_[b];
    rows.C = L, rows.K = -1;
    L = after(L, long{rows.rows} * rows.width);
    rows.others = count(others_);
    for (const int j : blocks_[b].coupled) {
      others_.push_back({j, L, -1});
      L = after(L, long{rows.rows} * plan_[size(j)].width);
    }
    rows.others_end = count(others_);
  }
  L_.resize(size(L));
  for (auto* in_rows :
       {&alone_, &inverse_, &g_, &lambda_, &pivots_, &size_, &usual_, &most_, &largest_})
    in_rows->resize(size(lane));
  std::fill(usual_.begin(), usual_.end(), 1.0);
  picked_.resize(size(lane));
  for (kernels::ConstraintRows& rows : plan_) {
    rows.pairs = count(coupled_pairs_);
    const long others = rows.others_end - rows.others;
    after(rows.pairs, others * (others + 1) / 2);
    for (int a = rows.others; a < rows.others_end; ++a)
      for (int b = a; b < rows.others_end; ++b)
        coupled_pairs_.push_back(offset_of_L(others_[size(a)].block, others_[size(b)].block));
  }
}

/// Adds a loop and its wrenches.
/// @param K_of  gives the offset of K of a block on a link
template <class F>
void KktFactorization::add_loop(const Constraints& constraints, int b, const F& K_of) {
  const LoopPart& part = detail::Access::parts(constraints).loops[blocks_[size(b)].number];
  const int none = count(tree_links(model_));
  const auto at = [&](const Frame& frame) { return frame.link < 0 ? none : frame.link; };
  kernels::LoopRows loop{};
  loop.block = b;
  loop.links[0] = at(part.to), loop.links[1] = at(part.from);
  loop.K[0] = K_of(part.to.link, b), loop.K[1] = K_of(part.from.link, b);
  loop.given = !part.joint.is_subgroup();
  plan_[size(b)].loop = !loop.given;
  loop.W = count(W_);
  const Vec3& r = part.to.offset.r;
  loop.r[0] = r.x, loop.r[1] = r.y, loop.r[2] = r.z;
  const std::size_t width = size(plan_[size(b)].width);
  W_.resize(W_.size() + 6 * width);
  turned_.resize(W_.size());
  take_wrenches(constraints, loop);
  loop.forces = !loop.given && std::all_of(W_.end() - static_cast<long>(6 * width),
                                           W_.end() - static_cast<long>(3 * width),
                                           [](double t) { return t == 0; });
  loops_.push_back(loop);
}

/// Lays out K and k on the links, and their propagation from link to parent.
void KktFactorization::lay_out_links(const BlocksOnLinks& open, const Constraints& constraints) {
  const auto& links = tree_links(model_);
  int K = 0, k = 0, met = 0;
  const auto add_K = [&](int b) { return std::exchange(K, after(K, 6L * plan_[size(b)].width)); };
  std::vector<std::vector<std::pair<int, int>>> K_on(links.size());  // block, K
  at_.resize(links.size() + 1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    at_[i].passages = count(passages_), at_[i].pairs = count(pairs_);
    for (const int b : open[i]) {
      const kernels::ConstraintRows& rows = plan_[size(b)];
      K_on[i].push_back({b, add_K(b)});
      passages_.push_back({K_on[i].back().second, k, -1, rows.C, rows.lane, b, rows.rows,
                           rows.width, false, false, false});
      k = after(k, long{links[i].nv} * rows.width);
    }
    for (int a = at_[i].passages; a < count(passages_); ++a)
      for (int b = a + 1; b < count(passages_); ++b) {
        const kernels::Passage &p = passages_[size(a)], &r = passages_[size(b)];
        pairs_.push_back({offset_of_L(p.block, r.block), p.k, r.k, plan_[size(p.block)].rows,
                          plan_[size(p.block)].width, plan_[size(r.block)].width, false});
      }
  }
  at_.back().passages = count(passages_), at_.back().pairs = count(pairs_);
  // Order of elimination: blocks of the last link first, those of ground last.
  for (std::size_t i = links.size() + 1; i-- > 0;) {
    kernels::LinkRows& here = at_[i == 0 ? links.size() : i - 1];
    const int meets = static_cast<int>(i) - 1;
    here.blocks = met;
    for (; met < count(blocks_) && blocks_[size(met)].meets == meets; ++met)
      if (meets >= 0) {
        plan_[size(met)].K = add_K(met);
        K_on[size(meets)].push_back({met, plan_[size(met)].K});
      }
    here.blocks_end = met;
  }
  K_.resize(size(K)), k_.resize(size(k)), kD_.resize(size(k));

  const auto K_of = [&](int link, int block) {
    if (link >= 0)
      for (const auto& [b, at] : K_on[size(link)])
        if (b == block) return at;
    return -1;
  };
  for (std::size_t i = 0; i < links.size(); ++i)
    for (int p = at_[i].passages; p < at_[i + 1].passages; ++p)
      passages_[size(p)].onward = K_of(links[i].parent, passages_[size(p)].block);
  const Constraints::Parts& parts = detail::Access::parts(constraints);
  const auto is_linear_coupling = [&](std::size_t number) {
    const std::size_t i = number - parts.loops.size();
    return number >= parts.loops.size() && i < parts.couplings.size() &&
           parts.couplings[i]->is_linear();
  };
  for (int b = 0; b < count(blocks_); ++b) {
    Block& block = blocks_[size(b)];
    const kernels::ConstraintRows& rows = plan_[size(b)];
    for (int j = rows.others; j < rows.others_end; ++j)
      others_[size(j)].K = K_of(block.meets, others_[size(j)].block);
    const RowBlock& of = parts.blocks[block.number];
    plan_[size(b)].still = is_linear_coupling(block.number);
    if (!of.links.empty()) add_loop(constraints, b, K_of);
    for (const int entry : of.entries) {
      const int link = link_of_v(model_)[size(entry)];
      for (int p = at_[size(link)].passages; p < at_[size(link) + 1].passages; ++p)
        if (passages_[size(p)].block == b) {
          if (!std::exchange(passages_[size(p)].entries, true))
            zeros_.push_back(
                {&KktFactorization::k_, passages_[size(p)].k, links[size(link)].nv * rows.width});
          if (block.entries.empty()) with_entries_.push_back(b);
          block.entries.push_back(static_cast<int>(passages_[size(p)].k) +
                                  (entry - links[size(link)].v_index) * rows.width);
        }
    }
  }
  find_beginnings();
}

/// Finds the first write to each K and L_ji in the order of the sweep; entries read before any write are zeroed.
void KktFactorization::find_beginnings() {
  std::unordered_set<std::ptrdiff_t> K, L;
  const auto begins = [](std::unordered_set<std::ptrdiff_t>& written, std::ptrdiff_t at) {
    return at >= 0 && written.insert(at).second;
  };
  const auto read_K = [&](std::ptrdiff_t at, int width) {
    if (begins(K, at)) zeros_.push_back({&KktFactorization::K_, at, 6 * width});
  };
  const auto read_L = [&](std::ptrdiff_t at, int rows, int width) {
    if (begins(L, at)) zeros_.push_back({&KktFactorization::L_, at, rows * width});
  };
  for (kernels::LoopRows& loop : loops_)
    for (const int end : {0, 1}) loop.begins[end] = begins(K, loop.K[end]);
  const int count_of_links = count(tree_links(model_));
  for (int step = count_of_links; step >= 0; --step) {
    const int i = step == 0 ? count_of_links : step - 1;  // ground comes last
    for (int b = at_[size(i)].blocks; b < at_[size(i)].blocks_end; ++b) {
      const kernels::ConstraintRows& rows = plan_[size(b)];
      if (!L.contains(rows.C)) zeros_.push_back({&KktFactorization::alone_, rows.lane, rows.width});
      read_K(rows.K, rows.width), read_L(rows.C, rows.rows, rows.width);
      const int* pair = coupled_pairs_.data() + rows.pairs;
      for (int j = rows.others; j < rows.others_end; ++j) {
        const kernels::CoupledRows& other = others_[size(j)];
        const kernels::ConstraintRows& of = plan_[size(other.block)];
        read_K(other.K, of.width), read_L(other.X, rows.rows, of.width);
        for (int k = j; k < rows.others_end; ++k)
          read_L(*pair++, of.rows, plan_[size(others_[size(k)].block)].width);
      }
    }
    if (step == 0) break;
    for (int p = at_[size(i)].passages; p < at_[size(i) + 1].passages; ++p) {
      kernels::Passage& passage = passages_[size(p)];
      read_K(passage.K, plan_[size(passage.block)].width);
      passage.begins = begins(K, passage.onward);
      passage.begins_L = begins(L, passage.L);
    }
    for (int p = at_[size(i)].pairs; p < at_[size(i) + 1].pairs; ++p)
      pairs_[size(p)].begins = begins(L, pairs_[size(p)].L);
  }
}

}  // namespace chasles
