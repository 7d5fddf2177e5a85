import { createHash } from 'node:crypto'
import type { Manifest } from '../model/study.ts'
import { FORMAT_VERSION } from '../storage/files/data-format.ts'

/** The origin of a snapshot, from which its id is made. */
export type Origin = { bundle: Record<string, string>; parentId: string | null }

/** Causes of a new snapshot other than a bundle's files; manifests name them among those files. */
export type Cause =
  | 'created'
  | 'added participants'
  | 'changed participant'
  | 'removed participant'
  | 'merged samples'
  | 'undone'
  | `images/${string}`

/**
 * Returns the origin of a snapshot that a request makes.
 *
 * @param studyJson SHA-256 of its description
 * @param cause and the SHA-256 of what came, went or changed; none for a description alone
 */
export function originOf(studyJson: string, parentId: string | null, ...causes: [Cause, string][]): Origin {
  return { bundle: { 'study.json': studyJson, ...Object.fromEntries(causes) }, parentId }
}

/** Returns the origin of a snapshot that keeps the description of its parent. */
export function originAfter({ bundle, snapshotId }: Manifest, cause: Cause, sha256: string): Origin {
  return originOf(bundle['study.json'], snapshotId, [cause, sha256])
}

/** Returns the SHA-256, in hex, of the format version, the hashes of the bundle's files, and the id of the parent. */
export function snapshotIdOf({ bundle, parentId }: Origin): string {
  const files = Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([FORMAT_VERSION, files, parentId]))
    .digest('hex')
}

/** Returns the SHA-256, in hex, of text, bytes, or anything else as JSON. */
export function sha256Of(what: string | Uint8Array | object): string {
  const isPlain = typeof what === 'string' || what instanceof Uint8Array
  return createHash('sha256')
    .update(isPlain ? what : JSON.stringify(what))
    .digest('hex')
}
