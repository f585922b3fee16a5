#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many workers of `snag explore --shard I/N` behave: a simulation.

A search has a number of schedules, worker I of N runs those that are I - 1 modulo N.  A worker starts
after a delay of the engine, takes a time to start the program, and then a random time for each
schedule.  It can be killed at any time; the engine starts it again, and it begins its shard anew,
because only a shard that has ended is in the store.  The engine runs as many workers at a time as there
are places.  The simulation prints for each number of workers how long the search takes, what part of the
processor time counts in the end, and what was lost.

usage: simulate.py [--schedules N] [--ms M] [--places P] [--kills-per-hour K] [--seed S]
                   [WORKERS...]
"""
import argparse
import heapq
import random


def shard_seconds(rng, schedules, mean):
    """Time of a shard: a sum of many independent times, here by its mean and deviation, and a speed
    of the machine that differs by up to a third."""
    time = max(0.0, rng.gauss(schedules * mean, (schedules ** 0.5) * mean))
    return time * rng.uniform(0.85, 1.2)


def search(rng, o, workers):
    """Returns the seconds of the search, the useful and the lost processor seconds, and the kills."""
    todo = [(rng.uniform(0, o.delay), i) for i in range(workers)]  # when it can start
    heapq.heapify(todo)
    free = [0.0] * min(o.places, workers)  # when each place is free
    heapq.heapify(free)
    end = useful = lost = 0.0
    kills = 0
    while todo:
        ready, worker = heapq.heappop(todo)
        start = max(ready, heapq.heappop(free))
        mine = o.schedules // workers + (worker < o.schedules % workers)
        need = o.start + shard_seconds(rng, mine, o.ms / 1000)
        life = rng.expovariate(o.kills_per_hour / 3600) if o.kills_per_hour else float("inf")
        if life < need:
            kills += 1
            lost += life
            heapq.heappush(free, start + life)
            heapq.heappush(todo, (start + life + o.delay, worker))
            continue
        useful += need
        heapq.heappush(free, start + need)
        end = max(end, start + need)
    return end, useful, lost, kills


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--schedules", type=int, default=100_000_000)
    options.add_argument("--ms", type=float, default=2.0, help="of a schedule")
    options.add_argument("--start", type=float, default=0.3, help="seconds to start a worker")
    options.add_argument("--delay", type=float, default=5.0, help="seconds of the engine")
    options.add_argument("--places", type=int, default=1000)
    options.add_argument("--kills-per-hour", type=float, default=0.5, help="of one worker")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("workers", type=int, nargs="*", default=[1, 10, 100, 1000, 10000])
    o = options.parse_args()
    alone = o.schedules * o.ms / 1000
    print(f"| shards | seconds | speed-up | kills | lost processor time |")
    print("|---|---|---|---|---|")
    for workers in o.workers:
        if alone / workers * o.kills_per_hour / 3600 > 12:  # it would never end
            print(f"| {workers} | never: a shard is killed before it ends | | | |")
            continue
        end, useful, lost, kills = search(random.Random(o.seed), o, workers)
        print(f"| {workers} | {end:,.0f} | {alone / end:,.0f} | {kills} | {100 * lost / (lost + useful):.1f} % |")


if __name__ == "__main__":
    main()
