// Serves the engine's calls on one loaded binary.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "fmi/foreign/wire.hpp"

namespace consort::fmi::foreign {

class Server {
 public:
  Server(Front& front, std::uint8_t* first_view);

  // Serves calls until the engine asks for the end.
  void run();

  // --- for the functions that serve a call

  // Stores a text or byte string that the FMU gives; `data` may be null.
  void tell(const void* data, std::size_t size);

  // --- for the FMU's callbacks, which run in any of its threads

  // Sends a message of the FMU at once, if the FMU is being called in this thread; otherwise with the next answer, but
  // not more than 1000 messages: then a last message counts those that were dropped.
  void log(int status, const char* category, const std::string& text);
  // The engine serves these only in the thread that is being called. Those of other threads have no effect; a message
  // with the next answer counts them.
  void update(UpdateBody& body);
  void tick();

 private:
  // The body of a message: its place in the segment.
  struct Place {
    std::uint64_t base;
    std::uint64_t size;
  };

  void serve(bool until_resumed);
  void load();
  void call();
  bool make_posted_calls(std::uint64_t first, std::uint64_t end);
  void fetch();
  void answer(std::uint64_t result);
  void flush_log();
  void drop_call();
  void send_log(int status, const std::string& category, const std::string& text);
  // Sends a callback with a body of `size` bytes behind the current message. `fill` and `read` get the body before and
  // after.
  template <class Fill, class Read>
  void call_back(Message message, std::size_t size, Fill&& fill, Read&& read);

  void await();
  void send(Message message);
  [[nodiscard]] std::uint8_t* body(std::uint64_t base);  // maps more of the segment if it has grown

  Front& front_;
  std::uint8_t* view_;
  std::uint64_t mapped_ = first_capacity;
  std::uint32_t turn_ = 0;  // messages of the engine that have been received
  Place place_{0, 0};       // of the message being served
  void* library_ = nullptr;
  using Serve = std::uint64_t (*)(void* function, std::uint8_t* body, Server& server);
  struct Entry {
    void* function = nullptr;
    Serve serve = nullptr;
  };
  std::vector<Entry> functions_;
  std::vector<std::uint8_t> told_;

  struct Line {
    int status;
    std::string category;
    std::string text;
  };
  std::vector<Line> waiting_;  // messages of other threads; guarded by lock_
  // Not delivered to the engine; told with the next answer.
  std::uint64_t dropped_lines_ = 0;              // guarded by lock_
  std::atomic<std::uint64_t> dropped_calls_{0};  // of intermediate update and clock update
  std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> has_waiting_{false};
};

// The only server of the process; callbacks of FMI 1.0 have no argument that says which.
extern Server* the_server;

}  // namespace consort::fmi::foreign
