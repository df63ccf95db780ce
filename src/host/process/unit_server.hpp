// The worker side of the unit protocol, for one unit.
//
// The unit is served by SerialUnits on signals that contain only its own blocks, so that its state is kept, saved and
// restored exactly as in the engine process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "fleet/protocol.hpp"
#include "host/serial_units.hpp"

namespace consort::host {

// Receivers of the messages and traced calls of a unit in a worker.
struct Voice {
  LogSink log{};
  std::function<void(std::string_view)> trace{};
};
// Like fleet::UnitFactory, with a voice.
using WorkerFactory = std::function<std::unique_ptr<unit::Unit>(const fleet::UnitSpec&, const Voice&)>;

class UnitServer {
 public:
  explicit UnitServer(WorkerFactory factory);
  ~UnitServer();
  UnitServer(const UnitServer&) = delete;
  UnitServer& operator=(const UnitServer&) = delete;

  // Serves one request, writes the answer to `area` (which may hold the request) and returns its size. Errors in the
  // request or in the unit are part of the answer. Steps without texts do not allocate.
  std::size_t serve(std::span<const std::uint8_t> request, fleet::MessageArea& area);

 private:
  using Reader = fleet::MessageReader;
  using Writer = fleet::MessageWriter;

  // Collects messages of the unit since the last answer; thread-safe.
  class Said {
   public:
    void log(const LogMessage& message);
    void trace(std::string_view line);
    [[nodiscard]] bool write(Writer& out);  // false: there was no message; clears all messages
    void forget();

   private:
    struct Line {
      bool is_trace = false;
      LogMessage message{};
    };
    void add(Line line);
    void clear();

    std::mutex mutex_;
    std::vector<Line> lines_;
    std::size_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
  };
  // Buffers of a derivative query.
  struct Query {
    std::vector<ValueReference> unknowns{}, knowns{};
    std::vector<double> seed{}, sensitivity{};
  };

  void dispatch(Reader& in, Writer& out);
  void make(Reader& in, Writer& out);
  void connect(Reader& in);
  void work(Reader& in, Writer& out);
  void differentiate(Reader& in, Writer& out);
  void save(Reader& in);
  void restore(Reader& in);
  void serialise(Reader& in, Writer& out);
  void deserialise(Reader& in);
  void configure(Reader& in, Writer& out);
  void reset(Reader& in, Writer& out);
  void enter_initialization(Reader& in);
  void get(Reader& in, Writer& out);
  void set(Reader& in);
  void try_get(Reader& in, Writer& out);
  void settle(Reader& in, Writer& out);
  [[nodiscard]] std::size_t fail(fleet::Message what, std::exception_ptr why, fleet::MessageArea& area);

  void await_unit();  // throws the exception of the unit
  [[nodiscard]] const describe::Description& description() const { return unit_->description(); }
  [[nodiscard]] std::uint32_t snapshot_of(Reader& in, bool must_be_saved) const;

  WorkerFactory factory_;
  Said said_;
  std::unique_ptr<SerialUnits> units_;
  unit::Unit* unit_ = nullptr;
  fleet::UnitTraits traits_;
  // Set by connect():
  bool connected_ = false;
  describe::SignalSet inputs_, outputs_;
  fleet::Wiring wiring_;
  fleet::Signals signals_;
  fleet::Reply reply_;
  std::vector<bool> saved_;  // by snapshot
  fleet::Served served_{1};
  std::vector<Query> queries_;
  std::vector<fleet::DerivativeQuery> asked_;
};

}  // namespace consort::host
