import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ParameterInfo } from '../api.ts'
import { setQuery, usePlace } from '../router.ts'
import { defaultsOf, queryChanges, queryString, readSettings, type Settings } from './chart-settings.ts'
import type { Refused } from './chart-view.ts'

/** Settings in the address bar, those that are invalid, and a function that changes them there. */
export type LinkSettings = {
  settings: Settings
  defaults: Settings
  refused: Refused[]
  change: (next: Settings) => void
}

/** Reads the settings from the address bar, and changes them there. */
export function useLinkSettings(parameters: ParameterInfo[]): LinkSettings {
  const { query } = usePlace()
  const search = query.toString()
  const defaults = useMemo(() => defaultsOf(parameters), [parameters])
  const { settings, refused } = useMemo(() => readSettings(query, parameters), [search, parameters])
  const change = (next: Settings) => setQuery(queryChanges(next, defaults))
  return { settings, defaults, refused, change }
}

/** Keeps the settings of sliders in state and, debounced, in the address. @returns `calm` the debounced settings */
export function useSliders(parameters: ParameterInfo[]): LinkSettings & { calm: Settings } {
  const { query } = usePlace()
  const defaults = useMemo(() => defaultsOf(parameters), [parameters])
  // Initial settings of the link; from then on, the address follows the sliders.
  const [fromLink] = useState(() => readSettings(query, parameters))
  const [settings, change] = useState(fromLink.settings)
  const calm = useCalm(settings)
  const given = readSettings(query, parameters).settings
  const search = queryString(given, defaults)
  const told = useRef<string | null>(null)
  // Whoever else changes the address, such as the strip, moves the sliders.
  useEffect(() => {
    if (told.current === null || search === told.current) return
    told.current = search
    change(given)
  }, [search])
  // The address is debounced, since browsers limit how often it may change.
  useEffect(() => {
    const next = queryString(calm, defaults)
    if (next === told.current) return
    told.current = next
    setQuery(queryChanges(calm, defaults))
  }, [calm])
  return { settings, defaults, refused: fromLink.refused, change, calm }
}

const CALM_MS = 220

/** Debounces the settings, in the form that the address has. */
export function useCalm(settings: Settings): Settings {
  const [calm, setCalm] = useState(settings)
  useEffect(() => {
    const timer = window.setTimeout(() => setCalm(settings), CALM_MS)
    return () => window.clearTimeout(timer)
  }, [settings])
  return calm
}
