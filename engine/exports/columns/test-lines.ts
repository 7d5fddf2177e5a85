import { type AoiShape, toMillionths } from '../../compute/aoi.ts'
import { aoisAt } from '../../compute/aoi-grid.ts'
import type { Fixations } from '../../compute/fixation-list.ts'
import { heightInWidths } from '../../compute/gaze.ts'
import { assignLines } from '../../compute/lines/assign-lines.ts'
import { lineSpacing, meanOf, type TextLines } from '../../compute/lines/text-lines.ts'
import { linesOf, type TextWord, wordsOf } from '../../compute/reading.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Fixations farther from the box around the words, in distances between lines, belong to no line. */
const MARGIN = 2

/** A box in widths of the displayed item. */
type Box = { left: number; top: number; right: number; bottom: number }

/**
 * Returns the AOIs of each fixation after an algorithm has moved it to a line: docs/reading.md, "Fixations on lines".
 *
 * @param words of the item, whose AOIs are in the grid
 * @param from index of the first fixation that takes part
 */
export function aoisOnLines(
  run: TestRun,
  context: ExportContext,
  words: TextWord[],
  found: Fixations,
  from: number,
): number[][] {
  const { item, test } = run.identity
  const grid = context.aoiGridOf(item)
  const aspect = heightInWidths(test.display)
  const { text, box } = textOf(words, grid.aois, aspect)
  const margin = MARGIN * (text.lineY.length > 1 ? lineSpacing(text.lineY) : box.bottom - box.top)
  const xOf = (f: number) => found.xPercent[f] / 100
  const yOf = (f: number) => (found.yPercent[f] / 100) * aspect
  const isNear = (f: number) =>
    xOf(f) >= box.left - margin &&
    xOf(f) <= box.right + margin &&
    yOf(f) >= box.top - margin &&
    yOf(f) <= box.bottom + margin
  const taken = Array.from({ length: found.n }, (_, f) => f).filter((f) => f >= from && isNear(f))
  const places = { x: Float64Array.from(taken, xOf), y: Float64Array.from(taken, yOf) }
  const lines = assignLines(context.plan.parameters.lines!, places, text)
  const { lineOfWord } = linesOf(words)
  const lineOfAoi = new Map(words.map(({ aoi }, w) => [aoi, lineOfWord[w]]))
  const aois: number[][] = Array.from({ length: found.n }, () => [])
  for (const [t, f] of taken.entries()) {
    const y = toMillionths((text.lineY[lines[t]] / aspect) * 100)
    const hit = aoisAt(grid, toMillionths(found.xPercent[f]), y, found.startUs[f])
    aois[f] = hit.filter((aoi) => lineOfAoi.get(aoi) === lines[t])
  }
  return aois
}

/** Returns the lines and words of a text in widths of the displayed item, and the box around them. */
function textOf(words: TextWord[], shapes: AoiShape[], aspect: number): { text: TextLines; box: Box } {
  const boxes = words.map(({ aoi }) => boxOf(shapes[aoi], aspect))
  const { lines, lineOfWord } = linesOf(words)
  const y = Float64Array.from(boxes, ({ top, bottom }) => (top + bottom) / 2)
  const lineY = Float64Array.from(lines, (_, l) => meanOf(y.filter((_y, w) => lineOfWord[w] === l)))
  const x = Float64Array.from(boxes, ({ left, right }) => (left + right) / 2)
  const most = (name: keyof Box, of: (...values: number[]) => number) => of(...boxes.map((box) => box[name]))
  return {
    text: { lineY, words: { x, y, line: lineOfWord } },
    box: {
      left: most('left', Math.min),
      top: most('top', Math.min),
      right: most('right', Math.max),
      bottom: most('bottom', Math.max),
    },
  }
}

/**
 * Returns the number of the first line of a text that is not below the line before, as in columns of text, and of that
 * line; null if there is none.
 *
 * @param names of AOIs @param shapes of the same
 */
export function lineOutOfOrder(names: string[], shapes: AoiShape[]): [line: number, before: number] | null {
  const words = wordsOf(names)
  const { lines } = linesOf(words)
  const { lineY } = textOf(words, shapes, 1).text
  const wrong = lines.findIndex((_, l) => l > 0 && !(lineY[l] > lineY[l - 1]))
  return wrong === -1 ? null : [lines[wrong], lines[wrong - 1]]
}

function boxOf({ parts }: AoiShape, aspect: number): Box {
  const of = (name: 'minX' | 'minY' | 'maxX' | 'maxY', most: (...values: number[]) => number) =>
    most(...parts.map((part) => part[name])) / 1e8
  return {
    left: of('minX', Math.min),
    top: of('minY', Math.min) * aspect,
    right: of('maxX', Math.max),
    bottom: of('maxY', Math.max) * aspect,
  }
}
