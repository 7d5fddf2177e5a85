import type { Aoi } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { toggled } from '../../core/toggled.ts'
import { AoiSwatch } from '../../figures/aoi-legend.tsx'
import { Check, Chips } from '../../ui/controls/choice.tsx'

type PlacesBounds = { min: number; max: number; usual: number }

/** Reads the AOIs that a link names by their numbers, as `1.3`; the first ones if it names none, or not as many. */
export function readPlaces(text: string | null, aoiCount: number, { min, max, usual }: PlacesBounds): number[] {
  const given = (text ?? '').split('.').map((part) => (/^[1-9]\d{0,5}$/.test(part) ? Number(part) - 1 : -1))
  const isFine = given.every((a) => a >= 0 && a < aoiCount) && new Set(given).size === given.length
  if (isFine && given.length >= min && given.length <= max) return given.sort((one, other) => one - other)
  return Array.from({ length: Math.min(usual, aoiCount) }, (_, a) => a)
}

type AoiPlacesProps = PlacesBounds & { name: string; aois: Aoi[]; colors: string[]; places: number[] }

/** Chooses the AOIs of a figure, folded. @param name parameter of the address that keeps them */
export function AoiPlaces({ name, aois, colors, places, min, max }: AoiPlacesProps) {
  const toggle = (a: number) => {
    const next = toggled(places, a).sort((one, other) => one - other)
    setQuery({ [name]: next.map((each) => each + 1).join('.') })
  }
  return (
    <details class="chooser">
      <summary>
        {countOf(places.length, 'AOI')} of {aois.length}
      </summary>
      <Chips legend={`AOIs, ${min} to ${Math.min(max, aois.length)}`}>
        {aois.map((aoi, a) => (
          <Check
            key={aoi.id}
            isOn={places.includes(a)}
            disabled={places.includes(a) ? places.length <= min : places.length >= max}
            onChange={() => toggle(a)}
          >
            <AoiSwatch color={colors[a]} place={a} />
            <bdi>{aoi.name}</bdi>
          </Check>
        ))}
      </Chips>
    </details>
  )
}
