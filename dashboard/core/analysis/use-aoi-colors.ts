import { useMemo } from 'preact/hooks'
import { AOI_COLOR_NAMES, type AoiColorName } from '../../../isomorphic/aoi-color-names.ts'
import type { Aoi, Study } from '../api.ts'
import { COLORED_MAX, type NamedColors, nameColors, paintAois } from '../colors/aoi-colors.ts'
import { PAINT, readPaint } from '../colors/picked-colors.ts'
import { setQuery, usePlace } from '../router.ts'
import { placesText } from '../view/aoi-places.ts'
import { useAnalysis } from './analysis-seen.ts'

/** Returns the colours that users have picked: those of the address before those of the analysis. */
function usePicked(): NamedColors {
  const { query } = usePlace()
  const text = query.get(PAINT)
  const decided = useAnalysis()?.current?.analysis.aoiColors
  return useMemo(() => ({ ...decided, ...readPaint(query) }), [text, decided])
}

/** Returns the usual colour of each name: names of a study have them in its order, wherever they occur. */
export function usualColors(aois: Pick<Aoi, 'name'>[]): (name: string, place: number) => number {
  const places = new Map([...new Set(aois.map(({ name }) => name))].map((name, i) => [name, i]))
  return (name, place) => places.get(name) ?? place
}

/** Returns the colours of an item's AOIs. @param chosen indexes of those with a colour of their own */
export function useAoiColors(study: Pick<Study, 'aois'>, aois: Pick<Aoi, 'name'>[], chosen: number[]): string[] {
  const picked = usePicked()
  return useMemo(
    () => paintAois(aois, chosen, picked, usualColors(study.aois)),
    [study.aois, aois, chosen.join(), picked],
  )
}

type PickedColors = {
  /** Name of each AOI's colour; null for grey. */
  names: (AoiColorName | null)[]
  /** Gives an AOI a colour, or takes it away. */
  pick: (aoi: number, color: AoiColorName | null) => void
}

/** Returns the names of the colours of an item's AOIs, and a function that changes one in the address. */
export function usePickedColors(study: Pick<Study, 'aois'>, aois: Pick<Aoi, 'name'>[], chosen: number[]): PickedColors {
  const { query } = usePlace()
  const names = nameColors(aois, chosen, usePicked(), usualColors(study.aois))
  const pick = (aoi: number, color: AoiColorName | null) => {
    const next = repainted(names, aoi, color)
    const places = next.flatMap((each, a) => (each === null ? [] : [a]))
    const isUsual = places.length === Math.min(COLORED_MAX, aois.length) && places.every((a, i) => a === i)
    const changed = next.flatMap((each, a) => (each === null || each === names[a] ? [] : [[aois[a].name, each]]))
    const paint = { ...readPaint(query), ...Object.fromEntries(changed) }
    setQuery({
      aois: isUsual ? null : placesText(places) || 'none',
      [PAINT]: Object.keys(paint).length === 0 ? null : JSON.stringify(paint),
    })
  }
  return { names, pick }
}

/**
 * Returns colours after one AOI has got another. The AOI that had it gets the former one instead, or else one that is
 * free, or none.
 */
export function repainted(
  names: (AoiColorName | null)[],
  aoi: number,
  color: AoiColorName | null,
): (AoiColorName | null)[] {
  const holder = color === null ? -1 : names.indexOf(color)
  const free = AOI_COLOR_NAMES.find((each) => each !== color && !names.includes(each)) ?? null
  return names.map((each, a) => (a === aoi ? color : a === holder ? (names[aoi] ?? free) : each))
}
