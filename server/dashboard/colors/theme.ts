import { useEffect, useState } from 'preact/hooks'

/** Colours of drawings, as values: a saved drawing stands alone, without our style sheet. */
export type Colors = {
  ink: string
  muted: string
  line: string
  surface: string
  accent: string
  second: string
  /** Behind pictures and bars. */
  sunken: string
}

export const LIGHT: Colors = {
  ink: '#16212b',
  muted: '#52616e',
  line: '#dbe2e7',
  surface: '#ffffff',
  accent: '#0b5c72',
  second: '#b4521a',
  sunken: '#eef2f4',
}

export const DARK: Colors = {
  ink: '#e9eef2',
  muted: '#a7b4bf',
  line: '#33404b',
  surface: '#182028',
  accent: '#74c7db',
  second: '#f0a36b',
  sunken: '#222c35',
}

export type Choice = 'auto' | 'light' | 'dark'
const KEY = 'gazette-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): Choice {
  const value = localStorage.getItem(KEY)
  return value === 'light' || value === 'dark' ? value : 'auto'
}

function apply(choice: Choice): boolean {
  const isDark = choice === 'auto' ? system.matches : choice === 'dark'
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  return isDark
}

/** Sets the theme, before the first paint. */
export function startTheme(): void {
  apply(stored())
}

const listeners = new Set<() => void>()

export function chooseTheme(choice: Choice): void {
  localStorage.setItem(KEY, choice)
  apply(choice)
  for (const listener of listeners) listener()
}

export function useTheme(): { choice: Choice; colors: Colors } {
  const [choice, setChoice] = useState(stored)
  const [isDark, setIsDark] = useState(() => apply(stored()))
  useEffect(() => {
    const update = () => {
      setChoice(stored())
      setIsDark(apply(stored()))
    }
    listeners.add(update)
    system.addEventListener('change', update)
    return () => {
      listeners.delete(update)
      system.removeEventListener('change', update)
    }
  }, [])
  return { choice, colors: isDark ? DARK : LIGHT }
}
