/** The threads that compute shards: one pool per process. (Implementation follows.) */
export type EnginePool = { threads: number; close: () => Promise<void> }

/** @param memoryMib DuckDB's memory, shared out among the threads */
export function createPool(_options: { threads: number; memoryMib: number }): EnginePool {
  throw new Error('not yet')
}
