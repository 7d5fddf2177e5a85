import { randomUUID } from 'node:crypto'

/** A place of its own in the bucket of Ceph's gateway; null unless the tests run beside one, by `ceph.sh`. */
export function placeInCeph(): string | null {
  const url = process.env.CEPH_URL
  return url === undefined ? null : url.replace('/gazette?', `/${randomUUID()}?`)
}
