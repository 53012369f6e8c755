# The image in which agents' code runs (target `sandbox`). The runner is not in it: it is handed
# over at the start, so any base with python3 (3.9 or newer), bash, coreutils, grep and find will
# do. No step needs a network. `gym-desks sandbox build` makes a base without a registry.
#
#   docker build --network none --target sandbox --build-arg BASE_IMAGE=python:3.12-slim .

ARG BASE_IMAGE=gym-desks-sandbox:latest
FROM ${BASE_IMAGE} AS sandbox
LABEL org.opencontainers.image.title="gym-desks-sandbox" \
      org.opencontainers.image.description="Python, bash and small programs for agents' code" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65534:65534
WORKDIR /desk
CMD ["python3"]
