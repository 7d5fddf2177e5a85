import { openAsBlob } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { smallBundle, uuid, writeBundle } from '../engine/import/bundles.ts'
import { mp4 } from '../engine/model/video/video-bytes.ts'
import { gazette, launch, type Running } from './gazette.ts'

/**
 * A video of hundreds of MB as an item: the program streams it in and out, on a disk and over a store of objects, and
 * its memory does not grow with the video.
 */
const VIDEO_BYTES = 300 * 2 ** 20
/** Memory that requests for pieces may take, far less than the video. */
const GROWN_MAX_BYTES = 120 * 2 ** 20
const STUDY = smallBundle().study.id as string
const IMAGE = `/api2/studies/${STUDY}/items/${uuid('1', 1)}/image`

let dir: string
let running: Running | null = null
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-large-video-'))
})
afterEach(async () => {
  running?.killNow()
  await running?.ended
  running = null
  await rm(dir, { recursive: true, force: true })
})

/** Writes a header and a body of zeros, which take no room on the disk. */
async function writeVideo(): Promise<string> {
  const head = mp4({ width: 1000, height: 500, duration: 4000, frames: 100 })
  const mdat = Buffer.alloc(8)
  mdat.writeUInt32BE(VIDEO_BYTES - head.length)
  mdat.write('mdat', 4, 'latin1')
  const path = join(dir, 'clip.mp4')
  const file = await open(path, 'w')
  await file.write(Buffer.concat([head, mdat]))
  await file.truncate(VIDEO_BYTES)
  await file.close()
  return path
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024
}

/** Starts the program on a data directory of that name. @returns its address, and the memory that it has had */
async function start(name: string, settings: Record<string, string>) {
  running = launch(['start', '--data', join(dir, name)], { PORT: '0', ENGINE_THREADS: '1', ...settings })
  const [, url] = await running.said(/listening on (\S+)/)
  return { url, memory: () => residentBytes(running!.process.pid!) }
}

async function stop() {
  running!.process.kill('SIGTERM')
  await running!.ended
  running = null
}

describe.each([
  ['a disk', () => ({})],
  ['a store of objects', () => ({ STORE_URL: pathToFileURL(join(dir, 'store')).href })],
])('a video of 300 MiB on %s', (_, settingsOf) => {
  test('comes and goes by pieces, in little memory', async () => {
    const settings: Record<string, string> = settingsOf()
    const video = await writeVideo()
    const bundle = await writeBundle(join(dir, 'bundle'), smallBundle())
    expect(await gazette(['import', bundle, '--data', join(dir, 'first')], settings)).toMatchObject({ code: 0 })
    const made = await gazette(['token', 'create', '--role', 'write', '--data', join(dir, 'first')], settings)
    const token = made.stdout.trim().split(/\s+/)[0]
    const headers = { 'x-auth-token': token }
    const first = await start('first', settings)
    const before = await first.memory()
    const body = await openAsBlob(video, { type: 'video/mp4' })
    const sent = await fetch(`${first.url}${IMAGE}?rename=true`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'video/mp4', 'if-match': '*' },
      body,
    })
    expect([sent.status, await sent.text()]).toEqual([200, expect.anything()])
    expect((await first.memory()) - before).toBeLessThan(GROWN_MAX_BYTES)
    await stop()
    // Nothing of it is in memory or in a cache.
    await rm(join(dir, 'first', 'cache'), { recursive: true, force: true })
    const again = await start('first', settings)
    const idle = await again.memory()
    const piece = async (range: string) => {
      const answer = await fetch(again.url + IMAGE, { headers: { ...headers, range } })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return [answer.status, answer.headers.get('content-range'), bytes.length]
    }
    const last = VIDEO_BYTES - 1
    const startedMs = performance.now()
    expect(await piece('bytes=0-1023')).toEqual([206, `bytes 0-1023/${VIDEO_BYTES}`, 1024])
    console.log('first piece after ms', Math.round(performance.now() - startedMs))
    expect(await piece('bytes=-1000')).toEqual([206, `bytes ${VIDEO_BYTES - 1000}-${last}/${VIDEO_BYTES}`, 1000])
    const middle = Array.from({ length: 8 }, (_, i) => 1e7 * (i + 1))
    await Promise.all(
      middle.map(async (from) => expect((await piece(`bytes=${from}-${from + 99_999}`))[2]).toBe(100_000)),
    )
    // A browser that plays reads on, and leaves when somebody seeks.
    const playing = new AbortController()
    const whole = await fetch(again.url + IMAGE, { headers, signal: playing.signal })
    expect(whole.headers.get('content-length')).toBe(String(VIDEO_BYTES))
    await whole.body!.getReader().read()
    playing.abort()
    expect(await piece('bytes=200000000-200000009')).toEqual([206, `bytes 200000000-200000009/${VIDEO_BYTES}`, 10])
    console.log('memory grown MiB', Math.round(((await again.memory()) - idle) / 2 ** 20))
    expect((await again.memory()) - idle).toBeLessThan(GROWN_MAX_BYTES)
    expect((await stat(video)).size).toBe(VIDEO_BYTES)
  }, 300_000)
})
