import { CUT_SHORT, VideoFault, type VideoReader } from './reader.ts'

/** A box of an MP4 (ISO/IEC 14496-12): its type, and the range of its content. */
type Box = { type: string; start: number; end: number }

type Track = {
  id: number
  widthPx: number
  heightPx: number
  /** Units per second. */
  timescale: number
  /** In units; 0 if only fragments give it. */
  duration: number
  frames: number
}

/** Reads the header of an MP4 and, if it lacks the duration, its fragments. */
export async function mp4Facts(bytes: VideoReader) {
  const top = await boxesIn(bytes, { type: 'file', start: 0, end: bytes.sizeBytes })
  const moov = find(top, 'moov')
  if (moov === undefined) throw new VideoFault('must have a header (moov)')
  const boxes = await boxesIn(bytes, moov)
  let track: Track | null = null
  for (const trak of boxes.filter(({ type }) => type === 'trak')) track ??= await videoTrack(bytes, trak)
  if (track === null) throw new VideoFault('must have a video track')
  const { id, widthPx, heightPx, timescale } = track
  const mvex = find(boxes, 'mvex')
  const added =
    mvex === undefined
      ? { duration: 0, frames: 0 }
      : await ofFragments(bytes, top, await defaultOf(bytes, mvex, id), id)
  const duration = Math.max(track.duration, added.duration)
  const frames = track.frames + added.frames
  const seconds = timescale > 0 ? duration / timescale : 0
  return {
    widthPx,
    heightPx,
    durationMs: seconds * 1000,
    frameRateHz: frames > 0 && seconds > 0 ? frames / seconds : null,
  }
}

/** Lists the boxes inside another. */
async function boxesIn(bytes: VideoReader, { start, end }: Box): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    bytes.count()
    const head = await bytes.at(at, 8)
    const type = head.toString('latin1', 4, 8)
    const short = head.readUInt32BE(0)
    const isLong = short === 1
    const size = isLong ? Number((await bytes.at(at + 8, 8)).readBigUInt64BE()) : short === 0 ? end - at : short
    const content = at + (isLong ? 16 : 8)
    if (at + size < content) throw new VideoFault(`must have boxes as large as their headers say: ${type} is not`)
    if (at + size > end) throw new VideoFault(CUT_SHORT)
    boxes.push({ type, start: content, end: at + size })
    at += size
  }
  return boxes
}

function find(boxes: Box[], type: string): Box | undefined {
  return boxes.find((box) => box.type === type)
}

/** Follows a path of boxes; undefined if one is missing. */
async function follow(bytes: VideoReader, from: Box, ...path: string[]): Promise<Box | undefined> {
  let box: Box | undefined = from
  for (const type of path) if (box !== undefined) box = find(await boxesIn(bytes, box), type)
  return box
}

async function videoTrack(bytes: VideoReader, trak: Box): Promise<Track | null> {
  const hdlr = await follow(bytes, trak, 'mdia', 'hdlr')
  if (hdlr === undefined || (await bytes.at(hdlr.start + 8, 4)).toString('latin1') !== 'vide') return null
  const [tkhd, mdhd, stsz] = [
    await follow(bytes, trak, 'tkhd'),
    await follow(bytes, trak, 'mdia', 'mdhd'),
    await follow(bytes, trak, 'mdia', 'minf', 'stbl', 'stsz'),
  ]
  if (tkhd === undefined || mdhd === undefined)
    throw new VideoFault('must give the size and duration of its video track')
  const isLong = (await bytes.at(tkhd.start, 1))[0] === 1
  const id = (await bytes.at(tkhd.start + (isLong ? 20 : 12), 4)).readUInt32BE()
  const shown = await bytes.at(tkhd.start + (isLong ? 52 : 40), 44)
  const [width, height] = [shown.readUInt32BE(36) / 65_536, shown.readUInt32BE(40) / 65_536].map(Math.round)
  // A camera that was held upright rotates its picture by 90°: the matrix has zeros on its diagonal.
  const isTurned = shown.readInt32BE(0) === 0 && shown.readInt32BE(16) === 0 && shown.readInt32BE(4) !== 0
  const [widthPx, heightPx] = isTurned ? [height, width] : [width, height]
  const frames = stsz === undefined ? 0 : (await bytes.at(stsz.start + 8, 4)).readUInt32BE()
  return { id, widthPx, heightPx, frames, ...(await timesOf(bytes, mdhd)) }
}

/** Reads the timescale and the duration of a header; all ones means no duration. */
async function timesOf(bytes: VideoReader, { start }: Box): Promise<{ timescale: number; duration: number }> {
  if ((await bytes.at(start, 1))[0] === 1) {
    const times = await bytes.at(start + 20, 12)
    const duration = times.readBigUInt64BE(4)
    return { timescale: times.readUInt32BE(0), duration: duration === 2n ** 64n - 1n ? 0 : Number(duration) }
  }
  const times = await bytes.at(start + 12, 8)
  const duration = times.readUInt32BE(4)
  return { timescale: times.readUInt32BE(0), duration: duration === 2 ** 32 - 1 ? 0 : duration }
}

/** Returns the default duration of a track's frames, for fragments without their own. */
async function defaultOf(bytes: VideoReader, mvex: Box, id: number): Promise<number> {
  for (const { type, start } of await boxesIn(bytes, mvex))
    if (type === 'trex' && (await bytes.at(start + 4, 4)).readUInt32BE() === id)
      return (await bytes.at(start + 12, 4)).readUInt32BE()
  return 0
}

/** Returns the end of the last fragment of a track, in its units, and the number of frames of all fragments. */
async function ofFragments(bytes: VideoReader, top: Box[], frameDuration: number, id: number) {
  const all = { duration: 0, frames: 0 }
  for (const moof of top.filter(({ type }) => type === 'moof'))
    for (const traf of (await boxesIn(bytes, moof)).filter(({ type }) => type === 'traf')) {
      const boxes = await boxesIn(bytes, traf)
      const tfhd = find(boxes, 'tfhd')
      if (tfhd === undefined || (await bytes.at(tfhd.start + 4, 4)).readUInt32BE() !== id) continue
      const tfdt = find(boxes, 'tfdt')
      let end = tfdt === undefined ? all.duration : await startOf(bytes, tfdt)
      const own = (await ownDefault(bytes, tfhd)) ?? frameDuration
      for (const trun of boxes.filter(({ type }) => type === 'trun')) {
        const run = await runOf(bytes, trun, own)
        end += run.duration
        all.frames += run.frames
      }
      all.duration = Math.max(all.duration, end)
    }
  return all
}

async function startOf(bytes: VideoReader, { start }: Box): Promise<number> {
  const isLong = (await bytes.at(start, 1))[0] === 1
  return isLong
    ? Number((await bytes.at(start + 4, 8)).readBigUInt64BE())
    : (await bytes.at(start + 4, 4)).readUInt32BE()
}

/** Returns the frame duration that a fragment gives for all of its frames; null if it gives none. */
async function ownDefault(bytes: VideoReader, { start }: Box): Promise<number | null> {
  const flags = (await bytes.at(start, 4)).readUInt32BE()
  if ((flags & 0x8) === 0) return null
  const before = (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)
  return (await bytes.at(start + 8 + before, 4)).readUInt32BE()
}

/** Sums the durations of the frames of a run. */
async function runOf(bytes: VideoReader, { start, end }: Box, frameDuration: number) {
  const head = await bytes.at(start, 8)
  const [flags, frames] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  if ((flags & 0x100) === 0) return { frames, duration: frames * frameDuration }
  const first = start + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0)
  const fieldBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
  if (first + frames * fieldBytes > end) throw new VideoFault(CUT_SHORT)
  let duration = 0
  for (let i = 0; i < frames; i++) {
    bytes.count()
    duration += (await bytes.at(first + i * fieldBytes, 4)).readUInt32BE()
  }
  return { frames, duration }
}
