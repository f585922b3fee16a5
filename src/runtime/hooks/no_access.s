# SPDX-License-Identifier: Apache-2.0
#
# no_access.s - hooks of <sanitizer/linux_syscall_hooks.h> that do nothing
#
# A program that makes its system calls by itself tells a sanitizer so with these functions.  Those
# that syscalls.c defines take the place of the weak ones here.  The others do nothing: syscall() knows
# the calls that make a process (futex.c), and what rare calls do to memory is not observed.
.text
.macro hooks names:vararg
.irp name, \names
	.weak __sanitizer_syscall_pre_impl_\name, __sanitizer_syscall_post_impl_\name
	.set __sanitizer_syscall_pre_impl_\name, nothing
	.set __sanitizer_syscall_post_impl_\name, nothing
.endr
.endm
.type nothing, @function
nothing:
	ret
.size nothing, . - nothing

hooks accept, accept4, access, acct, add_key, adjtimex, alarm, bdflush, bind, brk, capget
hooks capset, chdir, chmod, chown, chown16, chroot, clock_adjtime, clock_getres
hooks clock_gettime, clock_nanosleep, clock_settime, close, connect, creat, delete_module
hooks dup, dup2, dup3, epoll_create, epoll_create1, epoll_ctl, epoll_pwait, epoll_pwait2
hooks epoll_wait, eventfd, eventfd2, exit, exit_group, faccessat, fanotify_init
hooks fanotify_mark, fchdir, fchmod, fchmodat, fchown, fchown16, fchownat, fcntl, fcntl64
hooks fdatasync, fgetxattr, flistxattr, flock, fork, fremovexattr, fsetxattr, fstat, fstat64
hooks fstatat64, fstatfs, fstatfs64, fsync, ftruncate, futimesat, get_mempolicy
hooks get_robust_list, getcpu, getcwd, getdents, getdents64, getegid, getegid16, geteuid
hooks geteuid16, getgid, getgid16, getgroups, getgroups16, gethostname, getitimer
hooks getpeername, getpgid, getpgrp, getpid, getppid, getpriority, getrandom, getresgid
hooks getresgid16, getresuid, getresuid16, getrlimit, getrusage, getsid, getsockname
hooks getsockopt, gettid, gettimeofday, getuid, getuid16, getxattr, init_module
hooks inotify_add_watch, inotify_init, inotify_init1, inotify_rm_watch, io_cancel, io_destroy
hooks io_getevents, io_setup, io_submit, ioctl, ioperm, ioprio_get, ioprio_set, ipc
hooks kexec_load, keyctl, kill, lchown, lchown16, lgetxattr, link, linkat, listen, listxattr
hooks llistxattr, llseek, lookup_dcookie, lremovexattr, lseek, lsetxattr, lstat, lstat64
hooks madvise, mbind, migrate_pages, mincore, mkdir, mkdirat, mknod, mknodat, mlock, mlockall
hooks mmap_pgoff, mount, move_pages, mprotect, mq_getsetattr, mq_notify, mq_open
hooks mq_timedreceive, mq_timedsend, mq_unlink, mremap, msgctl, msgget, msgrcv, msgsnd, msync
hooks munlock, munlockall, munmap, name_to_handle_at, nanosleep, newfstat, newfstatat
hooks newlstat, newstat, newuname, ni_syscall, nice, old_getrlimit, old_mmap, old_readdir
hooks old_select, oldumount, olduname, open, open_by_handle_at, openat, pause
hooks pciconfig_iobase, pciconfig_read, pciconfig_write, perf_event_open, personality, pipe
hooks pipe2, pivot_root, poll, ppoll, pread64, preadv, prlimit64, process_vm_readv
hooks process_vm_writev, pselect6, ptrace, pwrite64, pwritev, quotactl, read, readlink
hooks readlinkat, readv, reboot, recv, recvfrom, recvmmsg, recvmsg, remap_file_pages
hooks removexattr, rename, renameat, request_key, restart_syscall, rmdir, rt_sigaction
hooks rt_sigpending, rt_sigprocmask, rt_sigqueueinfo, rt_sigtimedwait, rt_tgsigqueueinfo
hooks sched_get_priority_max, sched_get_priority_min, sched_getaffinity, sched_getparam
hooks sched_getscheduler, sched_rr_get_interval, sched_setaffinity, sched_setparam
hooks sched_setscheduler, sched_yield, select, semctl, semget, semop, semtimedop, send
hooks sendfile, sendfile64, sendmmsg, sendmsg, sendto, set_mempolicy, set_robust_list
hooks set_tid_address, setdomainname, setfsgid, setfsgid16, setfsuid, setfsuid16, setgid
hooks setgid16, setgroups, setgroups16, sethostname, setitimer, setns, setpgid, setpriority
hooks setregid, setregid16, setresgid, setresgid16, setresuid, setresuid16, setreuid
hooks setreuid16, setrlimit, setsid, setsockopt, settimeofday, setuid, setuid16, setxattr
hooks sgetmask, shmat, shmctl, shmdt, shmget, shutdown, sigaction, sigaltstack, signal
hooks signalfd, signalfd4, sigpending, sigprocmask, socket, socketcall, socketpair, splice
hooks spu_create, spu_run, ssetmask, stat, stat64, statfs, statfs64, stime, swapoff, swapon
hooks symlink, symlinkat, sync, syncfs, sysctl, sysfs, sysinfo, syslog, tee, tgkill, time
hooks timer_create, timer_delete, timer_getoverrun, timer_gettime, timer_settime
hooks timerfd_create, timerfd_gettime, timerfd_settime, times, tkill, truncate, umask, umount
hooks uname, unlink, unlinkat, unshare, uselib, ustat, utime, utimensat, utimes, vfork
hooks vhangup, vmsplice, wait4, waitid, waitpid, write, writev
.section .note.GNU-stack, "", @progbits
