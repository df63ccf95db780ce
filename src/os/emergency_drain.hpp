// Saves rows that are queued for a writer thread when a unit crashes the process.
//
// The crash handler cannot write these rows itself, but other threads continue while it runs. It asks each registered
// writer to empty its queue and flush, and waits briefly for the answer. If a writer is stuck (the crash left a lock of
// the allocator taken, the disk hangs), only that wait and the writer's queued rows are lost.
#pragma once

namespace consort::os {

class EmergencyDrain {
 public:
  EmergencyDrain() = default;
  ~EmergencyDrain() { detach(); }
  EmergencyDrain(const EmergencyDrain&) = delete;
  EmergencyDrain& operator=(const EmergencyDrain&) = delete;

  // Call on the writer's own thread. From then on the writer checks wanted() at least about every 20 ms, and calls
  // done() when it has written its rows; after that it must not touch anything. Does nothing if all (16) slots are
  // taken. A fork of the process is not asked.
  void attach();
  void detach();
  [[nodiscard]] bool wanted() const noexcept;
  void done() noexcept;

 private:
  int slot_ = -1;
};

// For signal handlers: asks all writers and waits for them, at most half a second. Skips a writer on the calling
// thread.
void drain_all_writers() noexcept;

}  // namespace consort::os
