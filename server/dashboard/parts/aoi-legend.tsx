import type { Aoi, AoisData } from '../api.ts'
import { aoiFacts } from '../charts/aoi-bars.tsx'
import type { LegendEntry } from '../charts/save.ts'
import { aoiColor, inkOn } from '../theme.ts'

export function AoiLegend({ aois, bars = null }: { aois: Aoi[]; bars?: AoisData | null }) {
  return (
    <ul class={`legend${bars === null ? '' : ' told'}`} aria-label="Areas of interest">
      {aois.map((aoi, a) => (
        <li key={aoi.id}>
          <svg width="22" height="18" aria-hidden="true" focusable="false">
            <rect width="22" height="18" fill={aoiColor(a)} />
            <text x="11" y="13.500" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(aoiColor(a))}>
              {a + 1}
            </text>
          </svg>
          <span>
            {aoi.name}
            {bars !== null && <small> {aoiFacts(aoi, bars)}</small>}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function legendOf(aois: Aoi[], bars: AoisData | null = null): LegendEntry[] {
  return aois.map((aoi, a) => ({
    color: aoiColor(a),
    mark: String(a + 1),
    label: bars === null ? aoi.name : `${aoi.name}: ${aoiFacts(aoi, bars)}`,
  }))
}
