import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openTokenUses } from '../../../engine/access/token-uses.ts'

test('uses of a token are noted once a minute, and again after the clock was set back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-uses-'))
  try {
    const uses = openTokenUses(dataDir)
    const noted = async (at: string) => expect((await uses.last('a'))?.toISOString()).toBe(`${at}.000Z`)
    uses.note('a', new Date('2031-01-01T00:00:00Z'))
    await vi.waitFor(() => noted('2031-01-01T00:00:00'))
    uses.note('a', new Date('2031-01-01T00:00:59Z'))
    uses.note('a', new Date('2026-01-01T00:00:00Z'))
    await vi.waitFor(() => noted('2026-01-01T00:00:00'))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
