# snag and the compilers that it drives:  docker build -t snag . && docker run -v "$PWD:/src" snag snag doctor
FROM debian:12 AS build
COPY . /snag
WORKDIR /snag
RUN apt-get update && scripts/setup.sh && make && make install PREFIX=/usr/local DESTDIR=/out

FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends gcc g++ gfortran clang libomp-dev libc6-dev \
	libdw1 libelf1 libjansson4 libzstd1 zlib1g gdb && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /
WORKDIR /src
