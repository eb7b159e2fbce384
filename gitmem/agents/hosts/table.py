"""All hosts, for setup, doctor and the documentation; a hook finds its own in ``registry``."""

from __future__ import annotations

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import Host

HOSTS: tuple[Host, ...] = tuple(map(registry.find_host, registry.NAMES))
BY_NAME = {host.name: host for host in HOSTS}
PLUGIN_HOSTS = tuple(sorted(host.name for host in HOSTS if host.plugin))
