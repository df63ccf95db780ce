// The units of one fleet that run in workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fleet/host.hpp"
#include "fleet/sampling.hpp"
#include "fleet/timeline.hpp"
#include "host/process/channel.hpp"
#include "host/process/unit_client.hpp"
#include "os/program.hpp"

namespace consort::host {

class ProcessUnits final : public fleet::HostedUnits {
 public:
  // Starts all workers, then makes all units. Throws Error that names the unit.
  ProcessUnits(std::span<const fleet::UnitSpec> specs, const std::filesystem::path& worker, Voice voice);
  // Gives workers two seconds to end, then kills them.
  ~ProcessUnits() override;

  [[nodiscard]] std::span<const fleet::UnitTraits> traits() const override { return traits_; }
  void connect(const fleet::Wiring& wiring) override;

  [[nodiscard]] bool submit(std::uint32_t wave, const fleet::Work& work) override;
  void finish(fleet::Served& served) override;
  void save(std::uint32_t snapshot) override;
  void restore(std::uint32_t snapshot, std::span<const fleet::Local> units) override;
  void differentiate(fleet::DerivativeOf what, std::span<const fleet::DerivativeQuery> queries) override;

  void configure(fleet::Local unit, const describe::SignalSet& set, Columns& values, bool& done) override;
  void reset(fleet::Local unit, bool& done) override;
  void enter_initialization(std::span<const fleet::Local> units, const unit::Experiment& experiment) override;
  void exit_initialization(std::span<const fleet::Local> units) override;
  void terminate(std::span<const fleet::Local> units) override;
  void get(fleet::Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) override;
  void set(fleet::Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) override;
  void try_get(fleet::Local unit, const describe::SignalSet& set, Columns& values, std::string& refusal) override;

  void enter_event_mode(std::span<const fleet::Local> units) override;
  void leave_event_mode(std::span<const fleet::Local> units) override;
  void settle(std::span<const fleet::Local> units, Time t, std::span<fleet::EventOutcome> outcomes) override;

  void serialise(std::uint32_t snapshot, fleet::Local unit, std::vector<std::uint8_t>& bytes) override;
  void deserialise(std::uint32_t snapshot, fleet::Local unit, std::span<const std::uint8_t> bytes) override;
  void expect_discards(fleet::Local unit) override;

  [[nodiscard]] std::span<const Columns> parts(fleet::Local unit) const override;
  [[nodiscard]] double cost(fleet::Local unit) const override;
  [[nodiscard]] bool has_shared() const override { return has_shared_; }
  void trace(fleet::Timeline* timeline) override { timeline_ = timeline; }

  [[nodiscard]] pid_t process_of(fleet::Local unit) const { return workers_[unit]->process.id(); }

 private:
  using Clock = fleet::Timeline::Clock;

  static constexpr int inherited = 3;  // descriptor number of the segment in the worker

  struct Worker {
    Worker(const fleet::UnitSpec& spec, const std::filesystem::path& program, const Voice& voice,
           std::chrono::nanoseconds spin)
        : client(spec.name, voice),
          channel(spin),
          process({.file = program,
                   .arguments = {std::to_string(inherited), spec.name},  // process lists show the unit
                   .descriptors = {{channel.descriptor(), inherited}},
                   .who = "unit '" + spec.name + "'"}) {}

    UnitClient client;
    Channel channel;
    os::Program process;
    bool pending = false;  // a request is sent and not answered yet
    std::string lost{};    // why the process has ended; empty: it runs
    // The call being measured:
    bool measured = false;
    bool is_step = false;
    Time t = 0;
    Clock::time_point begin{};
    double seconds = 0;  // sum over all sampled steps
    std::uint64_t samples = 0;
  };

  // Sends the message that `write(client, channel)` writes.
  template <class Write>
  void ask(fleet::Local unit, Write&& write);
  void ask_all(std::span<const fleet::Local> units, fleet::Message what);
  void collect(fleet::Local unit);
  void collect_all();
  void measure(fleet::Local unit);
  void lose(Worker& worker);
  void end_all() noexcept;
  [[nodiscard]] fleet::UnitId id_of(fleet::Local unit) const { return ids_.empty() ? unit : ids_[unit]; }

  Voice voice_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<fleet::UnitTraits> traits_;
  std::vector<fleet::Wiring::Wave> waves_;
  std::vector<std::vector<fleet::Local>> snapshots_;
  std::vector<fleet::UnitId> ids_;      // from connect() on
  std::vector<fleet::Local> local_of_;  // by id
  std::span<fleet::Reply> replies_;     // by id
  std::vector<fleet::Local> pending_;
  fleet::Served served_;
  fleet::Sampling sampling_;
  fleet::Timeline* timeline_ = nullptr;
  bool has_shared_ = false;
};

}  // namespace consort::host
