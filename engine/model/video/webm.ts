import { CUT_SHORT, VideoFault, type VideoReader } from './reader.ts'

/** An element of EBML (RFC 8794): its id, and the range of its content; `end` is null if its size is unknown. */
type Element = { id: number; start: number; end: number | null }

/** Element ids of Matroska (RFC 9559). */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
}
const VIDEO = 1

type Track = { number: number; widthPx: number; heightPx: number; frameNs: number | null }

/** Reads the headers of a WebM; if they lack the duration, as in a recording, its blocks give it. */
export async function webmFacts(bytes: VideoReader) {
  const head = await elementAt(bytes, 0, bytes.sizeBytes)
  const docType = (await childrenOf(bytes, head)).get(ID.docType)
  if (docType === undefined || (await textOf(bytes, docType)) !== 'webm') throw new VideoFault('must be a WebM video')
  const segment = await elementAt(bytes, head.end ?? bytes.sizeBytes, bytes.sizeBytes)
  if (segment.id !== ID.segment) throw new VideoFault('must have a segment')
  const end = segment.end ?? bytes.sizeBytes
  let [scaleNs, durationUnits, track]: [number, number | null, Track | null] = [1e6, null, null]
  for (let at = segment.start; at < end; ) {
    const element = await elementAt(bytes, at, end)
    if (element.id === ID.info) {
      const found = await childrenOf(bytes, element)
      const [scale, duration] = [found.get(ID.timestampScale), found.get(ID.duration)]
      if (scale !== undefined) scaleNs = await integerOf(bytes, scale)
      if (duration !== undefined) durationUnits = await floatOf(bytes, duration)
    }
    if (element.id === ID.tracks) track = await videoTrack(bytes, element)
    if (element.id === ID.cluster) {
      if (track === null) break
      const { frameNs, number, ...size } = track
      const said = durationUnits === null ? null : (durationUnits * scaleNs) / 1e6
      if (said !== null && frameNs !== null) return { ...size, durationMs: said, frameRateHz: 1e9 / frameNs }
      const { lastMs, meanMs } = await timesOf(bytes, at, end, number, scaleNs)
      const frameMs = frameNs === null ? meanMs : frameNs / 1e6
      return { ...size, durationMs: said ?? lastMs + frameMs, frameRateHz: frameMs > 0 ? 1000 / frameMs : null }
    }
    if (element.end === null) throw new VideoFault('must give the size of its headers')
    at = element.end
  }
  throw new VideoFault(track === null ? 'must have a video track' : 'must have frames')
}

/** Reads the header of an element. @throws VideoFault if it is invalid, or ends after `end` */
async function elementAt(bytes: VideoReader, at: number, end: number): Promise<Element> {
  bytes.count()
  const head = await bytes.at(at, Math.min(12, end - at))
  const idBytes = lengthOf(head, 0)
  const sizeBytes = lengthOf(head, idBytes)
  if (idBytes > 4 || idBytes + sizeBytes > head.length) throw new VideoFault('must consist of EBML elements')
  const id = head.readUIntBE(0, idBytes)
  let size = head[idBytes] & (0xff >> sizeBytes)
  let isUnknown = size === 0xff >> sizeBytes
  for (let i = 1; i < sizeBytes; i++) {
    size = size * 256 + head[idBytes + i]
    isUnknown &&= head[idBytes + i] === 0xff
  }
  const start = at + idBytes + sizeBytes
  if (isUnknown) return { id, start, end: null }
  if (start + size > end) throw new VideoFault(CUT_SHORT)
  return { id, start, end: start + size }
}

/** Returns the number of bytes of a variable-size number; 9 if it is invalid. */
function lengthOf(head: Buffer, at: number): number {
  return Math.clz32(head[at] ?? 0) - 24 + 1
}

/** Returns the first element of each id inside another. */
async function childrenOf(bytes: VideoReader, { start, end }: Element): Promise<Map<number, Element>> {
  const children = new Map<number, Element>()
  for await (const child of eachIn(bytes, start, end)) if (!children.has(child.id)) children.set(child.id, child)
  return children
}

async function* eachIn(bytes: VideoReader, start: number, end: number | null): AsyncGenerator<Element> {
  if (end === null) throw new VideoFault('must give the size of its headers')
  for (let at = start; at < end; ) {
    const child = await elementAt(bytes, at, end)
    yield child
    at = child.end ?? end
  }
}

async function videoTrack(bytes: VideoReader, tracks: Element): Promise<Track | null> {
  for await (const entry of eachIn(bytes, tracks.start, tracks.end)) {
    if (entry.id !== ID.track) continue
    const found = await childrenOf(bytes, entry)
    const [type, number, video] = [found.get(ID.trackType), found.get(ID.trackNumber), found.get(ID.video)]
    if (type === undefined || number === undefined || (await integerOf(bytes, type)) !== VIDEO) continue
    if (video === undefined) throw new VideoFault('must give the size of its picture')
    const frame = found.get(ID.defaultDuration)
    const frameNs = frame === undefined ? 0 : await integerOf(bytes, frame)
    const size = await sizeOf(bytes, await childrenOf(bytes, video))
    return { number: await integerOf(bytes, number), ...size, frameNs: frameNs > 0 ? frameNs : null }
  }
  return null
}

/** Returns the displayed size of the picture: its display size in px, otherwise that of its pixels. */
async function sizeOf(bytes: VideoReader, video: Map<number, Element>) {
  const read = async (id: number) => (video.has(id) ? await integerOf(bytes, video.get(id)!) : 0)
  const isPx = (await read(ID.displayUnit)) === 0
  const [width, height] = [await read(ID.displayWidth), await read(ID.displayHeight)]
  return {
    widthPx: (isPx && width) || (await read(ID.pixelWidth)),
    heightPx: (isPx && height) || (await read(ID.pixelHeight)),
  }
}

/** Reads the time of the last frame of a track and the mean time between frames, in ms. */
async function timesOf(bytes: VideoReader, from: number, end: number, track: number, scaleNs: number) {
  let [first, last, frames, cluster] = [Number.POSITIVE_INFINITY, 0, 0, 0]
  for (let at = from; at < end; ) {
    const element = await elementAt(bytes, at, end)
    const isGroup = element.id === ID.cluster || element.id === ID.blockGroup
    if (element.id === ID.timestamp) cluster = await integerOf(bytes, element)
    if (element.id === ID.simpleBlock || element.id === ID.block) {
      const head = await bytes.at(element.start, Math.min(10, end - element.start))
      const numberBytes = lengthOf(head, 0)
      if (numberBytes > 4 || numberBytes + 2 > head.length) throw new VideoFault('must have blocks that name a track')
      if ((head.readUIntBE(0, numberBytes) & (2 ** (7 * numberBytes) - 1)) === track) {
        const time = cluster + head.readInt16BE(numberBytes)
        first = Math.min(first, time)
        last = Math.max(last, time)
        frames++
      }
    }
    if (!isGroup && element.end === null) throw new VideoFault('must give the sizes of its parts')
    at = isGroup ? element.start : element.end!
  }
  if (frames === 0) throw new VideoFault('must have frames')
  const msOf = (units: number) => (units * scaleNs) / 1e6
  return { lastMs: msOf(last), meanMs: frames > 1 ? msOf(last - first) / (frames - 1) : 0 }
}

async function integerOf(bytes: VideoReader, { start, end }: Element): Promise<number> {
  const length = end === null ? 0 : end - start
  if (length === 0 || length > 8) throw new VideoFault('must have numbers of 1 to 8 bytes')
  return Number(BigInt(`0x${(await bytes.at(start, length)).toString('hex')}`))
}

async function floatOf(bytes: VideoReader, { start, end }: Element): Promise<number> {
  const length = end === null ? 0 : end - start
  if (length !== 4 && length !== 8) throw new VideoFault('must have fractions of 4 or 8 bytes')
  const found = await bytes.at(start, length)
  return length === 4 ? found.readFloatBE() : found.readDoubleBE()
}

async function textOf(bytes: VideoReader, { start, end }: Element): Promise<string> {
  const length = Math.min(64, (end ?? start) - start)
  return (await bytes.at(start, length)).toString('latin1').replace(/\0+$/, '')
}
