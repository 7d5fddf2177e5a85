#!/usr/bin/env node
// CommonJS on purpose: it runs before anything uses libuv's threads. A query of DuckDB holds one, so that with the default of
// four, file I/O would wait for seconds behind queries.
process.env.UV_THREADPOOL_SIZE ??= '24'
import('./command-line.js').then(({ main }) => main(process.argv))
