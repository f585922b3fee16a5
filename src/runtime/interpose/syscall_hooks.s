# SPDX-License-Identifier: Apache-2.0
#
# syscall_hooks.s - what <sanitizer/linux_syscall_hooks.h> calls before and after system calls
#
# A program that makes its system calls by itself tells a sanitizer so with these functions.  They do
# nothing here: syscall() knows the calls that make a process (futex.c), and what other calls do to
# memory is not observed.  The file is a member of its own of libsnag_rt.a, so only programs that call
# one of them have them.
.text
.macro hook name
	.globl __sanitizer_syscall_pre_impl_\name, __sanitizer_syscall_post_impl_\name
	.set __sanitizer_syscall_pre_impl_\name, nothing
	.set __sanitizer_syscall_post_impl_\name, nothing
.endm
.type nothing, @function
nothing:
	ret
.size nothing, . - nothing

.irp name, accept, accept4, access, acct, add_key, adjtimex, alarm, bdflush, bind, brk, capget
	hook \name
.endr
.irp name, capset, chdir, chmod, chown, chown16, chroot, clock_adjtime, clock_getres
	hook \name
.endr
.irp name, clock_gettime, clock_nanosleep, clock_settime, close, connect, creat, delete_module
	hook \name
.endr
.irp name, dup, dup2, dup3, epoll_create, epoll_create1, epoll_ctl, epoll_pwait, epoll_pwait2
	hook \name
.endr
.irp name, epoll_wait, eventfd, eventfd2, exit, exit_group, faccessat, fanotify_init
	hook \name
.endr
.irp name, fanotify_mark, fchdir, fchmod, fchmodat, fchown, fchown16, fchownat, fcntl, fcntl64
	hook \name
.endr
.irp name, fdatasync, fgetxattr, flistxattr, flock, fork, fremovexattr, fsetxattr, fstat, fstat64
	hook \name
.endr
.irp name, fstatat64, fstatfs, fstatfs64, fsync, ftruncate, futimesat, get_mempolicy
	hook \name
.endr
.irp name, get_robust_list, getcpu, getcwd, getdents, getdents64, getegid, getegid16, geteuid
	hook \name
.endr
.irp name, geteuid16, getgid, getgid16, getgroups, getgroups16, gethostname, getitimer
	hook \name
.endr
.irp name, getpeername, getpgid, getpgrp, getpid, getppid, getpriority, getrandom, getresgid
	hook \name
.endr
.irp name, getresgid16, getresuid, getresuid16, getrlimit, getrusage, getsid, getsockname
	hook \name
.endr
.irp name, getsockopt, gettid, gettimeofday, getuid, getuid16, getxattr, init_module
	hook \name
.endr
.irp name, inotify_add_watch, inotify_init, inotify_init1, inotify_rm_watch, io_cancel, io_destroy
	hook \name
.endr
.irp name, io_getevents, io_setup, io_submit, ioctl, ioperm, ioprio_get, ioprio_set, ipc
	hook \name
.endr
.irp name, kexec_load, keyctl, kill, lchown, lchown16, lgetxattr, link, linkat, listen, listxattr
	hook \name
.endr
.irp name, llistxattr, llseek, lookup_dcookie, lremovexattr, lseek, lsetxattr, lstat, lstat64
	hook \name
.endr
.irp name, madvise, mbind, migrate_pages, mincore, mkdir, mkdirat, mknod, mknodat, mlock, mlockall
	hook \name
.endr
.irp name, mmap_pgoff, mount, move_pages, mprotect, mq_getsetattr, mq_notify, mq_open
	hook \name
.endr
.irp name, mq_timedreceive, mq_timedsend, mq_unlink, mremap, msgctl, msgget, msgrcv, msgsnd, msync
	hook \name
.endr
.irp name, munlock, munlockall, munmap, name_to_handle_at, nanosleep, newfstat, newfstatat
	hook \name
.endr
.irp name, newlstat, newstat, newuname, ni_syscall, nice, old_getrlimit, old_mmap, old_readdir
	hook \name
.endr
.irp name, old_select, oldumount, olduname, open, open_by_handle_at, openat, pause
	hook \name
.endr
.irp name, pciconfig_iobase, pciconfig_read, pciconfig_write, perf_event_open, personality, pipe
	hook \name
.endr
.irp name, pipe2, pivot_root, poll, ppoll, pread64, preadv, prlimit64, process_vm_readv
	hook \name
.endr
.irp name, process_vm_writev, pselect6, ptrace, pwrite64, pwritev, quotactl, read, readlink
	hook \name
.endr
.irp name, readlinkat, readv, reboot, recv, recvfrom, recvmmsg, recvmsg, remap_file_pages
	hook \name
.endr
.irp name, removexattr, rename, renameat, request_key, restart_syscall, rmdir, rt_sigaction
	hook \name
.endr
.irp name, rt_sigpending, rt_sigprocmask, rt_sigqueueinfo, rt_sigtimedwait, rt_tgsigqueueinfo
	hook \name
.endr
.irp name, sched_get_priority_max, sched_get_priority_min, sched_getaffinity, sched_getparam
	hook \name
.endr
.irp name, sched_getscheduler, sched_rr_get_interval, sched_setaffinity, sched_setparam
	hook \name
.endr
.irp name, sched_setscheduler, sched_yield, select, semctl, semget, semop, semtimedop, send
	hook \name
.endr
.irp name, sendfile, sendfile64, sendmmsg, sendmsg, sendto, set_mempolicy, set_robust_list
	hook \name
.endr
.irp name, set_tid_address, setdomainname, setfsgid, setfsgid16, setfsuid, setfsuid16, setgid
	hook \name
.endr
.irp name, setgid16, setgroups, setgroups16, sethostname, setitimer, setns, setpgid, setpriority
	hook \name
.endr
.irp name, setregid, setregid16, setresgid, setresgid16, setresuid, setresuid16, setreuid
	hook \name
.endr
.irp name, setreuid16, setrlimit, setsid, setsockopt, settimeofday, setuid, setuid16, setxattr
	hook \name
.endr
.irp name, sgetmask, shmat, shmctl, shmdt, shmget, shutdown, sigaction, sigaltstack, signal
	hook \name
.endr
.irp name, signalfd, signalfd4, sigpending, sigprocmask, socket, socketcall, socketpair, splice
	hook \name
.endr
.irp name, spu_create, spu_run, ssetmask, stat, stat64, statfs, statfs64, stime, swapoff, swapon
	hook \name
.endr
.irp name, symlink, symlinkat, sync, syncfs, sysctl, sysfs, sysinfo, syslog, tee, tgkill, time
	hook \name
.endr
.irp name, timer_create, timer_delete, timer_getoverrun, timer_gettime, timer_settime
	hook \name
.endr
.irp name, timerfd_create, timerfd_gettime, timerfd_settime, times, tkill, truncate, umask, umount
	hook \name
.endr
.irp name, uname, unlink, unlinkat, unshare, uselib, ustat, utime, utimensat, utimes, vfork
	hook \name
.endr
.irp name, vhangup, vmsplice, wait4, waitid, waitpid, write, writev
	hook \name
.endr
.section .note.GNU-stack, "", @progbits
