import type { Aoi, FixationRow, Item } from '../core/api.ts'
import { type AoiPaint, inkOn } from '../core/colors/aoi-colors.ts'
import { HEAT_MAPS } from '../core/colors/heat-maps.ts'
import type { Colors } from '../core/colors/theme.ts'
import type { Heat } from '../core/heat/paint-heat.ts'
import { countOf, isolate } from '../core/number-texts.ts'
import { drawsDensity, type Layers } from '../core/view/chart-view.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import { aoiAtTime } from './aoi-at-time.ts'
import { type Point, placeTags, TAG_HEIGHT, TAG_WIDTH } from './aoi-tags.ts'
import type { GazePlot } from './gaze-plots.ts'
import { wrap } from './save.ts'
import type { Clip } from './video/clip.ts'
import type { DrawnFrame } from './video/frame-time.ts'

/**
 * Item's picture: its address once it is loaded and fits, or the reason why it is missing; and the aspect ratio of the
 * displayed item. For a video, `clip` plays it, and `frame` says which frame the picture is.
 */
export type Picture = {
  href: string | null
  aspect: number
  lack: string | null
  clip: Clip | null
  /** Duration of a video, also of one that is not drawn. */
  durationMs: number | null
  frame?: DrawnFrame
}

/** Layers over the picture; positions in percent of the item. */
export type StimulusData = {
  item: Item
  aspect: number
  picture: Picture
  aois: Aoi[]
  paint: AoiPaint
  /** ms, x %, y % */
  points: [number, number, number][]
  scanpaths: FixationRow[][]
  /** Drawn instead of `scanpaths`, if there are any. */
  plots: GazePlot[] | null
  heat: Heat | null
  layers: Layers
}

/** Colour of gaze; a dark or a light rim makes it visible on any picture. */
export const GAZE = '#00c2a8'
const PATH = '#ffb000'
export const RIM = '#101820'
const LACK_LETTER_PX = 7

export function Stimulus({ data, width, colors }: { data: StimulusData; width: number; colors: Colors }) {
  const { aspect, picture, heat, layers } = data
  const height = Math.round(width / aspect)
  const isOne = data.scanpaths.length <= 1
  // A paler picture makes the layers stand out.
  const dot = data.points.length > 1000 ? 2.5 : 5
  // Fog leaves the picture as it is where people looked.
  const isCovered = !layers.fog && (layers.heatmap || layers.scanpath || layers.gaze)
  const isForDark = layers.heatmap && heat !== null && HEAT_MAPS[heat.style.colors].isForDark
  return (
    <Drawing {...{ width, height, colors }} label={describe(data)}>
      <filter id="gazette-pale">
        <feColorMatrix type="saturate" values={layers.heatmap ? '0.1' : '0.45'} />
      </filter>
      <rect width={width} height={height} fill={colors.sunken} />
      {picture.href === null ? (
        <Lack text={picture.lack ?? ''} {...{ width, height, colors }} />
      ) : (
        <image
          href={picture.href}
          width={width}
          height={height}
          preserveAspectRatio="none"
          filter={isCovered ? 'url(#gazette-pale)' : undefined}
        />
      )}
      {isCovered && picture.href !== null && (
        <rect
          width={width}
          height={height}
          fill={isForDark ? '#000000' : '#ffffff'}
          opacity={isForDark ? 0.6 : layers.heatmap ? 0.45 : 0.25}
        />
      )}
      {drawsDensity(layers) && heat !== null && (
        <image href={heat.href} width={width} height={height} preserveAspectRatio="none" />
      )}
      {layers.aois && <AoiShapes data={data} width={width} height={height} />}
      {layers.gaze && data.points.length > 0 && (
        <g fill="none" stroke-linecap="round">
          <path d={dots(data.points, width, height)} stroke={RIM} stroke-width={dot + 2.5} opacity="0.5" />
          <path d={dots(data.points, width, height)} stroke={GAZE} stroke-width={dot} opacity="0.9" />
        </g>
      )}
      {layers.scanpath &&
        (data.plots !== null ? (
          data.plots.map((plot) =>
            plot.scanpaths.map((fixations, s) => (
              <Scanpath key={`${plot.participantId} ${s}`} {...{ fixations, width, height }} of={plot} />
            )),
          )
        ) : isOne ? (
          <Scanpath fixations={data.scanpaths[0] ?? []} width={width} height={height} />
        ) : (
          <Spots scanpaths={data.scanpaths} width={width} height={height} />
        ))}
    </Drawing>
  )
}

/** Says at the lower edge why there is no picture, in wrapped lines. */
function Lack({ text, width, height, colors }: { text: string; width: number; height: number; colors: Colors }) {
  const lines = wrap(text, Math.floor((width - 24) / LACK_LETTER_PX))
  return (
    <text fill={colors.muted} font-size="13">
      {lines.map((line, l) => (
        <tspan key={line} x="12" y={height - 12 - (lines.length - 1 - l) * 18}>
          {`${line} `}
        </tspan>
      ))}
    </text>
  )
}

/** Returns one path for all points, since thousands of circles would be slow. */
function dots(points: StimulusData['points'], width: number, height: number): string {
  return points.map(([, x, y]) => `M${px(x, width)} ${px(y, height)}h0`).join('')
}

function px(percent: number, size: number): number {
  return Math.round(percent * size) / 100
}

/** Returns a radius such that the area grows with the duration. */
function radiusOf(durationMs: number, width: number): number {
  return (Math.sqrt(durationMs) / Math.sqrt(400)) * Math.max(10, width / 52)
}

type ScanpathProps = { fixations: FixationRow[]; width: number; height: number; of?: Drawer }
type Drawer = Pick<GazePlot, 'color' | 'letter' | 'name'>

/** Draws fixations with their order, in the colour of a participant, whose letter is at the first one. */
function Scanpath({ fixations, width, height, of = { color: PATH, letter: '', name: '' } }: ScanpathProps) {
  const { color, letter, name } = of
  const route = fixations.map(([x, y]) => `${px(x, width)},${px(y, height)}`).join(' ')
  return (
    <g>
      <polyline points={route} fill="none" stroke={RIM} stroke-width="3.5" opacity="0.6" stroke-linejoin="round" />
      <polyline points={route} fill="none" stroke={color} stroke-width="1.75" stroke-linejoin="round" />
      {fixations.map(([x, y, startMs, endMs], i) => (
        <g key={startMs} class="fixation" transform={`translate(${px(x, width)},${px(y, height)})`}>
          <title>{`${name === '' ? '' : `${isolate(name)}, `}${i + 1}: ${startMs} to ${endMs} ms, ${x.toFixed(1)} %, ${y.toFixed(1)} %`}</title>
          <circle
            r={radiusOf(endMs - startMs, width)}
            fill={color}
            fill-opacity="0.78"
            stroke={RIM}
            stroke-width="1.25"
          />
          <text y="4" text-anchor="middle" font-size="11.5" font-weight="700" fill={inkOn(color)}>
            {`${i === 0 ? letter : ''}${i + 1}`}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Draws the fixations of all participants, without order numbers. */
function Spots({ scanpaths, width, height }: { scanpaths: FixationRow[][]; width: number; height: number }) {
  const n = scanpaths.reduce((sum, { length }) => sum + length, 0)
  return (
    <g fill={PATH} fill-opacity={n > 2000 ? 0.3 : 0.5} stroke={RIM} stroke-width="0.6" stroke-opacity="0.7">
      {scanpaths.flatMap((fixations, s) =>
        fixations.map(([x, y, startMs, endMs]) => (
          <circle
            key={`${s}-${startMs}`}
            cx={px(x, width)}
            cy={px(y, height)}
            r={radiusOf(endMs - startMs, width) * 0.55}
          />
        )),
      )}
    </g>
  )
}

function AoiShapes({ data, width, height }: { data: StimulusData; width: number; height: number }) {
  const { aois, item, layers, paint, picture } = data
  const fill = drawsDensity(layers) ? 0 : 0.14
  const cornersOf = ({ areaPoints }: Aoi['parts'][number]) => aoiCorners(areaPoints, item, width, height)
  const drawn = aois.map((aoi) => aoiAtTime(aoi, picture.frame?.tMs ?? null))
  const parts = drawn.flatMap(({ shown, isThere }, aoi) =>
    shown.map((part) => ({ aoi, isThere, corners: cornersOf(part) })),
  )
  const tags = placeTags(parts, width, height)
  const faded = (a: number) => (paint.lit !== null && paint.lit !== a ? 0.25 : 1)
  return (
    <g>
      {drawn.map(({ path }, aoi) => (
        <polyline
          key={aois[aoi].id}
          class="aoi-path"
          points={path.map((part) => centerOf(cornersOf(part)).join()).join(' ')}
          fill="none"
          stroke={paint.colors[aoi]}
          stroke-width="1.5"
          opacity={0.55 * faded(aoi)}
        />
      ))}
      {parts.map(({ aoi, isThere, corners }, p) => (
        <g key={p} fill="none" opacity={faded(aoi)} stroke-dasharray={isThere ? undefined : '5 4'}>
          <title>{`${aoi + 1} ${isolate(aois[aoi].name)}`}</title>
          <polygon points={corners.join(' ')} stroke="#ffffff" stroke-width="4.5" stroke-opacity="0.65" />
          <polygon
            points={corners.join(' ')}
            fill={paint.colors[aoi]}
            fill-opacity={fill}
            stroke={paint.colors[aoi]}
            stroke-width="2.5"
          />
        </g>
      ))}
      {parts.map(({ aoi }, p) => (
        <g key={p} class="aoi-tag" transform={`translate(${tags[p].join(',')})`} opacity={faded(aoi)}>
          <rect width={TAG_WIDTH} height={TAG_HEIGHT} fill={paint.colors[aoi]} stroke="#ffffff" stroke-width="0.75" />
          <text
            x={TAG_WIDTH / 2}
            y="13"
            text-anchor="middle"
            font-size="12"
            font-weight="700"
            fill={inkOn(paint.colors[aoi])}
          >
            {aoi + 1}
          </text>
        </g>
      ))}
    </g>
  )
}

type Area = Aoi['parts'][number]['areaPoints']

/** Returns the centre of the box around a part. */
export function centerOf(corners: Point[]): Point {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2]
}

/** Returns the corners of a part of an AOI in px of a drawing of that size. */
export function aoiCorners(area: Area, item: Item, width: number, height: number): Point[] {
  if ('points' in area) return area.points.map(({ x, y }) => [px(x * 100, width), px(y * 100, height)])
  const { topLeft: from, bottomRight: to } = area
  const [x0, x1] = [from.xPx, to.xPx].map((xPx) => px((xPx / item.widthPx!) * 100, width))
  const [y0, y1] = [from.yPx, to.yPx].map((yPx) => px((yPx / item.heightPx!) * 100, height))
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ]
}

function describe({ item, layers, scanpaths, plots, points, aois }: StimulusData): string {
  const drawn = plots === null ? scanpaths : plots.flatMap((plot) => plot.scanpaths)
  const fixations = drawn.reduce((sum, { length }) => sum + length, 0)
  const shown = [
    layers.heatmap ? 'a heatmap' : '',
    layers.fog ? 'a fog map' : '',
    layers.scanpath
      ? `${fixations} fixations${plots === null ? '' : ` in gaze plots of ${countOf(plots.length, 'participant')}`}`
      : '',
    layers.gaze ? `${points.length} gaze points` : '',
    layers.aois ? `${countOf(aois.length, 'area of interest', 'areas of interest')}` : '',
  ].filter((text) => text !== '')
  return `${isolate(item.filename) || 'The item'}${shown.length > 0 ? ` with ${shown.join(', ')}` : ''}`
}
