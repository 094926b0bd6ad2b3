#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

/// Answers HTTP on 127.0.0.1 alone, to whoever knows the token in its address. Requests that name another host (a page
/// that lets its own name point here) or come from another origin are refused, and so are all that are malformed, long, or
/// too many. It serves no files.
class LocalServer {
 public:
  struct Request {
    std::string method, path;                   // path: after the token, "" or "state"
    std::map<std::string, std::string> values;  // of the query
  };
  struct Answer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8", text{};
    /// Server-sent events instead of `text`: each call gives the next one, waiting for it at most a second; empty: there
    /// is none yet. Ends with the connection.
    std::function<std::string()> events{};
  };
  using Handler = std::function<Answer(const Request&)>;

  /// Listens at once. @param port  0: any that is free
  /// @param handler  called by several threads; what it throws becomes an answer 400 with its message
  /// @throws std::runtime_error if the port cannot be had
  LocalServer(int port, Handler handler);
  /// Ends all connections, within a few seconds.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  /// "http://127.0.0.1:40123/5f1c.../"
  std::string address() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
