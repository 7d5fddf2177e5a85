import type { Aoi } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { toggled } from '../../core/toggled.ts'
import { placesText, readPlaces } from '../../core/view/aoi-places.ts'
import { AoiSwatch } from '../../figures/aoi-legend.tsx'
import { Check, Chips } from '../../ui/controls/choice.tsx'

type PlacesBounds = { min: number; max: number; usual: number }

/** Returns the AOIs that an address names; the first ones if it names none, or not as many as there may be. */
export function shownPlaces(text: string | null, aoiCount: number, { min, max, usual }: PlacesBounds): number[] {
  const given = readPlaces(text ?? '', aoiCount)
  if (given !== null && given.length >= min && given.length <= max) return given
  return Array.from({ length: Math.min(usual, aoiCount) }, (_, a) => a)
}

type AoiPlacesProps = PlacesBounds & { name: string; aois: Aoi[]; colors: string[]; places: number[] }

/** Chooses the AOIs of a figure, folded. @param name parameter of the address that keeps them */
export function AoiPlaces({ name, aois, colors, places, min, max }: AoiPlacesProps) {
  const toggle = (a: number) => {
    const next = toggled(places, a).sort((one, other) => one - other)
    setQuery({ [name]: placesText(next) })
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
            <AoiSwatch color={colors[a]} mark={a + 1} />
            <bdi>{aoi.name}</bdi>
          </Check>
        ))}
      </Chips>
    </details>
  )
}
