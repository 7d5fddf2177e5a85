import { options } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Colours of drawings as values, since a saved drawing has no style sheet. */
export type Colors = {
  ink: string
  muted: string
  line: string
  surface: string
  accent: string
  second: string
  /** Background of pictures and bars. */
  sunken: string
  isDark: boolean
}

export const LIGHT: Colors = {
  ink: '#16212b',
  muted: '#52616e',
  line: '#dbe2e7',
  surface: '#ffffff',
  accent: '#0b5c72',
  second: '#b4521a',
  sunken: '#eef2f4',
  isDark: false,
}

const DARK: Colors = {
  ink: '#e9eef2',
  muted: '#a7b4bf',
  line: '#33404b',
  surface: '#182028',
  accent: '#74c7db',
  second: '#f0a36b',
  sunken: '#222c35',
  isDark: true,
}

export type ThemeChoice = 'auto' | 'light' | 'dark'
const KEY = 'gazette-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): ThemeChoice {
  const value = localStorage.getItem(KEY)
  return value === 'light' || value === 'dark' ? value : 'auto'
}

let isPrinting = false

function apply(choice: ThemeChoice): boolean {
  const isDark = isPrinting ? false : choice === 'auto' ? system.matches : choice === 'dark'
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  return isDark
}

/** Sets the theme before the first paint; print is light. */
export function startTheme(): void {
  apply(stored())
  system.addEventListener('change', followTheme)
  window.addEventListener('beforeprint', () => print(true))
  window.addEventListener('afterprint', () => print(false))
}

const listeners = new Set<() => void>()

/** Redraws everything for print or for the screen, synchronously. */
function print(isNow: boolean): void {
  isPrinting = isNow
  const before = options.debounceRendering
  options.debounceRendering = (render) => render()
  followTheme()
  options.debounceRendering = before
}

/** Applies the chosen theme, or that of the system, to a page with drawings or without. */
function followTheme(): void {
  apply(stored())
  for (const listener of listeners) listener()
}

export function chooseTheme(choice: ThemeChoice): void {
  localStorage.setItem(KEY, choice)
  followTheme()
}

export function useTheme(): { choice: ThemeChoice; colors: Colors } {
  const [choice, setChoice] = useState(stored)
  const [isDark, setIsDark] = useState(() => apply(stored()))
  useEffect(() => {
    const update = () => {
      setChoice(stored())
      setIsDark(apply(stored()))
    }
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
  return { choice, colors: isDark ? DARK : LIGHT }
}
