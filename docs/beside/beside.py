# SPDX-License-Identifier: MIT
"""SimGrid's model of the three experiments in docs/beside.md."""

import csv, gzip, random, sys
from statistics import fmean
from simgrid import Actor, Comm, Engine, Mailbox, this_actor

engine = Engine(["beside", "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0", "--log=root.thresh:warning"])
engine.load_platform("platform.xml")
nodes = sorted(engine.all_hosts, key=lambda host: int(host.name[1:]))
taken = []


def torus(load, cycle=5e-9, flits=8, messages=300):
    def message(sender, receiver):
        start = Engine.clock
        this_actor.sleep_for(5 * cycle)  # the first router and the interfaces
        Comm.sendto(sender, receiver, flits)
        taken.append((Engine.clock - start) / cycle)

    def source(number):
        draw = random.Random(number)
        for _ in range(messages):
            this_actor.sleep_for(draw.expovariate(float(load) / flits) * cycle)
            Actor.create("message", nodes[number], message, nodes[number], draw.choice(nodes))

    for number, node in enumerate(nodes):
        Actor.create("source", node, source, number)


def write(blocks=1280, size=8192, rate=2.458e6):  # a track in each revolution of the HP 97560
    def compute(number):
        for block in range(number * blocks // 16, (number + 1) * blocks // 16):
            Mailbox.by_name(str(block % 16)).put(block, size)

    def serve(number, disk):
        box, writing = Mailbox.by_name(str(number)), []
        for _ in range(blocks // 16):
            box.get()
            writing.append(disk.write_async(size))
        for each in writing:
            each.wait()
        taken.append(blocks * size / 2**20 / Engine.clock)

    for number in range(16):
        Actor.create("compute", nodes[number], compute, number)
        Actor.create("serve", nodes[16 + number], serve, number, nodes[16 + number].create_disk("d", rate, rate).seal())


def array(trace, factor, disks=9, unit=64, rate=4.5e6):  # the mean over the zones of the HP C3323A
    drives = [nodes[0].create_disk(str(i), rate, rate).seal() for i in range(disks)]

    def request(lbn, size, op):
        start, row, place = Engine.clock, lbn // unit // (disks - 1), lbn // unit % (disks - 1)
        touched = [drives[(row + 1 + place) % disks]] + [drives[row % disks]] * (op == "W")  # data, and the parity
        for step in [lambda d: d.read_async(size), lambda d: d.write_async(size)][: 1 + (op == "W")]:
            for each in [step(drive) for drive in touched]:
                each.wait()
        taken.append(1e3 * (Engine.clock - start))

    def arrivals():
        for row in csv.DictReader(gzip.open(trace, "rt")):
            this_actor.sleep_until(float(row["t_ms"]) * float(factor) / 1e3)
            Actor.create("r", nodes[0], request, int(row["lbn"]), 512 * int(row["sectors"]), row["op"])

    Actor.create("arrivals", nodes[0], arrivals)


{"torus": torus, "write": write, "array": array}[sys.argv[1]](*sys.argv[2:])
engine.run()
print(f"{fmean(taken):.1f}")
