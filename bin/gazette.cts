#!/usr/bin/env node
// CommonJS on purpose, since this must run before anything uses libuv's threads. Each DuckDB query occupies one of
// them, so with the default of four, file I/O would wait for seconds behind queries.
process.env.UV_THREADPOOL_SIZE ??= '24'

// Node 22.8 and newer cache compiled code, which saves a quarter of the start-up time. The cache is beside the code:
// into a folder that everybody can write, others could plant code. If it cannot be written, Node goes on without it.
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, '..', '.compile-cache'))

// Silences the client of object stores, whose version is pinned: it would tell users of Node 20 when later versions
// drop support.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

// Only the service's user may read the files of the service; the output files of these commands belong to the user who
// ran them.
if (!['export', 'compose', 'convert'].includes(process.argv[2])) process.umask(0o077)

// While the program is loading, there is nothing to clean up: on a signal, a server exits with 0, and a command with
// failure unless its work is already done.
const code = ['start', 'serve', 'work'].includes(process.argv[2]) ? 0 : 1
const endAtOnce = () => process.exit(process.exitCode ?? code)
process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce)
// Node no longer ignores what `nohup` made it ignore; bash and zsh tell that they started it (terminal/parents.ts).
const isByNohup = /(^|\/)nohup$/.test(process.env._ ?? '') && process.env.npm_lifecycle_event === undefined
process.on('SIGHUP', isByNohup ? () => {} : endAtOnce)

// The work is done. For some 10 ms of its own cleanup, Node would handle no signal, and be killed by one.
process.on('beforeExit', () => process.exit())

import('./command-line.js')
  .then(({ main }) => main(process.argv, endAtOnce))
  .catch((error) => {
    // Node reads its own files and ours: with too few file descriptors, not even the command line can be loaded.
    if (!['EMFILE', 'ENFILE'].includes(error?.code)) throw error
    console.error('gazette: the process may open too few files: at least 256 are needed (ulimit -n)')
    process.exit(1)
  })
