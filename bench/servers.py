# SPDX-License-Identifier: Apache-2.0
"""Requests for redis and memcached over loopback: how many a server answers in a second."""

import multiprocessing
import socket
import time

CLIENTS, PAIRS, AT_ONCE = 4, 8000, 32
PATIENCE_SECONDS = 60
VALUE = "value"


def redis(key):
    """A request that sets a value, one that gets it, and both answers."""
    return f"SET {key} {VALUE}\r\nGET {key}\r\n", f"+OK\r\n${len(VALUE)}\r\n{VALUE}\r\n"


def memcached(key):
    return (f"set {key} 0 0 {len(VALUE)}\r\n{VALUE}\r\nget {key}\r\n",
            f"STORED\r\nVALUE {key} 0 {len(VALUE)}\r\n{VALUE}\r\nEND\r\n")


PAIR_OF = {"redis": redis, "memcached": memcached}
END_OF = {"redis": "SHUTDOWN NOSAVE\r\n", "memcached": "shutdown\r\n"}


def connect(port):
    """A connection to a server that has just been started."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def client(kind, port, number):
    """Raises ConnectionError if an answer is wrong."""
    with connect(port) as server:
        for first in range(0, PAIRS, AT_ONCE):
            pairs = [PAIR_OF[kind](f"key{number}x{first + i}") for i in range(AT_ONCE)]
            server.sendall("".join(request for request, _ in pairs).encode())
            wanted, got = "".join(answer for _, answer in pairs).encode(), b""
            while len(got) < len(wanted):
                some = server.recv(1 << 16)
                if not some:
                    raise ConnectionError(f"{kind}: the server closed a connection")
                got += some
            if got != wanted:
                raise ConnectionError(f"{kind}: answered {got[:80]}")


def requests_per_second(kind, port):
    """Sends all requests to the server, and ends it."""
    with connect(port) as last:
        clients = [multiprocessing.Process(target=client, args=(kind, port, i)) for i in range(CLIENTS)]
        begin = time.monotonic()
        for process in clients:
            process.start()
        for process in clients:
            process.join()
        seconds = time.monotonic() - begin
        last.sendall(END_OF[kind].encode())
    if any(process.exitcode for process in clients):
        raise ConnectionError(f"{kind}: a client failed")
    return 2 * CLIENTS * PAIRS / seconds
