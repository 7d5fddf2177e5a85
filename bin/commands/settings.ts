import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import { SETTINGS } from '../../engine/model/settings.ts'
import { printJson } from '../output/print-json.ts'
import { asCalled, PROGRAM } from '../terminal/program-name.ts'

type Setting = (typeof SETTINGS)[number]

/** Runs `gazette settings`: lists all settings, or explains the named ones. @throws ServiceError usage */
export function listSettings({ names, json = false }: { names: string[]; json?: boolean }): void {
  const named = settingsNamed(names)
  if (json) printJson('settings', { settings: (named.length > 0 ? named : SETTINGS).map(viewSetting) })
  else console.log(named.length > 0 ? asCalled(named.map(explained).join('\n')) : overview())
}

function settingsNamed(names: string[]): Setting[] {
  const known = SETTINGS.map(({ name }) => name)
  const asked = names.map((name) => name.toUpperCase().replace(/^GAZETTE_/, ''))
  const wrong = asked.find((name) => !known.includes(name))
  if (wrong !== undefined) {
    const near = nearest(wrong, known).nearest
    throw new ServiceError('usage', `there is no setting ${wrong}${didYouMean(near)}`)
  }
  return SETTINGS.filter(({ name }) => asked.includes(name))
}

function viewSetting({ name, unit, default: fallback, range, meaning }: Setting) {
  return { name, unit, default: fallback === 'none' ? null : fallback, range, meaning }
}

function explained({ name, unit, default: fallback, range, meaning }: Setting): string {
  return `${name}: ${meaning}\n  ${[range, unit].filter(Boolean).join(' ')}; default: ${fallback || 'none'}`
}

/** Lists all settings, those with a default first, two to a line of 80 characters. */
function overview(): string {
  const [unset, set] = [true, false].map((isUnset) => SETTINGS.filter((each) => (each.default === 'none') === isUnset))
  const cells = set.map(({ name, unit, default: fallback }) => `${name}=${fallback} ${unit} `.padEnd(41))
  const half = Math.ceil(cells.length / 2)
  const lines = cells.slice(0, half).map((cell, i) => `${cell}${cells[half + i] ?? ''}`.trimEnd())
  const others = `Without a default: ${unset.map(({ name }) => name).join(' ')}`.match(/.{1,79}( |$)/g) ?? []
  return [...lines, ...others.map((line) => line.trimEnd()), `${PROGRAM} settings NAME explains a setting`].join('\n')
}
