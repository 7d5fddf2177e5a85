import { AOI_COLOR_NAMES } from '../../../isomorphic/aoi-color-names.ts'
import type { ParameterInfo } from '../api.ts'
import { COLORED_MAX } from '../colors/aoi-colors.ts'
import { FOGS, type FogName, HEAT_MAPS, type HeatMapName } from '../colors/heat-maps.ts'
import { readPaint } from '../colors/picked-colors.ts'
import type { HeatStyle } from '../heat/paint-heat.ts'
import { readPlaces } from './aoi-places.ts'

/** View of an item and its drawing options. All of it is part of the link. */
export type Layers = { gaze: boolean; scanpath: boolean; heatmap: boolean; fog: boolean; aois: boolean }
export type View = {
  layers: Layers
  of: 'gazes' | 'fixations'
  weighting: 'counts' | 'participants'
  heat: HeatStyle
  /** Indexes of the AOIs with a colour of their own. */
  chosen: number[]
  /** Participants whose fixations are gaze plots of their own; null for those of all in one colour. */
  plotted: Plotted | null
}

/** Ids of participants, or all of the tests that are kept; drawn up to `PLOTTED_MAX`. */
export type Plotted = string[] | 'all'

/** Number of participants that can be distinguished by colour on one picture. */
export const PLOTTED_MAX = COLORED_MAX
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Figures of an item, of which its page shows one, or all. */
export const ITEM_FIGURES = {
  picture: 'Picture',
  scarf: 'Scarf plot',
  aois: 'Areas of interest',
  time: 'Over time',
  all: 'All',
} as const
export type ItemFigure = keyof typeof ITEM_FIGURES

/** Parts of the page of a study. */
export const STUDY_PARTS = {
  items: 'Items and people',
  about: 'Description',
  methods: 'Methods',
  'drop-out': 'Drop-out',
  tags: 'Tags of AOIs',
  corrections: 'Corrections',
} as const
export type StudyPart = keyof typeof STUDY_PARTS

/** Value in a link that cannot be used. */
export type Refused = { name: string; value: string; rule: string }

export const LAYER_NAMES: (keyof Layers)[] = ['scanpath', 'gaze', 'heatmap', 'fog', 'aois']
export const KERNEL = { min: 1, max: 8, step: 0.5, default: 2.5 }
export const OPACITY = { min: 40, max: 100, step: 5, default: 85 }
/** Opacity of fog where nobody looked: by default, it hides the picture there. */
export const FOG_OPACITY = { ...OPACITY, default: 100 }

/** Returns whether layers draw the density of gaze: as a heatmap, or as a fog map. */
export function drawsDensity({ heatmap, fog }: Layers): boolean {
  return heatmap || fog
}

/**
 * Reads a link's view. Invalid values keep their defaults and are reported, so that nobody mistakes one for the other.
 */
export function readView(
  query: URLSearchParams,
  { isOne, aoiCount }: { isOne: boolean; aoiCount: number },
): { view: View; refused: Refused[] } {
  const link: Link = { query, refused: [] }
  const layers = readLayers(link, isOne ? 'scanpath' : 'heatmap')
  const fog = readChoice(link, 'fog', Object.keys(FOGS) as FogName[], 'dark')
  const view: View = {
    layers,
    of: readChoice(link, 'of', ['gazes', 'fixations'], 'gazes'),
    weighting: readChoice(link, 'weighting', ['participants', 'counts'], 'participants'),
    heat: {
      kernel: readNumber(link, 'kernel', KERNEL),
      colors: readChoice(link, 'colors', Object.keys(HEAT_MAPS) as HeatMapName[], 'magma'),
      opacity: readNumber(link, 'opacity', layers.fog ? FOG_OPACITY : OPACITY) / 100,
      max: query.has('max') ? readNumber(link, 'max', { min: 1e-6, max: 1e12, default: 0 }) || null : null,
      fog: layers.fog ? fog : null,
    },
    chosen: readChosen(link, aoiCount),
    plotted: isOne ? null : readPlotted(link),
  }
  if (readPaint(query) === null)
    refuse(link, 'paint', `must be colours by names of AOIs, as {"Logo":"blue"}, of ${orList([...AOI_COLOR_NAMES])}`)
  return { view, refused: link.refused }
}

/** A link that is being read, and its values that cannot be used. */
type Link = { query: URLSearchParams; refused: Refused[] }

function refuse({ query, refused }: Link, name: string, rule: string): void {
  refused.push({ name, value: query.get(name) ?? '', rule })
}

function readChoice<T extends string>(link: Link, name: string, allowed: T[], fallback: T): T {
  const text = link.query.get(name)
  if (text === null) return fallback
  const found = allowed.find((each) => each === text)
  if (found === undefined) refuse(link, name, `must be ${orList(allowed)}`)
  return found ?? fallback
}

type Range = { min: number; max: number; default: number }

function readNumber(link: Link, name: string, { min, max, default: fallback }: Range): number {
  const text = link.query.get(name)
  if (text === null) return fallback
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  refuse(link, name, `must be a number from ${min} to ${max}`)
  return fallback
}

function readLayers(link: Link, fallback: keyof Layers): Layers {
  const names = (link.query.get('layers') ?? fallback).split('.')
  const isFine = names.join() === 'none' || names.every((name) => (LAYER_NAMES as string[]).includes(name))
  if (!isFine) refuse(link, 'layers', `must be none, or ${orList(LAYER_NAMES)}, or several of them, separated by dots`)
  const isTwice = names.includes('heatmap') && names.includes('fog')
  if (isTwice) refuse(link, 'layers', 'must be heatmap or fog, not both, since the fog would cover the heatmap')
  const chosen = isFine && !isTwice ? names : [fallback]
  const has = (name: keyof Layers) => chosen.includes(name)
  return { gaze: has('gaze'), scanpath: has('scanpath'), heatmap: has('heatmap'), fog: has('fog'), aois: has('aois') }
}

function readChosen(link: Link, aoiCount: number): number[] {
  const fallback = Array.from({ length: Math.min(COLORED_MAX, aoiCount) }, (_, a) => a)
  const text = link.query.get('aois')
  if (text === null) return fallback
  if (text === 'none') return []
  const places = readPlaces(text, aoiCount)
  if (places !== null && places.length <= COLORED_MAX) return places
  refuse(link, 'aois', `must be none, or at most ${COLORED_MAX} numbers from 1 to ${aoiCount}, separated by dots`)
  return fallback
}

function readPlotted(link: Link): Plotted | null {
  const text = link.query.get('plots')
  if (text === null || text === 'all') return text
  const ids = text.split('.')
  if (ids.every((id) => UUID.test(id)) && new Set(ids).size === ids.length && ids.length <= PLOTTED_MAX) return ids
  refuse(link, 'plots', `must be all, or the ids of at most ${PLOTTED_MAX} different participants, separated by dots`)
  return null
}

/** Describes the fault of a setting's value; null if it is valid. */
export function faultOf(
  { min, max, unit, kind }: Pick<ParameterInfo, 'min' | 'max' | 'unit' | 'kind'>,
  text: string,
): string | null {
  const value = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(value)
  if (isNumber && value >= min && value <= max && (kind === 'float' || Number.isInteger(value))) return null
  return `must be ${kind === 'float' ? 'a number' : 'a whole number'} from ${min} to ${max} ${unit}`.trim()
}

function orList(names: string[]): string {
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`
}
