import { pick, type Random } from '../random.ts'

export type Palette = { ink: string; deep: string; main: string; accent: string; soft: string; paper: string }

const PALETTES: Palette[] = [
  { ink: '#1d2733', deep: '#12355b', main: '#2a6f97', accent: '#f4a259', soft: '#cfe3ee', paper: '#f7fafc' },
  { ink: '#2b2118', deep: '#5b2a14', main: '#b5532a', accent: '#f2c14e', soft: '#f3ddc9', paper: '#fdf8f3' },
  { ink: '#16302b', deep: '#0f4c3a', main: '#2f8f6b', accent: '#ff7f51', soft: '#cdeadf', paper: '#f6fbf8' },
  { ink: '#2a1f3d', deep: '#3c1b6e', main: '#7248b5', accent: '#ffb627', soft: '#e2d8f2', paper: '#faf8fd' },
  { ink: '#2d1a22', deep: '#6d1a36', main: '#c2385b', accent: '#3aafa9', soft: '#f6d5dd', paper: '#fef8f9' },
  { ink: '#1f2a2e', deep: '#184e58', main: '#21878f', accent: '#e9573f', soft: '#c9e7e8', paper: '#f5fbfb' },
]

export function pickPalette(random: Random): Palette {
  return pick(random, PALETTES)
}

const SKIN = ['#f3cdb0', '#e0ac86', '#c68a62', '#8d5a3b', '#6b4229']
const HAIR = ['#22160f', '#4a2c17', '#7a4a22', '#b98544', '#8d8d92', '#a33b1f']

export const pickSkin = (random: Random) => pick(random, SKIN)
export const pickHair = (random: Random) => pick(random, HAIR)
