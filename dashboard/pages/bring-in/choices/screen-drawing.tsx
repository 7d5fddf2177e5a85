import { type PositionUnit, toPx } from '../../../../isomorphic/to-px.ts'
import { countOf, decimal, wholeText } from '../../../core/number-texts.ts'
import { type MappingDraft, viewingOf } from './mapping-draft.ts'
import type { SamplePoints, SizePx } from './sample-points.ts'

/** Margin around the screen, as a share of its sides: points beyond it are only counted. */
const MARGIN = 0.18
/** Letters in the width of the drawing. */
const LETTERS = 34
const UNIT_SIGNS: Record<PositionUnit, string> = {
  px: ' px',
  fraction: '',
  percent: ' %',
  norm: '',
  height: '',
  deg: '°',
}

/** Draws the screen with the coordinates of its corners and the gaze of the first rows. */
export function ScreenDrawing({ draft, size, found }: { draft: MappingDraft; size: SizePx; found: SamplePoints }) {
  const { widthPx, heightPx } = size
  if (draft.unit === '?') return <p class="hint">Choose the unit of gaze to see the screen.</p>
  const unit = draft.unit
  const place = toPx(unit, draft.origin, size, viewingOf(draft))
  const margin = MARGIN * Math.max(widthPx, heightPx)
  const [left, top] = [-margin, -margin]
  const [width, height] = [widthPx + 2 * margin, heightPx + 2 * margin]
  const letterPx = width / LETTERS
  const isInside = ({ x, y }: { x: number; y: number }) =>
    x >= left && x <= widthPx + margin && y >= top && y <= heightPx + margin
  const drawn = found.points.filter(isInside)
  const told = sentenceOf(found)
  return (
    <figure class="screen-drawing">
      <svg
        viewBox={`${left} ${top} ${width} ${height}`}
        role="img"
        aria-label={`The screen, ${widthPx} by ${heightPx} px: ${told}`}
        font-size={letterPx}
      >
        <rect class="screen" x={0} y={0} width={widthPx} height={heightPx} />
        <g class="sample-points">
          {drawn.map(({ x, y }, i) => (
            <circle key={i} cx={x} cy={y} r={width / 110} />
          ))}
        </g>
        <Axes {...{ place, size, width }} />
        <Corners {...{ place, size, letterPx }} sign={UNIT_SIGNS[unit]} />
      </svg>
      <figcaption class="hint" aria-live="polite">
        {told}
        {drawn.length < found.points.length &&
          ` ${wholeText(found.points.length - drawn.length)} lie outside the drawing.`}
      </figcaption>
      {found.points.length > 0 && found.onScreen < found.points.length / 2 && (
        <p class="refused">Most of this gaze lies outside the screen: check the unit, the origin and the size.</p>
      )}
    </figure>
  )
}

type Place = ReturnType<typeof toPx>
/** Draws the origin of the coordinates, and their directions. */
function Axes({ place, size: { widthPx, heightPx }, width }: { place: Place; size: SizePx; width: number }) {
  const [zeroX, zeroY] = [place.xOffset, place.yOffset]
  const reach = 0.2 * Math.min(widthPx, heightPx)
  const down = place.yScale > 0 ? 1 : -1
  const letterPx = width / LETTERS
  return (
    <>
      <g class="axes" stroke-width={width / 250}>
        <path
          d={`M${zeroX} ${zeroY}h${reach}m${-reach / 5} ${-reach / 8}l${reach / 5} ${reach / 8}l${-reach / 5} ${reach / 8}`}
        />
        <path
          d={`M${zeroX} ${zeroY}v${reach * down}m${-reach / 8} ${(-reach / 5) * down}l${reach / 8} ${(reach / 5) * down}l${reach / 8} ${(-reach / 5) * down}`}
        />
        <circle cx={zeroX} cy={zeroY} r={width / 90} />
      </g>
      <g class="axis-names">
        <text x={zeroX + reach * 1.08} y={zeroY + letterPx * 0.35}>
          x
        </text>
        <text x={zeroX} y={zeroY + reach * 1.08 * down + (down > 0 ? letterPx * 0.8 : 0)} text-anchor="middle">
          y
        </text>
      </g>
    </>
  )
}

type CornersProps = { place: Place; size: SizePx; sign: string; letterPx: number }

/** Draws the coordinates of the corners of the screen. */
function Corners({ place, size: { widthPx, heightPx }, sign, letterPx }: CornersProps) {
  const value = (px: number, offset: number, scale: number, eyesPx: number) => {
    const length = (px - offset) / scale || 0
    return decimal(eyesPx === 0 ? length : (Math.atan(length / eyesPx) * 180) / Math.PI)
  }
  return (
    <g class="corners">
      {[0, heightPx].flatMap((y) =>
        [0, widthPx].map((x) => (
          <text
            key={`${x} ${y}`}
            x={x}
            y={y === 0 ? -letterPx * 0.5 : y + letterPx * 1.2}
            text-anchor={x === 0 ? undefined : 'end'}
          >
            {value(x, place.xOffset, place.xScale, place.xEyesPx)},{' '}
            {value(y, place.yOffset, place.yScale, place.yEyesPx)}
            {sign}
          </text>
        )),
      )}
    </g>
  )
}

function sentenceOf({ points, samples, onScreen }: SamplePoints): string {
  if (points.length === 0) return `None of the first ${countOf(samples, 'row')} has gaze.`
  const share = decimal((100 * onScreen) / points.length)
  return `Of the first ${countOf(samples, 'row')}, ${wholeText(points.length)} have gaze, ${wholeText(onScreen)} of it on the screen (${share} %).`
}
