import { Worker } from 'node:worker_threads'
import type { Table } from '../table.ts'
import { threadFile } from '../thread-file.ts'
import type { TestsTask } from './tests-thread.ts'

/**
 * A snapshot's tests, read in a thread of their own: while it parses a large table others are answered, and what that leaves behind,
 * twice what the table takes, goes with the thread.
 *
 * @throws Error when the file is not what the manifest promises; a system's error
 */
export function readTestsAside(path: string, sha256: string): Promise<Table> {
  return new Promise((resolve, reject) => {
    const workerData: TestsTask = { path, sha256 }
    const thread = new Worker(threadFile('./store/tests-thread.js'), { workerData })
    let table: Table | null = null
    thread.on('message', (read: Table) => {
      table = read
    })
    thread.on('error', reject)
    thread.on('exit', () => (table ? resolve(table) : reject(new Error('the reading thread has ended'))))
  })
}
