#include "solve/sundials/sundials_support.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <new>

#include "base/error.hpp"

namespace consort::solve {

SundialsContext::SundialsContext() : context_(create_sundials_context()) {
  if (context_ == nullptr) throw std::bad_alloc();
}

SundialsContext::~SundialsContext() { SUNContext_Free(&context_); }

NVector wrap(Vector memory, SUNContext context) {
  NVector vector(N_VMake_Serial(static_cast<sunindextype>(memory.size()), memory.data(), context));
  if (!vector) throw std::bad_alloc();
  return vector;
}

bool all_finite(ConstVector values) {
  // Tests the exponent bits, which are all set for NaN and infinity. The loop has no branches because every evaluation
  // passes here.
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  std::uint64_t bad = 0;
  for (const double value : values)
    bad |= static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(value) & exponent) == exponent);
  return bad == 0;
}

void note_not_finite(CallbackTrouble& trouble, Time t, ConstVector values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    trouble.not_finite = i;
    trouble.t = t;
    trouble.value = values[i];
    return;
  }
}

bool CallbackTrouble::blocked_at(Time now, Duration h) const {
  // Several small steps may have approached this time since the failure.
  const double near = 1000 * std::abs(h) + 1e-12 * std::abs(now);
  return not_finite && t >= now && t - now <= near;
}

namespace {
void keep_message(const char* function, const char* message, void* trouble) {
  static_cast<CallbackTrouble*>(trouble)->message = fmt::format("{}: {}", function, message);
}
}  // namespace

void keep_messages(SundialsPackage package, void* memory, SUNContext context, CallbackTrouble& trouble) {
  check_set_up(direct_errors<keep_message>(package, memory, context, &trouble), "the setter of the error handler",
               trouble);
}

void check_set_up(int flag, const char* call, const CallbackTrouble& trouble) {
  if (flag >= 0) return;
  if (trouble.thrown) std::rethrow_exception(trouble.thrown);
  throw run_error("{} failed with {} ({}); choose another solver, or report this together with the problem", call, flag,
                  trouble.message.empty() ? "without a message" : trouble.message);
}

}  // namespace consort::solve
