// The engine side of the unit protocol, for one unit in another process.
//
// Each request function writes a message to `area`. read() stores the answer in the objects passed with the request,
// which must stay valid until then. Only one request at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fleet/host.hpp"
#include "fleet/protocol.hpp"
#include "host/process/unit_server.hpp"

namespace consort::host {

class UnitClient {
 public:
  using Area = fleet::MessageArea;
  using Message = fleet::Message;

  // Messages of the unit go to `voice`, which must outlive the client.
  UnitClient(std::string name, const Voice& voice) : name_(std::move(name)), voice_(&voice) {}

  // --- requests; return the size of the message

  std::size_t make(Area& area, const fleet::UnitSpec& spec);
  std::size_t connect(Area& area, const fleet::Wiring& wiring, fleet::Local self);
  std::size_t work(Area& area, const fleet::Work& work, bool is_timed);
  std::size_t differentiate(Area& area, fleet::DerivativeOf what, std::span<const fleet::DerivativeQuery> queries);
  std::size_t save(Area& area, std::uint32_t snapshot) { return plain(area, Message::save, snapshot); }
  std::size_t restore(Area& area, std::uint32_t snapshot) { return plain(area, Message::restore, snapshot); }
  std::size_t serialise(Area& area, std::uint32_t snapshot, std::vector<std::uint8_t>& bytes);
  std::size_t deserialise(Area& area, std::uint32_t snapshot, std::span<const std::uint8_t> bytes);
  std::size_t configure(Area& area, const describe::SignalSet& set, const Columns& values, bool& done);
  std::size_t reset(Area& area, bool& done);
  std::size_t enter_initialization(Area& area, const unit::Experiment& experiment);
  std::size_t get(Area& area, const describe::SignalSet& set, Columns& values, const describe::Offsets& at);
  std::size_t set(Area& area, const describe::SignalSet& set, const Columns& values, const describe::Offsets& at);
  std::size_t try_get(Area& area, const describe::SignalSet& set, Columns& values, std::string& refusal);
  std::size_t settle(Area& area, Time t, fleet::EventOutcome& outcome);
  // Writes a request without a body.
  std::size_t ask(Area& area, Message what) { return plain(area, what); }

  // --- the answer

  // Reads the answer. Returns true if there is nothing to report; otherwise fills `reply`. Throws the exception of the
  // unit, or Damaged if the answer is invalid. Log lines go to the voice in all cases.
  bool read(std::span<const std::uint8_t> answer, fleet::Reply& reply);
  [[nodiscard]] std::int64_t answered_at() const { return answered_at_; }  // of a timed request; see fleet::Head::time

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const fleet::UnitTraits& traits() const { return traits_; }
  [[nodiscard]] fleet::UnitId id() const { return id_; }
  [[nodiscard]] std::span<const Columns> parts() const { return parts_; }
  // The last request, for messages: "step at t = 1.25 s".
  [[nodiscard]] std::string doing() const;

 private:
  using Reader = fleet::MessageReader;
  using Writer = fleet::MessageWriter;

  template <class... Field>
  std::size_t plain(Area& area, Message what, const Field&... fields) {
    Writer out(area);
    out(fields...);
    return finish(out, what);
  }
  std::size_t finish(Writer& out, Message what, std::uint32_t flags = 0);
  void read_body(Reader& in, fleet::Reply& reply, bool& quiet);
  void read_work(Reader& in, fleet::Reply& reply, bool& quiet);
  void read_lines(Reader& in);

  std::string name_;
  const Voice* voice_;
  fleet::UnitTraits traits_{};
  fleet::UnitId id_ = 0;
  fleet::Blocks blocks_{};
  std::uint32_t reals_in_ = 0;
  std::uint32_t reals_out_ = 0;
  int output_order_ = 0;
  std::vector<Columns> parts_{};
  // The request in progress:
  Message asked_ = Message::make;
  fleet::Verb verb_ = fleet::Verb::step;
  Time t_ = 0;
  std::int64_t answered_at_ = 0;
  fleet::Signals* signals_ = nullptr;
  std::span<const fleet::DerivativeQuery> queries_{};
  std::vector<std::uint8_t>* bytes_ = nullptr;
  bool* done_ = nullptr;
  std::string* refusal_ = nullptr;
  const describe::SignalSet* chosen_ = nullptr;
  Columns* values_ = nullptr;
  describe::Offsets at_{};
  fleet::EventOutcome* outcome_ = nullptr;
};

}  // namespace consort::host
