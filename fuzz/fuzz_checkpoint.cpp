// Any bytes as a checkpoint, with and without its checksum, must give an Error, or a checkpoint that is written as it
// was read. Any bytes are also read as the state of a run and of a scenario.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "couple/run_state.hpp"
#include "engine/checkpoint.hpp"

namespace {

using namespace consort;

template <class Work>
void attempt(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
}

couple::RunState small_state() {
  couple::RunState state;
  state.signals.inputs.column<double>().resize(3);
  state.signals.outputs.column<double>().resize(2);
  state.signals.outputs.column<std::string>().resize(1);
  state.signals.outputs.column<Bool>().resize(1);
  state.signals.outputs.column<Binary>().resize(1);
  state.signals.next_event.resize(2);
  state.history = couple::History(3);
  state.iteration.resize(1);
  state.iteration[0].x.resize(2);
  state.iteration[0].residual.resize(2);
  return state;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  attempt([&] { static_cast<void>(engine::decode(bytes, "fuzz")); });
  attempt([&] {
    const auto checkpoint = engine::decode_contents(bytes);
    const auto again = engine::decode(engine::encode(checkpoint), "fuzz");
    CONSORT_ASSERT(again.identity == checkpoint.identity && again.units == checkpoint.units);
  });
  attempt([&] {
    auto state = small_state();
    ByteReader reader(bytes);
    couple::read(reader, state);
    CONSORT_ASSERT(state.history.points() >= 0 && state.history.points() <= couple::most_points);
    for (int k = 0; k < state.history.points(); ++k) CONSORT_ASSERT(state.history.values(k).size() == 3);
    ByteWriter writer;
    couple::write(writer, state);
  });
  return 0;
}
