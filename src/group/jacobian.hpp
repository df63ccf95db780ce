// The Jacobian of a group in bordered form, methods.md §5: with the connected inputs u as unknowns beside the states x,
//
//   [ ∂f/∂x   ∂f/∂u  ]      f: rates of all members
//   [ ∂h/∂x   ∂h/∂u  ]      h: u - c(g(x, u), w)
//
// so that no inverse of a loop's matrix is formed. The pattern follows from the declared dependencies of the members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/derivatives.hpp"
#include "group/member.hpp"
#include "group/wiring.hpp"

namespace consort::group {

class JacobianAssembly {
 public:
  // The members must be laid out. All arguments must outlive this object.
  JacobianAssembly(const Wiring& wiring, std::span<Member> members, MemberDerivatives& derivatives);

  [[nodiscard]] std::size_t states() const { return states_; }
  [[nodiscard]] std::size_t inputs() const { return wiring_.inputs.size(); }
  // Compressed columns.
  [[nodiscard]] std::span<const int> starts() const { return starts_; }
  [[nodiscard]] std::span<const int> rows() const { return rows_; }
  // At the present point, whose time is t. `gains`: by link of the wiring. `values` are in the order of the pattern.
  void evaluate(Time t, std::span<const double> gains, std::span<double> values);

 private:
  // The knowns (states, then connected inputs) and unknowns (rates, then connected outputs) of a member. Dependencies
  // are by local column.
  struct Block {
    std::vector<std::uint32_t> inputs;             // slots of u
    std::vector<std::uint32_t> outputs;            // slots of y
    std::vector<ValueReference> input_references;  // of variables
    std::vector<ValueReference> output_references;
    std::vector<std::vector<std::uint32_t>> rows;    // by column: the local rows that depend on it
    std::vector<std::vector<std::uint32_t>> groups;  // columns without common rows
  };
  void find_blocks();
  void find_dependencies(MemberId m);
  void find_groups(Block& block, std::size_t row_count) const;
  void find_pattern();
  template <class Place>
  void for_each_entry(MemberId m, std::uint32_t column, Place&& place) const;  // place(row, link or none, local row)

  const Wiring& wiring_;
  std::span<Member> members_;
  MemberDerivatives& derivatives_;
  std::size_t states_ = 0;
  std::vector<Block> blocks_;  // by member
  std::vector<int> starts_, rows_;
  std::vector<std::size_t> places_;        // of every entry, in the order of evaluation
  std::vector<std::size_t> diagonal_;      // ∂h/∂u of each input by itself
  std::vector<double> x_, u_, rates_, y_;  // scratch
};

}  // namespace consort::group
