// Derivatives of the members of a group: from the instance where it provides them, by central differences elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "graph/plan.hpp"
#include "group/member.hpp"
#include "group/wiring.hpp"

namespace consort::group {

class MemberDerivatives {
 public:
  // All must outlive this object.
  MemberDerivatives(const Wiring& wiring, std::span<Member> members) : wiring_(wiring), members_(members) {}

  // A direction in the knowns of a member: its states (empty: 0) and some of its inputs.
  struct Direction {
    std::span<const double> states{};
    std::span<const ValueReference> inputs{};
    std::span<const double> values{};  // of the inputs, by element
  };
  // The changes of its unknowns. Empty: not wanted.
  struct Change {
    std::span<double> rates{};
    std::span<const ValueReference> outputs{};
    std::span<double> values{};  // of the outputs, by element
  };
  // At the present point, whose time is t; the member is there afterwards.
  void operator()(MemberId member, Time t, const Direction& along, const Change& change);

  // ∂outputs/∂(slot of u) for the outputs of a batch. False if the member does not provide derivatives.
  [[nodiscard]] bool outputs_by_input(const Batch& outputs, std::uint32_t input, std::span<double> column);

 private:
  void provided(Member& member, const Direction& along, const Change& change);
  void differences(Member& member, Time t, const Direction& along, const Change& change);
  void move(Member& member, const Direction& along, double by);

  const Wiring& wiring_;
  std::span<Member> members_;
  std::vector<ValueReference> knowns_, unknowns_;
  std::vector<double> seed_, sensitivity_;
  std::vector<double> states_, inputs_, moved_, rates_, outputs_;
};

}  // namespace consort::group
