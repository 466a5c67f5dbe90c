// SPDX-License-Identifier: Apache-2.0
// What a hostile command tries, and that the other side saw nothing of it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tests/worker/tools/command/sandbox_case.hpp"

namespace ba::command {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

using SandboxEscape = SandboxCase;

TEST_F(SandboxEscape, IsNobodyWithoutRights) {
  const std::string status = output("cat /proc/self/status");
  for (const char* line : {"Uid:\t65534\t65534\t65534\t65534", "CapEff:\t0000000000000000",
                           "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
    EXPECT_THAT(status, HasSubstr(line));
}

TEST_F(SandboxEscape, ARootWorkerIsNobodyOutsideToo) {
  const std::string seconds = marker(4);
  const auto handle = start({{"command", "sleep " + seconds}});
  std::string owner;
  EXPECT_TRUE(executor.run_until([&] {
    std::ifstream status(process_of({"sleep", seconds}) / "status");
    owner.assign(std::istreambuf_iterator<char>(status), {});
    return !owner.empty();
  }));
  const std::string user = std::to_string(geteuid() == 0 ? 65534 : geteuid());
  EXPECT_THAT(owner, HasSubstr("Uid:\t" + user + "\t" + user));
}

TEST_F(SandboxEscape, RefusesSystemCalls) {
  const std::map<std::string, long> calls = {{"ptrace", SYS_ptrace},
                                             {"process_vm_readv", SYS_process_vm_readv},
                                             {"mount", SYS_mount},
                                             {"umount2", SYS_umount2},
                                             {"unshare", SYS_unshare},
                                             {"setns", SYS_setns},
                                             {"chroot", SYS_chroot},
                                             {"pivot_root", SYS_pivot_root},
                                             {"keyctl", SYS_keyctl},
                                             {"bpf", SYS_bpf},
                                             {"perf_event_open", SYS_perf_event_open},
                                             {"syslog", SYS_syslog},
                                             {"io_uring_setup", SYS_io_uring_setup},
                                             {"userfaultfd", SYS_userfaultfd},
                                             {"memfd_create", SYS_memfd_create},
                                             {"shmget", SYS_shmget},
                                             {"open_by_handle_at", SYS_open_by_handle_at},
                                             {"fsopen", SYS_fsopen}};
  std::string script;
  std::string expected;
  for (const auto& [name, number] : calls) {
    script += "$! = 0; syscall(" + std::to_string(number) + ",0,0,0,0,0,0); print q{" + name +
              " }, $!+0, \"\\n\";";
    expected += name + " 1\n";  // EPERM
  }
  EXPECT_EQ(output("perl -e '" + script + "'"), expected);
}

TEST_F(SandboxEscape, MakesNoFurtherNamespaces) {
  const std::string clone = std::to_string(SYS_clone);
  EXPECT_EQ(output("perl -e 'syscall(" + clone + ",0x10000011,0,0,0,0); print $!+0'"), "1");
  EXPECT_EQ(output("perl -e 'syscall(" + std::to_string(SYS_clone3) + ",0,0); print $!+0'"), "38");
  EXPECT_NE(run("unshare -U true").at("exit_code"), 0);
}

TEST_F(SandboxEscape, PushesNoInputIntoATerminal) {
  const char* script =
      "$! = 0; $x = \"x\"; ioctl(STDIN, 0x5412, $x); print $!+0; "
      "$! = 0; open(T, \"<\", \"/dev/tty\"); print \" \", $!+0";
  EXPECT_EQ(output(std::string("perl -e '") + script + "'"), "1 2");
  const std::string ioctl = std::to_string(SYS_ioctl);
  for (const char* request : {"0x5412", "0x100005412", "0xffffffff00005412", "0x10000541c"})
    EXPECT_EQ(output("perl -e '$x = \"x\"; $! = 0; syscall(" + ioctl + ",0," + request +
                     ",$x); print $!+0'"),
              "1")
        << request << ": the kernel reads its lower half";
}

/// What waits in them would be memory that no limit counts.
TEST_F(SandboxEscape, OpensNoSockets) {
  EXPECT_EQ(output("perl -e 'for (1, 2, 10, 16, 17, 38, 40) { $! = 0; socket(S, $_, 1, 0); "
                   "print $!+0, \" \" }'"),
            "97 97 97 97 97 97 97 ");
  EXPECT_EQ(output("perl -e 'socketpair(A, B, 1, 1, 0); print $!+0'"), "1");
}

TEST_F(SandboxEscape, SeesNoFileOfTheHost) {
  const TemporaryDirectory directory;
  directory.write("canary", "the canary sings");
  const std::string canary = (directory.path() / "canary").string();
  const std::string checkout = (std::filesystem::current_path() / "CMakeLists.txt").string();
  ASSERT_TRUE(std::filesystem::exists(canary));
  ASSERT_TRUE(std::filesystem::exists(checkout));
  std::string command;
  for (const std::string& file : {canary, checkout, std::string("/etc/shadow")})
    for (const std::string before : {"", "/proc/1/root", "/proc/self/root", "/../../.."})
      command += "cat " + before + file + " && echo SEEN;";
  EXPECT_EQ(output(command), "");
  EXPECT_EQ(
      output("ls / /etc | tr '\\n' ' '"),
      output(
          "ls /proc/1/root/ /proc/1/root/etc | sed 's,/proc/1/root,,;s,^/:,/:,' | tr '\\n' ' '"));
}

TEST_F(SandboxEscape, WritesNothingButInItsOwnDirectories) {
  EXPECT_EQ(output("for d in / /usr /usr/bin /etc /dev /proc /proc/sys/kernel /usr/lib; do "
                   "touch $d/x 2>/dev/null && echo $d; done; "
                   "echo x > /proc/sys/kernel/core_pattern && echo core; "
                   "mkdir /dev/shm && echo shm; touch /tmp/x x && echo good"),
            "good\n");
}

TEST_F(SandboxEscape, GetsNothingOfTheEnvironment) {
  setenv("SANDBOX_CANARY", "the-canary", 1);
  EXPECT_EQ(output("env | sort"),
            "HOME=/box\nLANG=C.UTF-8\nPATH=/usr/bin:/bin\nPWD=/box\nTMPDIR=/tmp\n");
  EXPECT_THAT(output("env; cat /proc/*/environ"), Not(HasSubstr("the-canary")));
  unsetenv("SANDBOX_CANARY");
}

/// What a worker that forgets O_CLOEXEC would hand on: a file and both ends of a connection.
struct LeakyDescriptors {
  LeakyDescriptors() {
    directory.write("canary", "the canary sings");
    file = open((directory.path() / "canary").c_str(), O_RDWR);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (const int one : {file, ends[0], ends[1]}) EXPECT_EQ(fcntl(one, F_GETFD), 0);
    EXPECT_EQ(write(ends[0], "the canary sings", 16), 16);
  }
  ~LeakyDescriptors() {
    for (const int one : {file, ends[0], ends[1]}) close(one);
  }
  LeakyDescriptors(const LeakyDescriptors&) = delete;
  LeakyDescriptors& operator=(const LeakyDescriptors&) = delete;

  const TemporaryDirectory directory;
  int file = -1;
  int ends[2] = {-1, -1};
};

TEST_F(SandboxEscape, InheritsNoDescriptor) {
  const LeakyDescriptors leaky;
  EXPECT_EQ(output("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ");  // 3: ls itself
  const std::string links = output("for f in /proc/[0-9]*/fd/*; do readlink $f; done");
  EXPECT_THAT(links, HasSubstr("pipe:"));
  EXPECT_THAT(links, Not(AnyOf(HasSubstr("canary"), HasSubstr("socket:"))));
  const std::string descriptors = std::to_string(leaky.file) + " " + std::to_string(leaky.ends[0]) +
                                  " " + std::to_string(leaky.ends[1]);
  EXPECT_EQ(output("perl -e 'for (@ARGV) { open(F, \"+<&=\", $_) or next; "
                   "sysread(F, $x, 99) and print $x; syswrite(F, \"x\") and print $_ }' " +
                   descriptors),
            "");
  std::array<char, 64> buffer;
  EXPECT_EQ(recv(leaky.ends[1], buffer.data(), buffer.size(), MSG_DONTWAIT), 16) << "nobody read";
  EXPECT_LT(recv(leaky.ends[0], buffer.data(), buffer.size(), MSG_DONTWAIT), 0) << "nobody wrote";
  std::ifstream file(leaky.directory.path() / "canary");
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), "the canary sings");
}

TEST_F(SandboxEscape, GainsNothingFromSetuidPrograms) {
  EXPECT_THAT(output("find /usr/bin -perm -4000 | head -1"), HasSubstr("/usr/bin/"));
  EXPECT_THAT(output("su -c id </dev/null; passwd -S; mount -t tmpfs x /tmp; id -u"),
              testing::EndsWith("65534\n"));
}

TEST_F(SandboxEscape, SignalsNobodyOutside) {
  const pid_t bystander = fork();
  if (bystander == 0) {
    pause();
    _exit(0);
  }
  run("kill -9 " + std::to_string(bystander) + " " + std::to_string(getpid()) + " " +
      std::to_string(getppid()) + "; kill -9 -1");
  EXPECT_EQ(kill(bystander, 0), 0);
  int status = 0;
  EXPECT_EQ(waitpid(bystander, &status, WNOHANG), 0) << "it is dead";
  kill(bystander, SIGKILL);
  waitpid(bystander, &status, 0);
}

/// Something that listens, and whether anybody came.
struct Listener {
  Listener(const sockaddr* address, socklen_t size)
      : number(socket(address->sa_family, SOCK_STREAM, 0)) {
    EXPECT_EQ(bind(number, address, size), 0);
    EXPECT_EQ(listen(number, 5), 0);
  }
  ~Listener() { close(number); }
  bool visited() const {
    pollfd look{number, POLLIN, 0};
    return poll(&look, 1, 200) == 1;
  }
  const int number;
};

bool connects(const sockaddr* address, socklen_t size) {
  const int number = socket(address->sa_family, SOCK_STREAM, 0);
  const bool good = connect(number, address, size) == 0;
  close(number);
  return good;
}

TEST_F(SandboxEscape, HasANetworkOfItsOwn) {
  const std::string ours = std::filesystem::read_symlink("/proc/self/ns/net");
  EXPECT_THAT(output("readlink /proc/self/ns/net"), AllOf(StartsWith("net:["), Not(ours + "\n")));
}

TEST_F(SandboxEscape, ConnectsToNothingOfTheHost) {
  sockaddr_in local{};
  local.sin_family = AF_INET;
  local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* address = reinterpret_cast<const sockaddr*>(&local);
  const Listener tcp(address, sizeof(local));
  socklen_t size = sizeof(local);
  getsockname(tcp.number, reinterpret_cast<sockaddr*>(&local), &size);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string abstract = "ba-canary-" + std::to_string(getpid());
  abstract.copy(name.sun_path + 1, abstract.size());
  const auto name_size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract.size());
  const Listener unix_socket(reinterpret_cast<const sockaddr*>(&name), name_size);

  const std::string port = std::to_string(ntohs(local.sin_port));
  EXPECT_EQ(output("perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); print connect(S, "
                   "pack_sockaddr_in(" +
                   port +
                   ", inet_aton(\"127.0.0.1\"))) ? \"in\" : $!+0;"
                   "socket(U, AF_UNIX, SOCK_STREAM, 0); print \" \", connect(U, "
                   "pack(\"S a*\", AF_UNIX, \"\\0" +
                   abstract + "\")) ? \"in\" : $!+0'"),
            "9 9");  // there are no sockets to connect
  EXPECT_FALSE(tcp.visited());
  EXPECT_FALSE(unix_socket.visited());
  EXPECT_TRUE(connects(address, sizeof(local)));
  EXPECT_TRUE(connects(reinterpret_cast<const sockaddr*>(&name), name_size));
  EXPECT_TRUE(tcp.visited());
}

TEST_F(SandboxEscape, AForkBombEndsAtItsLimit) {
  const Json data =
      run("perl -e 'for (1..200) { my $p = fork; last if !defined $p; "
          "if (!$p) { sleep 60; exit } $n++ } print $n'");
  const int made = std::stoi(data.at("stdout").get<std::string>());
  EXPECT_GT(made, 4);
  EXPECT_LT(made, config.processes_max);
  run(":(){ :|:& };:");  // as it is known
  run("f() { f | f & }; f; sleep 1");
}

TEST_F(SandboxEscape, FillsNoMoreThanItsOwnDirectories) {
  EXPECT_EQ(output("for d in /tmp /box; do for i in 1 2 3 4 5 6 7 8; do "
                   "head -c 500000 /dev/zero > $d/$i 2>/dev/null; done; done; "
                   "[ $(cat /tmp/* | wc -c) -le 1048576 ] && [ $(cat /box/* | wc -c) -le 1048576 ] "
                   "&& echo bounded"),
            "bounded\n");
}

TEST_F(SandboxEscape, MakesNoMoreFilesThanItMay) {
  config.files_max = 200;
  for (const char* make : {": > /tmp/$i", ": > $i", "mkdir /tmp/$i"}) {
    const std::string loop = std::string("; do ") + make + "; i=$((i+1)); done; ";
    const Json many = run("i=0; while [ $i -lt 1000 ]" + loop + "sleep 20; echo done");
    EXPECT_EQ(many.at("ended"), "files_limit") << make;
    EXPECT_EQ(many.at("stdout"), "");
    const Json few = run("i=0; while [ $i -lt 150 ]" + loop + "sleep 0.1; echo done");
    EXPECT_EQ(few.at("ended"), "exit") << make;
    EXPECT_EQ(few.at("stdout"), "done\n");
  }
}

TEST_F(SandboxEscape, AMemoryBombOfOneProcessFails) {
  EXPECT_NE(run("perl -e '$x = \"y\" x 1e9; print length $x'").value("exit_code", -1), 0);
}

TEST_F(SandboxEscape, AMemoryBombOfManyProcessesIsKilled) {
  const Json data =
      run("for i in 1 2 3 4 5 6; do perl -e '$x = \"y\" x 60e6; $y = $x; sleep 20' & done; wait");
  EXPECT_EQ(data.value("ended", ""), "memory_limit");
  EXPECT_THAT(data.value("note", ""), HasSubstr("more memory"));
}

TEST_F(SandboxEscape, NoDaemonSurvives) {
  const std::string seconds = marker(5);
  EXPECT_EQ(output("setsid sleep " + seconds +
                   " >/dev/null 2>&1 & "
                   "(setsid nohup sleep " +
                   seconds + " >/dev/null 2>&1 &) ; sleep 0.3; echo done"),
            "done\n");
  EXPECT_EQ(processes_with(seconds), 0);
}

}  // namespace
}  // namespace ba::command
