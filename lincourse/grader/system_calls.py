"""The system calls that a sandbox may make; the kernel refuses every other.

A notebook computes, prints, and reads and writes files of its own. What is listed here is what
Python, NumPy, Matplotlib and a shell command need for that. What is absent is absent on purpose:

- sockets, but for pairs within the sandbox (asyncio needs one), and passing descriptors through
  them, which would keep more of them than the limit on descriptors counts;
- memory that no process is charged for: memfd, System V segments and queues, shared anonymous
  maps, huge pages, pipes made larger, io_uring, buffers set by ``setsockopt``;
- whatever another sandbox could notice on a file that both see: owners, attributes, locks, leases,
  inotify (times and modes: below);
- namespaces, mounts, keys, tracing, other processes' memory, bpf, performance counters, clocks.

libseccomp turns the list into a program for this machine's processor, and ``bwrap --seccomp``
loads that program.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
import tempfile

CALLS = {
    "memory": "brk munmap mremap mprotect madvise mincore membarrier",
    "files": """
        open openat creat close close_range read write readv writev pread64 pwrite64 preadv pwritev
        sendfile copy_file_range lseek stat fstat lstat newfstatat statx statfs fstatfs access
        faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir mkdir
        mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat truncate ftruncate
        fsync fdatasync fadvise64 umask dup dup2 dup3 pipe pipe2 getxattr lgetxattr fgetxattr
        listxattr llistxattr flistxattr
    """,
    "waiting": """
        poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
        epoll_pwait2 eventfd2 futex nanosleep clock_nanosleep pause alarm getitimer setitimer
        restart_syscall
    """,
    "reading the clock and the machine": """
        clock_gettime clock_getres gettimeofday time times uname sysinfo getrandom getcpu getrusage
        sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
        sched_get_priority_min getpriority getrlimit setrlimit prlimit64
    """,
    "processes": """
        fork vfork execve exit exit_group wait4 waitid kill tkill tgkill getpid getppid gettid
        getpgrp getpgid setpgid getsid setsid set_tid_address set_robust_list get_robust_list rseq
        arch_prctl
    """,
    "signals": """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait
        sigaltstack
    """,
    "who this is, and giving up rights": """
        getuid geteuid getgid getegid getgroups getresuid getresgid setgroups setresuid setresgid
        capget
    """,
    "the sandbox's own pairs of sockets": """
        sendto recvfrom shutdown getsockname getpeername getsockopt
    """,
}
# What copying a file ends with. It is not done, because another sandbox would see it on a file that
# both see, and it is said to be done, so that ``shutil.copy`` goes on.
DONE_WITHOUT = "chmod fchmod fchmodat utimensat"
# fcntl: duplicate a descriptor, read and set its flags. No locks, leases or sizes of pipes.
FCNTL = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_DUP_CLOEXEC": 1030,
}
# ioctl: is it a terminal, its size, how much can be read, do not wait, close when executing.
IOCTL = {
    "TCGETS": 0x5401,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
PRCTL = {"PR_SET_NAME": 15, "PR_GET_NAME": 16}
MAP_SHARED, MAP_PRIVATE, MAP_TYPE = 0x01, 0x02, 0x0F
MAP_ANONYMOUS, MAP_HUGETLB = 0x20, 0x40000
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
NEW_NAMESPACES = 0x7E020000


class NoFilterError(Exception):
    """The filter cannot be made on this machine, and why."""


@functools.cache
def program() -> bytes:
    """Return the filter as ``bwrap --seccomp`` reads it; NoFilterError where there is none."""
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError) as problem:
        raise NoFilterError("libseccomp is not there") from problem

    made = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))

    def exists(call: str) -> bool:
        """Whether this processor has a call: newer ones lack the oldest."""
        return bool(seccomp.resolve_syscall(seccomp.system_arch(), call) >= 0)

    def allow(call: str, *conditions: seccomp.Arg) -> None:
        if exists(call):
            made.add_rule(seccomp.ALLOW, call, *conditions)

    def masked(argument: int, mask: int, value: int) -> seccomp.Arg:
        return seccomp.Arg(argument, seccomp.MASKED_EQ, mask, value)

    for names in CALLS.values():
        for name in names.split():
            allow(name)
    for name in DONE_WITHOUT.split():
        if exists(name):
            made.add_rule(seccomp.ERRNO(0), name)
    for call, argument, values in (("fcntl", 1, FCNTL), ("ioctl", 1, IOCTL), ("prctl", 0, PRCTL)):
        for value in values.values():
            allow(call, seccomp.Arg(argument, seccomp.EQ, value))
    # Shared memory is that of a file: files are counted by the size of their file system.
    allow("mmap", masked(3, MAP_TYPE | MAP_HUGETLB, MAP_PRIVATE))
    allow("mmap", masked(3, MAP_TYPE | MAP_ANONYMOUS | MAP_HUGETLB, MAP_SHARED))
    allow("clone", masked(0, NEW_NAMESPACES, 0))
    allow("socketpair", seccomp.Arg(0, seccomp.EQ, socket.AF_UNIX))
    # The flags of clone3 lie in memory, where no filter sees them; told that this kernel does not
    # have it, the C library falls back to clone.
    made.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")

    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def opened() -> int:
    """Return a descriptor from which bubblewrap reads the filter."""
    reading, writing = os.pipe()
    # It fits into the pipe: a filter has at most 4096 steps of 8 bytes, a pipe holds 64 kB.
    os.write(writing, program())
    os.close(writing)
    return reading
