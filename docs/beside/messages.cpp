// SPDX-License-Identifier: MIT
// SimGrid's share of the table of peers in docs/performance.md: half of 2n hosts send 8 bytes to the others in turn,
// which acknowledge with one; each has `at-once` on their way. Build with -lsimgrid and call it in this folder:
//   messages N MESSAGES-OF-EACH AT-ONCE --cfg=network/model:CM02 --cfg=network/TCP-gamma:0
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>

namespace sg = simgrid::s4u;

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  if (argc < 4) {
    std::fputs("usage: messages N MESSAGES-OF-EACH AT-ONCE [SIMGRID-OPTION...]\n", stderr);
    return 2;
  }
  const int n = std::atoi(argv[1]), each = std::atoi(argv[2]), at_once = std::atoi(argv[3]);
  engine.load_platform("platform.xml");
  const auto hosts = engine.get_all_hosts();
  const auto box = [](char kind, int i) { return sg::Mailbox::by_name(kind + std::to_string(i)); };
  for (int i = 0; i < n; ++i) {
    sg::Actor::create("sender", hosts[i], [=] {
      for (int sent = 0, answered = 0; answered < each; ++answered) {
        for (; sent < each && sent - answered < at_once; ++sent) box('d', sent % n)->put_init(new int(i), 8)->detach();
        std::unique_ptr<int>(box('a', i)->get<int>());
      }
    });
    sg::Actor::create("receiver", hosts[n + i], [=] {
      for (int k = 0; k < each; ++k) {
        int* const sender = box('d', i)->get<int>();
        box('a', *sender)->put_init(sender, 1)->detach();
      }
    });
  }
  const std::clock_t before = std::clock();
  engine.run();
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::printf("%.0f ns a message\n", seconds / (2.0 * n * each) * 1e9);
}
