"""The image of the docker backend: small, without compiler, network program or setuid file."""

from __future__ import annotations

import shutil
from contextlib import closing

import docker
import pytest

from gym_desks.sandbox import image as images

COMPILERS = "gcc cc g++ clang tcc ld as make rustc go perl"
NETWORK = "curl wget nc ncat ssh scp git ping telnet socat ip ifconfig pip pip3 apt dpkg"
PRESENT = "python3 bash cat ls cp mv rm grep sed awk find sort head tail wc tar diff"


pytestmark = pytest.mark.parametrize("backend_name", ["docker"], indirect=True, scope="session")


@pytest.fixture(scope="module")
def box(backend):
    box = backend.open()
    yield box
    box.close()


def absent(box, programs: str) -> list[str]:
    asking = f"for p in {programs}; do type -P $p >/dev/null || echo $p; done"
    return box.bash(asking).stdout.split()


@pytest.mark.parametrize("programs", [COMPILERS, NETWORK], ids=["compilers", "network"])
def test_a_program_that_helps_an_attack_is_absent(box, programs):
    assert absent(box, programs) == programs.split()


def test_the_programs_of_ordinary_work_are_there(box):
    assert absent(box, PRESENT) == []


def test_no_file_gives_its_caller_another_identity(box):
    found = box.bash("find / -xdev -perm /6000 -type f 2>/dev/null; getcap -r / 2>/dev/null")
    assert found.stdout == ""


def test_nothing_of_the_system_is_writable_or_ours(box):
    writable = box.bash(
        "find / -path /proc -prune -o -path /sys -prune -o -path /dev -prune -o"
        " -writable -not -type l -print 2>/dev/null"
    ).stdout.split()
    assert sorted(writable) == ["/desk", "/tmp"]
    ours = box.bash("find / -xdev \\( -iname '*gym[-_]desks*' -o -name site-packages \\)").stdout
    assert ours == ""


def test_third_party_packages_are_absent(box):
    listing = (
        "import importlib.metadata as m, sys\n"
        "print(sorted(d.name for d in m.distributions()))\n"
        "print([p for p in sys.path if 'packages' in p])"
    )
    assert box.python(listing).stdout == "[]\n[]\n"


def test_the_image_that_is_there_is_not_built_again(box):
    with closing(docker.from_env()) as client:
        tag = images.ensure_image(client)
        before = client.images.get(tag).id
        assert images.ensure_image(client) == tag
        assert client.images.get(tag).id == before


@pytest.mark.slow
def test_building_from_debian_packages_twice_gives_one_tag(box):
    """The tag is the digest of what goes in: the same packages are the same image."""
    if shutil.which("apt-get") is None:
        pytest.skip("needs apt")
    assert images.build_image("debs") == images.build_image("debs")
