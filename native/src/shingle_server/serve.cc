// Locks and opens the disk before there is a socket.
#include "shingle_server/serve.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "shingle/backing_file.h"
#include "shingle_server/call_server.h"

namespace patina {

Status run_serve(const ServeOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("shingle serve"));
  const Result<Descriptor> lock = lock_backing(options.data);
  if (!lock) return lock.error();
  DiskCalls calls(options.data, options.state, options.disk);
  if (Status status = calls.open_made(); !status) return status;
  Result<std::unique_ptr<UnixListener>> listener = UnixListener::listen(options.socket);
  if (!listener) return listener.error();
  sink.emit({{"type", "ready"}, {"path", std::filesystem::absolute(options.socket)}});
  CallServer server(calls, stop);
  server.serve(**listener);
  listener->reset();
  if (Status status = calls.flush(); !status) return status;
  sink.emit({{"type", "summary"},
             {"command", "shingle serve"},
             {"clients_count", server.counts().clients.load()},
             {"requests_count", server.counts().requests.load()},
             {"errors_count", server.counts().errors.load()}});
  return ok_status();
}

}  // namespace patina
