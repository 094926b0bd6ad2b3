#include "local_server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

namespace {

constexpr int most_streams = 8;  // of events, each of which keeps a thread
constexpr int most_threads = 24;

/// 128 random bits.
std::string random_token() {
  std::random_device source;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", source());
  return out;
}
/// Takes as long for any text of this length.
bool same(const std::string& a, const std::string& b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

struct LocalServer::Parts {
  httplib::Server server;
  Handler handler;
  std::string token = random_token(), host;
  int port = 0;
  std::atomic<int> streams = 0;
  std::atomic<bool> ended = false;
  std::thread thread;

  void answer(const httplib::Request& request, httplib::Response& response) {
    const auto refuse = [&](int status, const std::string& text) {
      response.status = status;
      response.set_content(text + "\n", "text/plain; charset=utf-8");
    };
    const std::string named = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 ||
        (named != host && named != fmt::format("localhost:{}", port)))
      return refuse(403, "another host was asked for");
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + named)
      return refuse(403, "a page from elsewhere may not ask");
    if (!request.path.starts_with('/')) return refuse(400, "an address begins with a slash");
    const std::size_t slash = request.path.find('/', 1);
    const std::string given =
        request.path.substr(1, slash == std::string::npos ? slash : slash - 1);
    if (!same(given, token)) return refuse(403, "open the address that chasles serve has printed");
    if (request.method != "GET" && request.method != "POST")
      return refuse(405, "only GET and POST are answered");
    if (slash == std::string::npos) {  // relative addresses need the slash
      response.set_redirect("/" + token + "/");
      return;
    }
    Request asked{request.method, request.path.substr(slash + 1), {}};
    for (const auto& [key, value] : request.params) asked.values[key] = value;
    try {
      send(handler(asked), response, refuse);
    } catch (const std::exception& error) {
      refuse(400, error.what());
    }
  }

  template <class Refuse>
  void send(Answer answer, httplib::Response& response, const Refuse& refuse) {
    response.status = answer.status;
    if (!answer.events) {
      // Not set_content: the library would compress it for seconds, for a way within this machine.
      const std::size_t size = answer.text.size();
      if (size == 0) return;
      return response.set_content_provider(
          size, answer.type.c_str(),
          [text = std::move(answer.text)](std::size_t offset, std::size_t length,
                                          httplib::DataSink& sink) {
            return sink.write(text.data() + offset, length);
          });
    }
    if (++streams > most_streams) {
      --streams;
      return refuse(503, "too many pages of this run are open; close one");
    }
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, next = std::move(answer.events)](std::size_t, httplib::DataSink& sink) {
          if (ended) return false;
          std::string text = next();
          for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 7)
            text.replace(at, 1, "\ndata: ");
          // A line without content shows whether anybody listens.
          const std::string event = text.empty() ? ":\n\n" : "data: " + text + "\n\n";
          return sink.write(event.data(), event.size());
        },
        [this](bool) { --streams; });
  }
};

LocalServer::LocalServer(int port, Handler handler) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.handler = std::move(handler);
  httplib::Server& server = p.server;
  server.new_task_queue = [] { return new httplib::ThreadPool(most_threads); };
  // Not the library's SO_REUSEPORT, by which two programs share a port without a word.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_payload_max_length(0);  // what is asked is in the address
  server.set_read_timeout(2);
  server.set_write_timeout(5);
  server.set_keep_alive_timeout(1);
  server.set_tcp_nodelay(true);
  server.set_default_headers(
      {{"Cache-Control", "no-store"},
       {"Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
       {"Cross-Origin-Opener-Policy", "same-origin"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Referrer-Policy", "no-referrer"},
       {"X-Content-Type-Options", "nosniff"}});
  server.set_pre_routing_handler(
      [&p](const httplib::Request& request, httplib::Response& response) {
        p.answer(request, response);
        return httplib::Server::HandlerResponse::Handled;
      });
  if (port == 0)
    p.port = server.bind_to_any_port("127.0.0.1");
  else if (server.bind_to_port("127.0.0.1", port))
    p.port = port;
  if (p.port <= 0)
    throw std::runtime_error(
        port == 0 ? "serve: no port of 127.0.0.1 is free"
                  : fmt::format("serve: port {} cannot be had, another program may have it; give "
                                "another --port, or none",
                                port));
  p.host = fmt::format("127.0.0.1:{}", p.port);
  p.thread = std::thread([&p] { p.server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

LocalServer::~LocalServer() {
  parts_->ended = true;
  parts_->server.stop();
  parts_->thread.join();
}

std::string LocalServer::address() const {
  return fmt::format("http://{}/{}/", parts_->host, parts_->token);
}
