// Rows that are on their way to a writer thread when a unit takes the process down.
//
// The handler of a crash cannot write them itself, but other threads go on while it runs: it asks each registered
// writer to empty its queue and flush, and waits a moment for the answer. A writer that is stuck (the crash left a lock
// of the allocator taken, the disk hangs) costs that moment and the rows that it still held, nothing else.
#pragma once

namespace consort::os {

class EmergencyDrain {
 public:
  EmergencyDrain() = default;
  ~EmergencyDrain() { detach(); }
  EmergencyDrain(const EmergencyDrain&) = delete;
  EmergencyDrain& operator=(const EmergencyDrain&) = delete;

  // On the writer's own thread: from now on it looks at wanted() about every 20 ms or more often, and calls done() when
  // it has written what it had; after that it touches nothing any more. Does nothing when all (16) slots are taken. A
  // fork of the process is not asked.
  void attach();
  void detach();
  [[nodiscard]] bool wanted() const noexcept;
  void done() noexcept;

 private:
  int slot_ = -1;
};

// For handlers of signals: asks all writers and waits for them, half a second at most. Not for the calling thread.
void drain_all_writers() noexcept;

}  // namespace consort::os
