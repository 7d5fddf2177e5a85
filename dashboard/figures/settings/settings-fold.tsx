import { useEffect, useRef, useState } from 'preact/hooks'
import { countOf } from '../../core/number-texts.ts'
import { changedSettings, isOfPupils, queryString } from '../../core/view/chart-settings.ts'
import { useCalm } from '../../core/view/link-settings.ts'
import { SettingsPanel, type SettingsProps } from './settings-panel.tsx'

/**
 * Draws the settings of fixations for a page that keeps them in its address; changes are debounced until a slider
 * rests.
 */
export function CalmSettings({ parameters, settings, defaults, onChange, ...shown }: SettingsProps) {
  const search = queryString(settings, defaults)
  const [moved, setMoved] = useState(settings)
  // Our own change of the address comes back here, and must not undo newer moves of a slider.
  const told = useRef(search)
  useEffect(() => {
    if (search !== told.current) setMoved(settings)
    told.current = search
  }, [search])
  const calm = useCalm(moved)
  useEffect(() => {
    const next = queryString(calm, defaults)
    if (next === told.current) return
    told.current = next
    onChange(calm)
  }, [calm])
  return <SettingsPanel {...{ parameters, defaults, ...shown }} settings={moved} onChange={setMoved} />
}

/** Draws the same settings folded, with the number of changed ones. */
export function SettingsFold(props: SettingsProps) {
  const changed = changedSettings(props.settings, props.defaults, isOfPupils(props.listed)).length
  return (
    <details class="settings-fold">
      <summary>
        {changed === 0 ? 'Settings: defaults' : `Settings: ${countOf(changed, 'change')} from the defaults`}
      </summary>
      <CalmSettings {...props} />
    </details>
  )
}
