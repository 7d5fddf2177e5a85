import type { Aoi, FixationRow, Item } from '../api.ts'
import { aoiColor, type Colors, inkOn } from '../theme.ts'
import type { Heat } from './heat.ts'

export type Layers = { gaze: boolean; scanpath: boolean; heatmap: boolean; aois: boolean }

/** All that may lie over the picture; positions in percent of the item. */
export type StimulusData = {
  item: Item
  aspect: number
  /** null when the bundle brought no picture. */
  imageHref: string | null
  aois: Aoi[]
  /** ms, x %, y % */
  points: [number, number, number][]
  scanpaths: FixationRow[][]
  heat: Heat | null
  layers: Layers
}

/** Gaze is drawn in one colour with a dark or a light rim, so that it shows on any picture. */
const GAZE = '#00c2a8'
const PATH = '#ffb000'
const RIM = '#101820'

export function Stimulus({ data, width, colors }: { data: StimulusData; width: number; colors: Colors }) {
  const { aspect, imageHref, heat, layers, item } = data
  const height = Math.round(width / aspect)
  const isOne = data.scanpaths.length <= 1
  // A paler picture lets what lies over it stand out.
  const dot = data.points.length > 1000 ? 2.5 : 5
  const isCovered = layers.heatmap || layers.scanpath || layers.gaze
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describe(data)}
    >
      <filter id="gazette-pale">
        <feColorMatrix type="saturate" values={layers.heatmap ? '0.1' : '0.45'} />
      </filter>
      <rect width={width} height={height} fill={colors.sunken} />
      {imageHref === null ? (
        <text x="12" y={height - 12} fill={colors.muted} font-size="13">
          {`No picture of ${item.filename || 'this item'} was imported`}
        </text>
      ) : (
        <image
          href={imageHref}
          width={width}
          height={height}
          preserveAspectRatio="none"
          filter={isCovered ? 'url(#gazette-pale)' : undefined}
        />
      )}
      {isCovered && imageHref !== null && <rect width={width} height={height} fill="#ffffff" opacity="0.25" />}
      {layers.heatmap && heat !== null && (
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
        (isOne ? (
          <Scanpath fixations={data.scanpaths[0] ?? []} width={width} height={height} />
        ) : (
          <Spots scanpaths={data.scanpaths} width={width} height={height} />
        ))}
    </svg>
  )
}

/** Returns one path for all points: thousands of circles would be slow. */
function dots(points: StimulusData['points'], width: number, height: number): string {
  return points.map(([, x, y]) => `M${px(x, width)} ${px(y, height)}h0`).join('')
}

function px(percent: number, size: number): number {
  return Math.round(percent * size) / 100
}

/** Returns a radius such that the area grows with the duration. */
export function radiusOf(durationMs: number, width: number): number {
  return (Math.sqrt(durationMs) / Math.sqrt(400)) * Math.max(10, width / 52)
}

function Scanpath({ fixations, width, height }: { fixations: FixationRow[]; width: number; height: number }) {
  const route = fixations.map(([x, y]) => `${px(x, width)},${px(y, height)}`).join(' ')
  return (
    <g>
      <polyline points={route} fill="none" stroke={RIM} stroke-width="3.5" opacity="0.6" stroke-linejoin="round" />
      <polyline points={route} fill="none" stroke={PATH} stroke-width="1.75" stroke-linejoin="round" />
      {fixations.map(([x, y, startMs, endMs], i) => (
        <g key={startMs} transform={`translate(${px(x, width)},${px(y, height)})`}>
          <title>{`${i + 1}: ${startMs} to ${endMs} ms, ${x.toFixed(1)} %, ${y.toFixed(1)} %`}</title>
          <circle
            r={radiusOf(endMs - startMs, width)}
            fill={PATH}
            fill-opacity="0.78"
            stroke={RIM}
            stroke-width="1.25"
          />
          <text y="4" text-anchor="middle" font-size="11.5" font-weight="700" fill="#000000">
            {i + 1}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Draws the fixations of all participants, without numbers, which would mean nothing. */
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
  const { aois, item, layers } = data
  const fill = layers.heatmap ? 0 : 0.14
  const shapes = aois.map((aoi, a) => ({
    aoi,
    color: aoiColor(a),
    corners: aoi.parts.map((part) => cornersOf(part.areaPoints, item, width, height)),
  }))
  const tags = placeTags(
    shapes.map(({ corners }) => topLeft(corners.flat())),
    width,
    height,
  )
  return (
    <g>
      {shapes.map(({ aoi, color, corners }) => (
        <g key={aoi.id}>
          <title>{aoi.name}</title>
          {corners.map((points) => (
            <g key={points.join(' ')} fill="none">
              <polygon points={points.join(' ')} stroke="#ffffff" stroke-width="4.5" stroke-opacity="0.65" />
              <polygon points={points.join(' ')} fill={color} fill-opacity={fill} stroke={color} stroke-width="2.5" />
            </g>
          ))}
        </g>
      ))}
      {shapes.map(({ aoi, color }, a) => (
        <g key={aoi.id} transform={`translate(${tags[a].join(',')})`}>
          <rect width={TAG_WIDTH} height={TAG_HEIGHT} fill={color} stroke="#ffffff" stroke-width="0.75" />
          <text x={TAG_WIDTH / 2} y="13" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
            {a + 1}
          </text>
        </g>
      ))}
    </g>
  )
}

const TAG_WIDTH = 24
const TAG_HEIGHT = 17

/** Places tags at the top left of each AOI; one that would cover another moves to its right. */
function placeTags(wanted: [number, number][], width: number, height: number): [number, number][] {
  const placed: [number, number][] = []
  for (const [wantedX, wantedY] of wanted) {
    let x = Math.min(width - TAG_WIDTH, Math.max(0, wantedX))
    const y = Math.min(height - TAG_HEIGHT, Math.max(0, wantedY))
    while (placed.some(([px, py]) => Math.abs(px - x) < TAG_WIDTH && Math.abs(py - y) < TAG_HEIGHT)) x += TAG_WIDTH
    placed.push([x, y])
  }
  return placed
}

type Area = Aoi['parts'][number]['areaPoints']

function cornersOf(area: Area, item: Item, width: number, height: number): [number, number][] {
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

function topLeft(points: [number, number][]): [number, number] {
  return [Math.min(...points.map(([x]) => x)), Math.min(...points.map(([, y]) => y))]
}

function describe({ item, layers, scanpaths, points, aois }: StimulusData): string {
  const fixations = scanpaths.reduce((sum, { length }) => sum + length, 0)
  const shown = [
    layers.heatmap ? 'a heatmap' : '',
    layers.scanpath ? `${fixations} fixations` : '',
    layers.gaze ? `${points.length} gaze points` : '',
    layers.aois ? `${aois.length} areas of interest` : '',
  ].filter((text) => text !== '')
  return `${item.filename || 'The item'}${shown.length > 0 ? ` with ${shown.join(', ')}` : ''}`
}
