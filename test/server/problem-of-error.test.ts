import { expect, test } from 'vitest'
import { asProblem, PROBLEMS } from '../../server/http/problems.ts'

test("a system's error is a problem that says whether to wait, and never a path", () => {
  const told = (code: string, message = 'of /data/exports') => {
    const { code: problem, message: detail } = asProblem(Object.assign(new Error(message), { code }))
    return `${PROBLEMS[problem].status} ${PROBLEMS[problem].slug}: ${detail}`
  }
  expect(told('EROFS')).toBe('503 store-away: The disk of studies and jobs is read-only.')
  expect(told('', 'IO Error: Cannot open file: Read-only file system')).toBe(told('EROFS'))
  expect(told('ENOSPC')).toBe('507 disk-full: Not enough free disk space for another file.')
  expect(told('EMFILE')).toMatch(/^503 overloaded: /)
  expect(told('ENOENT')).toMatch(/^500 internal-error: /)
})
