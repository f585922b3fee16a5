# replay.gdb - what `snag replay --gdb` tells gdb: show the user's code, name threads as the report does,
# run to the race
#
# The code of snag's runtime is in sections of its own, snag_rt_*.  Frames in it are hidden.  For the
# witness of a race, $snag_runs is 1: gdb runs the program up to rt_race_is_next(), where the thread
# of the first access has the turn for it.  From there it goes on to the user's frame, in which the
# access is the next thing to happen, and a breakpoint waits for the thread of the second access.
set startup-with-shell off
unset environment LINES
unset environment COLUMNS
python
import gdb

SECTIONS = "snag_rt_"


class Snag:
    sections = []  # from, to
    names = {}  # of threads, by their number of the kernel


def snag_runtime_find():
    for line in gdb.execute("info files", to_string=True).splitlines():
        words = line.split()
        if len(words) == 5 and words[4].startswith(SECTIONS):
            Snag.sections.append((int(words[0], 16), int(words[2], 16)))


def snag_is_hidden(frame):
    return any(low <= frame.pc() < high for low, high in Snag.sections)


def snag_user_frame():
    """The innermost frame with a source line that is not the runtime's, or any that is not."""
    frame, fallback = gdb.newest_frame(), None
    while frame:
        if not snag_is_hidden(frame):
            if frame.find_sal().symtab:
                return frame
            fallback = fallback or frame
        frame = frame.older()
    return fallback


def snag_show_user_frame():
    if gdb.selected_thread() is None:
        return
    frame = snag_user_frame()
    if frame and frame != gdb.selected_frame():
        frame.select()
        gdb.execute("frame")


class SnagFilter:
    name, priority, enabled = "snag", 100, True

    def filter(self, frames):
        return (f for f in frames if not snag_is_hidden(f.inferior_frame()))


def snag_names_read(race):
    """struct race of runtime/sched/debugger.c"""
    for i in range(int(race[2])):
        tid, name = (int(gdb.parse_and_eval(f"((unsigned long *){int(race[3])})[{2 * i + k}]")) for k in range(2))
        Snag.names[tid] = f"T{name}"
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] in Snag.names:
            thread.name = Snag.names[thread.ptid[1]]


def snag_thread(tid):
    return next((t for t in gdb.selected_inferior().threads() if t.ptid[1] == tid), None)


def snag_place(thread):
    """Of its user's frame: address and words."""
    thread.switch()
    frame = snag_user_frame()
    line = frame.find_sal()
    words = f"{frame.name()}, {line.symtab.filename}:{line.line}" if line.symtab else str(frame.name())
    return frame.pc(), f"{Snag.names.get(thread.ptid[1])}, gdb's thread {thread.num}, in {words}"


def snag_break(where, is_shown, thread=None):
    point = gdb.Breakpoint(where, internal=not is_shown, temporary=True)
    point.silent = not is_shown
    if thread:
        point.thread = thread.num


def snag_run():
    gdb.execute("info address rt_race_is_next", to_string=True)  # an error if it is not there
    snag_break("rt_race_is_next", False)
    gdb.execute("run", to_string=True)
    if not gdb.selected_inferior().pid or gdb.newest_frame().name() != "rt_race_is_next":
        print("snag: the program did not come to the race; snag replay without --gdb says why")
        return
    if not Snag.sections:
        snag_runtime_find()
    race = [gdb.parse_and_eval(f"((unsigned long *)&rt_race)[{i}]") for i in range(4)]
    snag_names_read(race)
    first, second = (snag_thread(int(race[i])) for i in range(2))
    at = []
    for thread, word in (second, "second"), (first, "first"):
        pc, words = snag_place(thread)
        snag_break(f"*{pc}", word == "second", thread)
        at.append(f"  {word}: {words}")
    gdb.execute("continue", to_string=True)
    print("snag: the race is next:\n" + "\n".join(reversed(at)))
    print("snag: next and continue go on; gdb stops again before the second access")
    gdb.execute("frame")


def snag_start():
    for files in "*/src/runtime/*/*.[ch]", "*/src/runtime/*.[ch]":
        gdb.execute(f"skip -gfi {files}", to_string=True)
    gdb.frame_filters["snag"] = SnagFilter()
    gdb.events.stop.connect(lambda event: Snag.sections or snag_runtime_find())
    if int(gdb.convenience_variable("snag_runs") or 0):
        try:
            snag_run()
        except gdb.error as why:
            print(f"snag: {why}")


end
define hookpost-thread
python snag_show_user_frame()
end
python snag_start()
