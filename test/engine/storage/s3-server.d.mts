/** A fault for requests that match: each happens so often, and is then over. */
export type Fault = {
  /** The operation as S3 calls it, such as PutObject; without it, any. */
  on?: string
  key?: RegExp
  /**
   * 503: refused for the moment. 403: refused for good. 500: done, and answered as if not. 409: refused, as while
   * another writes the same. cut: half the body, then nothing.
   */
  kind: '503' | '500' | '403' | '409' | 'cut'
  times?: number
}

export type S3Server = {
  url: string
  bucket: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Objects by key. */
  objects: Map<string, Buffer>
  /** Requests: operation and key. */
  asked: string[]
  faults: Fault[]
  /** Uploads of parts that neither ended nor were given up. */
  openUploads: () => number
  /** Keys that lists do not have yet. */
  unlisted: Set<string>
  stop: () => Promise<void>
}

/** Starts a small server of S3 on loopback, for one bucket. */
export function startS3(options?: {
  bucket?: string
  region?: string
  /** Keys in a page of a list. */
  pageSize?: number
  /** True to ignore conditional writes, as some stores do, or to reject them as unknown. */
  conditions?: 'kept' | 'ignored' | 'unknown'
  /** Directory that persists objects; without it, they are in memory. `objects` then are no buffers. */
  directory?: string
  port?: number
  /** Time that each request takes besides. */
  latencyMs?: number
}): Promise<S3Server>
