// Shared memory between the engine and one worker: carries one request or its answer at a time.
//
// The segment is a memfd that the worker inherits. Its first page holds identification and synchronisation; the rest
// holds the message: first the request, then its answer. Either side can grow the segment for a large message. Neither
// can shrink it, so that mapped memory stays readable. The waiting side spins for a while if there are enough cores,
// then sleeps on a futex.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

#include <sys/types.h>

#include "base/descriptor.hpp"
#include "fleet/protocol.hpp"

namespace consort::host {

class Channel final : public fleet::MessageArea {
 public:
  // --- the engine's side

  // Creates a segment. `spin`: how long either side spins while waiting. Throws Error (run) if the system cannot
  // provide the memory.
  explicit Channel(std::chrono::nanoseconds spin);
  void send(std::size_t size);  // sends the request in the area
  // Returns true when the answer has arrived, false if `alive()` reports that the worker is gone. Polls `alive()` every
  // few tens of milliseconds.
  template <class Alive>
  [[nodiscard]] bool await_answer(Alive&& alive) {
    while (!sleep_until_answered())
      if (!alive()) return is_answered();  // the worker may have answered before it ended
    return true;
  }
  // Asks the worker to end after its current request.
  void end();

  // --- the worker's side

  // Opens the segment of an inherited descriptor. Throws Error (run) unless an engine of the same version created it.
  explicit Channel(Descriptor segment);
  // Returns false if the worker must end, because the engine requests it or is gone.
  [[nodiscard]] bool await_request();
  void answer(std::size_t size);
  [[nodiscard]] pid_t engine() const;

  // --- both

  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int descriptor() const { return segment_.get(); }
  void grow(std::size_t capacity) override;
  // Returns the message of the other side. Throws Damaged if its size is impossible.
  [[nodiscard]] std::span<const std::uint8_t> message();

 private:
  struct Front;

  void map();
  void map_payload(std::size_t capacity);
  [[nodiscard]] std::size_t room_in_segment() const;
  [[nodiscard]] bool sleep_until_answered();
  [[nodiscard]] bool is_answered() const;

  bool is_engine_ = false;
  Descriptor segment_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  Front* front_ = nullptr;
  std::uint32_t turn_ = 0;  // number of the current request
  std::chrono::nanoseconds spin_{};
};

}  // namespace consort::host
