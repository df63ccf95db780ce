// Shared memory between the engine and one worker: requests go there, answers come back, one at a time.
//
// The segment is a memfd that the worker inherits. Its first page says what it is and whose turn it is; the rest holds
// the message, the request first and then its answer. Either side makes it larger where a message needs that; nobody
// can make it smaller, so that what is mapped stays readable. Whoever waits spins for a while where there are cores for
// that, then sleeps on a futex.
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

  // A new segment. `spin`: how long either side waits awake. Throws Error (run) when the system gives none.
  explicit Channel(std::chrono::nanoseconds spin);
  void send(std::size_t size);  // the request that lies in the area
  // True when the answer is there; false when `alive` says that nobody is left to give one. It is asked every few tens
  // of milliseconds.
  template <class Alive>
  [[nodiscard]] bool await_answer(Alive&& alive) {
    while (!sleep_until_answered())
      if (!alive()) return is_answered();  // it may have been its last
    return true;
  }
  // Asks the worker to end as soon as it has done what it is doing.
  void end();

  // --- the worker's side

  // Of the segment behind an inherited descriptor. Throws Error (run) unless it is one of a living parent of the same
  // version.
  explicit Channel(Descriptor segment);
  // False: it is time to end, since the engine says so or is gone.
  [[nodiscard]] bool await_request();
  void answer(std::size_t size);
  [[nodiscard]] pid_t engine() const;

  // --- both

  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int descriptor() const { return segment_.get(); }
  void grow(std::size_t capacity) override;
  // What the other side sent. Throws Damaged where that cannot be.
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
  std::uint32_t turn_ = 0;  // the number of the present request
  std::chrono::nanoseconds spin_{};
};

}  // namespace consort::host
