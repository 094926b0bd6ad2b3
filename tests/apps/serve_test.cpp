/// chasles serve over HTTP, without a browser: what it answers, whom it refuses, and that it follows its file.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace chasles {
namespace {

using nlohmann::json;

constexpr auto patience = std::chrono::seconds(60);

struct Reply {
  int status = 0;
  std::string head, body;
};

class ProgramServe : public Program {
 protected:
  pid_t program_ = 0;
  int port_ = 0;
  std::string token_;

  void SetUp() override {
    Program::SetUp();
    write("arm.yaml", R"(chasles: 1
name: pendulum
bodies:
  - name: rod
    joint: {name: hinge, type: revolute, axis: [0, 1, 0]}
    inertia: {mass: 2, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.01]}
)");
    write("s.yaml", scenario(0.5));
  }
  void TearDown() override {
    if (program_ > 0) {
      kill(program_, SIGKILL);
      wait(program_);
    }
    Program::TearDown();
  }
  static std::string scenario(double q) {
    return "chasles: 1\nmodel: arm.yaml\ninitial: {q: {hinge: " + std::to_string(q) +
           "}}   # the start\nduration: 1\nforces:\n"
           "  - {type: joint_spring_damper, joint: hinge, stiffness: 3, damping: 0.5}\n";
  }
  void serve(const std::vector<std::string>& more = {"--paused"}) {
    std::vector<std::string> words{"serve", (folder / "s.yaml").string()};
    words.insert(words.end(), more.begin(), more.end());
    program_ = start(words);
    ASSERT_TRUE(grows(folder / "out", 3)) << text(folder / "err");
    const std::string said = text(folder / "out"), begin = "http://127.0.0.1:";
    const auto at = said.find(begin) + begin.size();
    port_ = std::stoi(said.substr(at));
    const auto slash = said.find('/', at);
    token_ = said.substr(slash + 1, said.find('/', slash + 1) - slash - 1);
    ASSERT_EQ(token_.size(), 32U);
  }
  int connected() const {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{60, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return fd;
  }
  static void send_all(int fd, const std::string& bytes) {
    send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// What bytes are answered with, until the connection is closed or `until` has come.
  std::string exchange(const std::string& bytes, const std::string& until = "") const {
    const int fd = connected();
    send_all(fd, bytes);
    std::string all;
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(n));
      if (!until.empty() && all.find(until) != all.npos) break;
    }
    close(fd);
    return all;
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  Reply ask(const std::string& method, const std::string& path,
            const std::string& headers = "") const {
    const std::string own = headers.find("Host:") == headers.npos ? "Host: " + host() + "\r\n" : "";
    const std::string all = exchange(method + " " + path + " HTTP/1.1\r\n" + own + headers +
                                     "Content-Length: 0\r\nConnection: close\r\n\r\n");
    Reply reply;
    const auto gap = all.find("\r\n\r\n");
    if (all.size() > 12 && all.starts_with("HTTP/1.")) reply.status = std::stoi(all.substr(9));
    reply.head = all.substr(0, gap);
    if (gap != all.npos) reply.body = all.substr(gap + 4);
    return reply;
  }
  Reply get(const std::string& what) const { return ask("GET", "/" + token_ + "/" + what); }
  Reply post(const std::string& what) const { return ask("POST", "/" + token_ + "/" + what); }

  /// The first state for which a condition holds.
  json state(const std::function<bool(const json& head, const json& state)>& good) const {
    const int fd = connected();
    send_all(fd, "GET /" + token_ + "/events HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
    const auto end = std::chrono::steady_clock::now() + patience;
    std::string all;
    char buffer[4096];
    json found;
    while (found.is_null() && std::chrono::steady_clock::now() < end) {
      const ssize_t n = recv(fd, buffer, sizeof buffer, 0);
      if (n <= 0) break;
      all.append(buffer, static_cast<std::size_t>(n));
      for (std::size_t stop = 0; found.is_null() && (stop = all.find("\n\n")) != all.npos;) {
        const std::string event = all.substr(0, stop);
        all.erase(0, stop + 2);
        const auto first = event.find("data: "), second = event.find("\ndata: ", first + 1);
        if (first == event.npos || second == event.npos) continue;
        const json head = json::parse(event.substr(first + 6, second - first - 6), nullptr, false);
        json now = json::parse(event.substr(second + 7), nullptr, false);
        if (now.is_discarded()) now = {{"t", -1}, {"q", {0}}, {"message", ""}};  // there is no run
        if (!head.is_discarded() && good(head, now)) found = {{"head", head}, {"state", now}};
      }
    }
    close(fd);
    EXPECT_FALSE(found.is_null()) << "no such state came; the last was " << all;
    return found;
  }
};

TEST_F(ProgramServe, refuses_everybody_else) {
  serve();
  EXPECT_EQ(get("").status, 200);
  EXPECT_NE(get("").head.find("Cache-Control: no-store"), std::string::npos);
  EXPECT_NE(get("").body.find("connect-src 'self'"), std::string::npos);
  const std::string page = "/" + token_ + "/";
  EXPECT_EQ(ask("GET", "/").status, 403);
  EXPECT_EQ(ask("GET", "/00000000000000000000000000000000/").status, 403);
  EXPECT_EQ(ask("GET", "/" + token_.substr(0, 31) + "/").status, 403);
  EXPECT_EQ(ask("GET", page, "Host: evil.example\r\n").status, 403);
  EXPECT_EQ(ask("GET", page, "Host: evil.example:" + std::to_string(port_) + "\r\n").status, 403);
  EXPECT_EQ(ask("GET", page, "Host: " + host() + "\r\nHost: evil.example\r\n").status, 403);
  EXPECT_EQ(ask("POST", page + "go", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(ask("POST", page + "go", "Origin: null\r\n").status, 403);
  EXPECT_EQ(ask("POST", page + "pause", "Origin: http://" + host() + "\r\n").status, 200);
  EXPECT_EQ(ask("GET", page, "Host: localhost:" + std::to_string(port_) + "\r\n").status, 200);
  EXPECT_EQ(ask("DELETE", page).status, 405);
  for (const char* path : {"../s.yaml", "%2e%2e/s.yaml", "..%2f..%2fetc/passwd", "s.yaml",
                           "/etc/passwd", "model/../x"})
    EXPECT_EQ(get(path).status, 404) << path;
  for (const char* command :
       {"fly", "set", "set?path=duration", "set?value=1", "set?path=none&value=1",
        "set?path=duration&value=nan", "set?path=duration&value=1e999", "step?seconds=0",
        "step?seconds=1e9", "speed?factor=-1", "pull?body=0",
        "pull?body=7&pointx=0&pointy=0&pointz=0&targetx=0&targety=0&targetz=0"})
    EXPECT_EQ(post(command).status, 400) << command << post(command).body;
  EXPECT_EQ(get("text").body, scenario(0.5));
}

TEST_F(ProgramServe, lives_through_malformed_requests_and_many_connections) {
  serve();
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(20000, 'A') + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nX: ") + std::string(100000, 'b') + "\r\n\r\n",
        std::string("\0\1\2\xff\xfe\r\n\r\n", 9),
        std::string("GET /%zz%00 HTTP/1.1\r\nHost: x\r\n\r\n"),
        "POST /" + token_ + "/go HTTP/1.1\r\nHost: " + host() +
            "\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /" + token_ + "/set?path=" + std::string(6000, '.') +
            "&value=1 HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n\r\n"})
    exchange(bytes, "HTTP/1.");
  std::vector<int> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(connected());  // they say nothing
  for (int i = 0; i < 12; ++i) {
    const int fd = connected();
    send_all(fd, "GET /" + token_ + "/events HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
    idle.push_back(fd);
  }
  for (const int fd : idle) close(fd);
  EXPECT_EQ(get("text").status, 200);
}

TEST_F(ProgramServe, steps_restarts_and_takes_numbers) {
  serve();
  const double start = state([](auto&, auto& s) { return s.contains("t"); })["state"]["q"][0];
  EXPECT_EQ(start, 0.5);
  ASSERT_EQ(post("step?seconds=0.25").status, 200);
  const json stepped = state([](auto&, auto& s) { return s["t"] > 0; });
  EXPECT_EQ(stepped["state"]["t"], 0.25);
  EXPECT_EQ(stepped["state"]["paused"], true);
  // The same as a recorded run.
  write("until.yaml", scenario(0.5) + "record: {every: 0.25}\n");
  ASSERT_EQ(
      run("simulate " + (folder / "until.yaml").string() + " -o " + (folder / "run.json").string())
          .code,
      0);
  const json recorded = json::parse(text(folder / "run.json"));
  EXPECT_NEAR(stepped["state"]["q"][0], recorded["samples"][1]["q"][0].get<double>(), 1e-7);
  // A number of the forces: it goes on from there; of the start: it starts again.
  ASSERT_EQ(post("set?path=forces.0.stiffness&value=5.5").status, 200);
  EXPECT_EQ(state([](auto&, auto& s) { return s.contains("t"); })["state"]["t"], 0.25);
  ASSERT_EQ(post("set?path=initial.q.hinge&value=-0.25").status, 200);
  const json again = state([](auto&, auto& s) { return s["t"] == 0; });
  EXPECT_EQ(again["state"]["q"][0], -0.25);
  std::string expected = scenario(0.5);
  expected.replace(expected.find("0.500000"), 8, "-0.25");
  expected.replace(expected.find("stiffness: 3"), 12, "stiffness: 5.5");
  EXPECT_EQ(get("text").body, expected);
  EXPECT_EQ(text(folder / "s.yaml"), scenario(0.5));  // the file is the user's
  // What the scenario refuses is refused, and changes nothing.
  const Reply refused = post("set?path=forces.0.stiffness&value=-1");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("stiffness"), std::string::npos) << refused.body;
  EXPECT_EQ(get("text").body, expected);
}

TEST_F(ProgramServe, a_pull_moves_the_body_to_its_target) {
  write("s.yaml", scenario(0.0));
  serve();
  // At the end of the rod, to the side; the spring and the weight balance where their moments do.
  ASSERT_EQ(post("pull?body=0&pointx=0&pointy=0&pointz=-1&targetx=2&targety=0&targetz=0&factor=50")
                .status,
            200);
  for (int i = 1; i <= 20; ++i) {
    ASSERT_EQ(post("step?seconds=1").status, 200);
    state([&](auto&, auto& s) { return s["t"] >= i; });
  }
  const double q = state([](auto&, auto& s) { return s["t"] >= 20; })["state"]["q"][0];
  EXPECT_NEAR(std::sin(q), -1, 0.05);  // toward +x: a turn about y by -pi/2
  ASSERT_EQ(post("release").status, 200);
}

TEST_F(ProgramServe, follows_its_file_and_survives_what_is_wrong_in_it) {
  serve();
  const json first = state([](auto&, auto& s) { return s.contains("t"); });
  write("s.yaml", "chasles: 1\nmodel: arm.yaml\nduration: [\n");
  const json broken = state([](auto& head, auto&) { return head["failure"] != ""; });
  EXPECT_NE(broken["head"]["failure"].get<std::string>().find("s.yaml:"), std::string::npos);
  write("s.yaml", scenario(0.75));
  const json mended =
      state([](auto& head, auto& s) { return head["failure"] == "" && s["q"][0] == 0.75; });
  EXPECT_GT(mended["head"]["number"], first["head"]["number"]);
  // The model counts, too.
  std::string model = text(folder / "arm.yaml");
  write("arm.yaml", model.replace(model.find("rod"), 3, "stick"));
  state([&](auto& head, auto&) { return head["number"] > mended["head"]["number"]; });
  EXPECT_NE(get("model").body.find("\"stick\""), std::string::npos);
}

TEST_F(ProgramServe, a_scenario_that_never_loads_is_waited_for) {
  write("s.yaml", "chasles: 1\nmodel: none.yaml\nduration: 1\n");
  serve({});
  EXPECT_EQ(get("model").status, 404);
  const json failed = state([](auto& head, auto&) { return head["failure"] != ""; });
  EXPECT_NE(failed["head"]["failure"].get<std::string>().find("none.yaml"), std::string::npos);
  EXPECT_EQ(post("go").status, 400);
  write("s.yaml", scenario(0.5));
  state([](auto& head, auto& s) {
    return head["failure"] == "" && s["t"] > 0.1;
  });  // it runs, as it was asked to
}

TEST_F(ProgramServe, a_file_that_is_deleted_is_waited_for) {
  serve({});
  state([](auto&, auto& s) { return s["t"] > 0; });
  fs::remove(folder / "s.yaml");
  const json failed = state([](auto& head, auto&) { return head["failure"] != ""; });
  EXPECT_NE(failed["head"]["failure"].get<std::string>().find("there is no such file"),
            std::string::npos);
  write("s.yaml", scenario(0.5));
  state([](auto& head, auto& s) { return head["failure"] == "" && s["t"] > 0; });
}

TEST_F(ProgramServe, a_run_that_explodes_says_so_and_can_be_restarted) {
  write("s.yaml",
        "chasles: 1\nmodel: arm.yaml\ninitial: {v: {hinge: 1}}\nduration: 1\nforces:\n"
        "  - {type: joint_torque, joint: hinge, value: {times: [0, 0.2, 0.21], values: [0, 0, "
        "1e300]}}\n");
  serve({});
  const json failed = state([](auto&, auto& s) { return s["message"] != ""; });
  EXPECT_EQ(failed["state"]["paused"], true);
  ASSERT_EQ(post("pause").status, 200);
  ASSERT_EQ(post("restart").status, 200);
  state([](auto&, auto& s) { return s["t"] == 0 && s["message"] == ""; });
}

TEST_F(ProgramServe, an_interrupt_ends_it) {
  for (const int signal : {SIGINT, SIGTERM}) {
    serve({});
    state([](auto&, auto& s) { return s["t"] > 0; });
    const int open = connected();  // somebody who says nothing does not hold it
    kill(program_, signal);
    EXPECT_EQ(wait(program_), 0);
    program_ = 0;
    close(open);
    fs::remove(folder / "out");
  }
}

TEST_F(ProgramServe, bad_input_is_refused) {
  expect_bad_input("serve none.yaml", {"none.yaml: there is no such file"});
  expect_bad_input("serve -", {"-: there is no such file"});
  expect_bad_input("serve " + (folder / "s.yaml").string() + " --port 70000", {"--port 70000"});
  serve();
  const Outcome o =
      run("serve " + (folder / "s.yaml").string() + " --port " + std::to_string(port_));
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("cannot be had"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace chasles
