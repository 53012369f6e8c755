"""The system call filter of every sandbox, as classic BPF for x86_64 and aarch64.

It closes what namespaces leave open. Network namespaces do not cover AF_VSOCK, so only Unix
and INET sockets can be made; io_uring can open sockets past a filter, System V objects
outlive the processes of a call, and new namespaces would bring capabilities back. Process 1
has the same user as its children, so what would change another process is refused. A call
from any other instruction set ends the process. The runner loads the filter, so it is the
same one whatever started the runner.
"""

from __future__ import annotations

import errno
import struct

AUDIT_X86_64 = 0xC000003E
AUDIT_AARCH64 = 0xC00000B7
X32_BIT = 0x40000000
NEW_NAMESPACES = 0x7E020000

ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000

AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10

# name: (x86_64, aarch64); None where the architecture has no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
# Calls by which a process can hamper another of the same user, such as process 1: allowed
# when these arguments have these values, which mean the caller itself.
SELF_ONLY: dict[str, tuple[tuple[int, int], dict[int, int]]] = {
    "ioprio_set": ((251, 30), {0: 1, 1: 0}),
    "prlimit64": ((302, 261), {0: 0}),
    "sched_setaffinity": ((203, 122), {0: 0}),
    "sched_setattr": ((314, 274), {0: 0}),
    "sched_setparam": ((142, 118), {0: 0}),
    "sched_setscheduler": ((144, 119), {0: 0}),
    "setpriority": ((141, 140), {0: 0, 1: 0}),
}
CLONE = (56, 220)
CLONE3 = (435, 435)
SOCKET = (41, 198)
SOCKETPAIR = (53, 199)

_Instruction = tuple[int, int, int, int]

_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def program() -> bytes:
    """Return the filter as the kernel reads it: an array of struct sock_filter."""
    x86 = [_load(_NUMBER), *_when_at_least(X32_BIT, _refused(errno.ENOSYS)), *_table(0)]
    arm = [_load(_NUMBER), *_table(1)]
    head = [
        _load(_ARCHITECTURE),
        *_when(AUDIT_X86_64, [_skip(3)]),
        *_when(AUDIT_AARCH64, [_skip(1 + len(x86))]),
        _return(KILL),
    ]
    return b"".join(struct.pack("=HBBI", *one) for one in (*head, *x86, *arm))


def _table(machine: int) -> list[_Instruction]:
    rules: list[_Instruction] = []
    for number in sorted(n for pair in DENIED.values() if (n := pair[machine]) is not None):
        rules += _when(number, _refused(errno.EPERM))
    for numbers, arguments in SELF_ONLY.values():
        rules += _when(numbers[machine], _these_values(arguments))
    rules += _when(CLONE3[machine], _refused(errno.ENOSYS))
    rules += _when(CLONE[machine], _without_namespaces())
    for call in (SOCKET, SOCKETPAIR):
        rules += _when(call[machine], _known_families())
    return [*rules, _return(ALLOW)]


def _these_values(arguments: dict[int, int]) -> list[_Instruction]:
    checks: list[_Instruction] = []
    for place, value in arguments.items():
        differs = [(0x15, 1, 0, value), *_refused(errno.EPERM)]
        checks += [_load(_ARGUMENTS + 8 * place), *differs]
    return [*checks, _return(ALLOW)]


def _without_namespaces() -> list[_Instruction]:
    return [
        _load(_ARGUMENTS),
        (0x45, 0, 1, NEW_NAMESPACES),
        *_refused(errno.EPERM),
        _return(ALLOW),
    ]


def _known_families() -> list[_Instruction]:
    families = (AF_UNIX, AF_INET, AF_INET6)
    return [
        _load(_ARGUMENTS),
        *((0x15, len(families) - place, 0, family) for place, family in enumerate(families)),
        *_refused(errno.EAFNOSUPPORT),
        _return(ALLOW),
    ]


def _when(value: int, then: list[_Instruction]) -> list[_Instruction]:
    return [(0x15, 0, len(then), value), *then]


def _when_at_least(value: int, then: list[_Instruction]) -> list[_Instruction]:
    return [(0x35, 0, len(then), value), *then]


def _load(offset: int) -> _Instruction:
    return (0x20, 0, 0, offset)


def _skip(count: int) -> _Instruction:
    return (0x05, 0, 0, count)


def _return(action: int) -> _Instruction:
    return (0x06, 0, 0, action)


def _refused(error: int) -> list[_Instruction]:
    return [_return(REFUSE | error)]
