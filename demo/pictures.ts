import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AoiPart, TimeRange } from '../engine/model/study.ts'

/** An item of the demo, before it has ids: a picture under a file name of its own. */
export type DemoItem = Picture & { filename: string }

type Picture = {
  /** Absolute path of its SVG. */
  path: string
  widthPx: number
  heightPx: number
  isScrolling: boolean
  isFinishOnKey: boolean
  isFinishOnClick: boolean
  question: string
  answers: string[]
  aois: { name: string; parts: AoiPart[] }[]
  regions: Region[]
}

/**
 * A region that attracts gaze: a box in item pixels with its pull, and how many lines of text it holds (0: a picture).
 */
export type Region = Box & { pull: number; lines: number; isButton: boolean }

type Box = { x: number; y: number; width: number; height: number }

/** An entry of pictures.json; what an entry leaves out is false, empty or 0. Lengths are pixels of the picture. */
type Entry = Partial<Omit<Picture, 'path' | 'aois' | 'regions'>> & {
  name: string
  widthPx: number
  heightPx: number
  areas: Area[]
}

/** An AOI and the attention that it gets: its parts are boxes (x, y, width, height) or polygons (as in SVG). */
type Area = {
  name: string
  /** Shared equally by the parts. */
  pull: number
  lines?: number
  isButton?: boolean
  timeRange?: TimeRange
  boxes?: [number, number, number, number][]
  polygons?: string[]
}

/** The folder stands beside this file's source; the build leaves it there. */
const FOLDER = new URL(import.meta.url.endsWith('.ts') ? './pictures/' : '../../demo/pictures/', import.meta.url)

/** Returns the items of a demo: the pictures in turn, as often as it takes. */
export function makeItems(count: number): DemoItem[] {
  const entries: Entry[] = JSON.parse(readFileSync(new URL('pictures.json', FOLDER), 'utf8'))
  const pictures = entries.map(toPicture)
  return Array.from({ length: count }, (_, index) => {
    const { name } = entries[index % entries.length]
    return {
      ...pictures[index % pictures.length],
      filename: `${name}-${String(index + 1).padStart(2, '0')}.svg`,
    }
  })
}

function toPicture({ name, widthPx, heightPx, areas, ...entry }: Entry): Picture {
  return {
    path: fileURLToPath(new URL(`${name}.svg`, FOLDER)),
    widthPx,
    heightPx,
    isScrolling: false,
    isFinishOnKey: false,
    isFinishOnClick: false,
    question: '',
    answers: [],
    ...entry,
    aois: areas.map((area) => ({ name: area.name, parts: aoiParts(area, widthPx, heightPx) })),
    regions: areas.flatMap(regionsOf),
  }
}

function aoiParts({ timeRange, boxes = [], polygons = [] }: Area, widthPx: number, heightPx: number): AoiPart[] {
  const rectangles = boxes.map(([x, y, width, height]) => ({
    topLeft: { xPx: x, yPx: y },
    bottomRight: { xPx: x + width, yPx: y + height },
  }))
  const shapes = polygons.map((polygon) => ({
    points: corners(polygon).map(([x, y]) => ({ x: millionths(x / widthPx), y: millionths(y / heightPx) })),
  }))
  return [...rectangles, ...shapes].map((areaPoints) => ({ areaPoints, ...(timeRange ? { timeRange } : {}) }))
}

function regionsOf({ pull, lines = 0, isButton = false, boxes = [], polygons = [] }: Area): Region[] {
  const rectangles = boxes.map(([x, y, width, height]) => ({ x, y, width, height }))
  const parts = [...rectangles, ...polygons.map((polygon) => innerBox(corners(polygon)))]
  return parts.map((box) => ({ ...box, pull: pull / parts.length, lines, isButton }))
}

/** Returns the middle of a polygon's bounding box, where gaze on it falls. */
function innerBox(points: number[][]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  return { x: left + width * 0.15, y: top + height * 0.15, width: width * 0.7, height: height * 0.7 }
}

const corners = (polygon: string) => polygon.split(' ').map((corner) => corner.split(',').map(Number))
const millionths = (share: number) => Math.round(share * 1e6) / 1e6
