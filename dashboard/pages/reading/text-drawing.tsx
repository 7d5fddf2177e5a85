import type { Item } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import { type Colors, LIGHT } from '../../core/colors/theme.ts'
import { aoiCorners, type Picture } from '../../figures/stimulus.tsx'
import { Drawing } from '../../ui/chart/drawing.tsx'
import { type DrawnWord, wordColor } from './words.ts'

const LETTER_WIDTH = 0.56
const FONT_MAX_PX = 28
const DOTS = '2 3'

type TextDrawingProps = {
  words: DrawnWord[]
  /** Index of the chosen word; -1 for none. */
  chosen: number
  item: Item
  picture: Picture
  /** Name of the measure that colours the words. */
  what: string
  width: number
  colors: Colors
  onChoose?: (word: number) => void
}

/** Draws the words of a text in the colours of a measure: over the picture, or where there is none, in its place. */
export function TextDrawing({ words, chosen, item, picture, what, width, colors, onChoose }: TextDrawingProps) {
  const height = Math.round(width / picture.aspect)
  const hasPicture = picture.href !== null
  // A picture has its own colours in either theme.
  const isDark = !hasPicture && colors.isDark
  const boxes = words.map(({ aoi }) => aoi.parts.map(({ areaPoints }) => aoiCorners(areaPoints, item, width, height)))
  return (
    <Drawing
      {...{ width, height, colors }}
      class="text-of-words"
      label={`${words.length} words in the colours of ${what}`}
      onPoint={
        onChoose &&
        ((at, { type }) => {
          if (at !== null && type === 'pointerdown') onChoose(boxes.findIndex((parts) => parts.some(isAround(at))))
        })
      }
    >
      <rect width={width} height={height} fill={hasPicture ? colors.sunken : colors.surface} stroke={colors.line} />
      {picture.href !== null && <image href={picture.href} {...{ width, height }} preserveAspectRatio="none" />}
      {words.map(({ place, text, share, isSkippedByMost, told }, w) => {
        const fill = share === null ? 'none' : wordColor(share, isDark)
        const ink = hasPicture ? LIGHT.ink : share === null ? colors.ink : inkOn(fill)
        return (
          <g key={place + told} class="word" data-word={place}>
            <title>{told}</title>
            {boxes[w].map((corners, p) => (
              <polygon
                key={p}
                points={corners.join(' ')}
                fill={fill}
                fill-opacity={hasPicture ? 0.55 : 1}
                stroke={w === chosen ? colors.accent : share === null ? colors.line : 'none'}
                stroke-width={w === chosen ? 2.5 : 1}
              />
            ))}
            {!hasPicture && boxes[w].length > 0 && (
              <WordText text={text || place} box={boxOf(boxes[w][0])} fill={ink} />
            )}
            {isSkippedByMost && boxes[w].length > 0 && <Underline box={boxOf(boxes[w][0])} stroke={ink} />}
          </g>
        )
      })}
    </Drawing>
  )
}

type Box = { left: number; top: number; right: number; bottom: number }

function boxOf(corners: [x: number, y: number][]): Box {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

function isAround({ x, y }: { x: number; y: number }) {
  return (corners: [x: number, y: number][]) => {
    const { left, top, right, bottom } = boxOf(corners)
    return x >= left && x < right && y >= top && y < bottom
  }
}

/** Draws a word so that it fits into its box. */
function WordText({ text, box: { left, top, right, bottom }, fill }: { text: string; box: Box; fill: string }) {
  const byWidth = (right - left) / (LETTER_WIDTH * Math.max(1, text.length))
  const fontPx = Math.min(FONT_MAX_PX, 0.7 * (bottom - top), byWidth)
  return (
    <text
      x={((left + right) / 2).toFixed(1)}
      y={((top + bottom) / 2 + fontPx * 0.35).toFixed(1)}
      font-size={fontPx.toFixed(1)}
      text-anchor="middle"
      fill={fill}
    >
      {text}
    </text>
  )
}

function Underline({ box: { left, right, bottom }, stroke }: { box: Box; stroke: string }) {
  const y = bottom - 1.5
  return (
    <line
      class="skipped"
      x1={left + 2}
      x2={right - 2}
      y1={y}
      y2={y}
      stroke={stroke}
      stroke-width="2"
      stroke-dasharray={DOTS}
    />
  )
}
