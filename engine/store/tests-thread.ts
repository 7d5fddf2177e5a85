import { parentPort, workerData } from 'node:worker_threads'
import { readTestsTable } from './tables.ts'

/** What this thread is started with; it answers with a Table. */
export type TestsTask = { path: string; sha256: string }

const { path, sha256 } = workerData as TestsTask
parentPort!.postMessage(await readTestsTable(path, sha256))
