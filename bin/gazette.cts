#!/usr/bin/env node
// CommonJS on purpose: it runs before anything uses libuv's threads. A query of DuckDB holds one, so that with the
// default of four, file I/O would wait for seconds behind queries.
process.env.UV_THREADPOOL_SIZE ??= '24'

// Node 22.8 and newer cache compiled code, which saves a quarter of the time to start. The cache lies beside the code:
// in a folder for all, others could plant code. Where it cannot be written, Node goes on without it.
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, '..', '.compile-cache'))

// The client of object stores, whose version is pinned, would tell users of Node 20 when its next ones stop.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

// What the service writes is for its own user alone; what these write is for whoever asked.
if (!['export', 'compose', 'convert'].includes(process.argv[2])) process.umask(0o077)

// While the program is still loaded there is nothing to tidy up: a server that is stopped is done, a command has
// failed, unless its work is done already.
const code = ['start', 'serve', 'work'].includes(process.argv[2]) ? 0 : 1
const endAtOnce = () => process.exit(process.exitCode ?? code)
process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce)

// All is done by then. Node would listen to nobody while it tidies up, for some 10 ms, and die of a signal that comes
// then.
process.on('beforeExit', () => process.exit())

import('./command-line.js')
  .then(({ main }) => main(process.argv, endAtOnce))
  .catch((error) => {
    // Node reads files of its own and ours: with too few, not even the command line can be loaded.
    if (!['EMFILE', 'ENFILE'].includes(error?.code)) throw error
    console.error('gazette: the system lets this process open too few files: 256 at least are needed (ulimit -n)')
    process.exit(1)
  })
