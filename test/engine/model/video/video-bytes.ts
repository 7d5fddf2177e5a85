/** Videos by hand: headers as the standards have them, without pictures that could be played. */

const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const text = (value: string) => Buffer.from(value, 'latin1')

export function box(type: string, ...content: Buffer[]): Buffer {
  const inside = Buffer.concat(content)
  return Buffer.concat([u32(8 + inside.length), text(type), inside])
}

/** Upright, and turned by a quarter. */
const MATRIX = { upright: [1, 0, 0, 1], turned: [0, 1, -1, 0] }

export type Mp4 = {
  width: number
  height: number
  /** Units of 1000 a second. */
  duration: number
  frames: number
  isTurned?: boolean
  hasSound?: boolean
  /** Runs of frames, each of 40 units, in fragments. */
  fragments?: number[]
}

export function mp4({ width, height, duration, frames, isTurned = false, hasSound = false, fragments }: Mp4): Buffer {
  const [a, b, c, d] = isTurned ? MATRIX.turned : MATRIX.upright
  const fixed = [a, b, 0, c, d, 0, 0, 0].map((value) => u32((value * 65_536) >>> 0))
  const matrix = Buffer.concat([...fixed, u32(0x40000000)])
  const tkhd = (id: number) =>
    box(
      'tkhd',
      u32(3),
      u32(0),
      u32(0),
      u32(id),
      u32(0),
      u32(duration),
      Buffer.alloc(16),
      matrix,
      u32(width * 65_536),
      u32(height * 65_536),
    )
  const mdhd = box('mdhd', u32(0), u32(0), u32(0), u32(1000), u32(duration), u32(0))
  const hdlr = (kind: string) => box('hdlr', u32(0), u32(0), text(kind), Buffer.alloc(12))
  const stsz = box('stsz', u32(0), u32(10), u32(frames))
  const trak = (id: number, kind: string) =>
    box('trak', tkhd(id), box('mdia', mdhd, hdlr(kind), box('minf', box('stbl', stsz))))
  const trex = box('trex', u32(0), u32(2), u32(1), u32(40), u32(0), u32(0))
  const moov = box(
    'moov',
    box('mvhd', Buffer.alloc(100)),
    ...(hasSound ? [trak(1, 'soun')] : []),
    trak(2, 'vide'),
    ...(fragments ? [box('mvex', trex)] : []),
  )
  let start = 0
  const moofs = (fragments ?? []).map((count) => {
    const tfdt = box('tfdt', u32(0), u32(start))
    start += count * 40
    return box('moof', box('traf', box('tfhd', u32(0), u32(2)), tfdt, box('trun', u32(0), u32(count))))
  })
  return Buffer.concat([box('ftyp', text('isom'), u32(0)), moov, ...moofs, box('mdat', Buffer.alloc(64))])
}

export function element(id: number, ...content: Buffer[]): Buffer {
  const inside = Buffer.concat(content)
  const hex = id.toString(16)
  const size = u32(inside.length)
  size[0] |= 0x10
  return Buffer.concat([Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'), size, inside])
}

/** The same, of a size that is not known, as a recorder writes it. */
export function openElement(id: number, ...content: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(id.toString(16), 'hex'), Buffer.from('01ffffffffffffff', 'hex'), ...content])
}

export type Webm = {
  width: number
  height: number
  /** null where only frames tell. */
  durationMs: number | null
  frameNs?: number
  /** Times at which frames are shown, ms, in clusters of a second. */
  framesMs: number[]
  docType?: string
}

export function webm({ width, height, durationMs, frameNs, framesMs, docType = 'webm' }: Webm): Buffer {
  const double = Buffer.alloc(8)
  double.writeDoubleBE(durationMs ?? 0)
  const info = element(
    0x1549a966,
    element(0x2ad7b1, u32(1_000_000)),
    ...(durationMs === null ? [] : [element(0x4489, double)]),
  )
  const track = element(
    0xae,
    element(0xd7, Buffer.from([1])),
    element(0x83, Buffer.from([1])),
    ...(frameNs ? [element(0x23e383, u32(frameNs))] : []),
    element(0xe0, element(0xb0, u16(width)), element(0xba, u16(height))),
  )
  const clusters = [...new Set(framesMs.map((ms) => Math.floor(ms / 1000)))].map((second) =>
    openElement(
      0x1f43b675,
      element(0xe7, u32(second * 1000)),
      ...framesMs
        .filter((ms) => Math.floor(ms / 1000) === second)
        .map((ms) => element(0xa3, Buffer.from([0x81]), u16(ms - second * 1000), Buffer.alloc(9))),
    ),
  )
  const head = element(0x1a45dfa3, element(0x4282, text(docType)))
  return Buffer.concat([head, openElement(0x18538067, info, element(0x1654ae6b, track), ...clusters)])
}
