import type { ValueColumn } from '../reader/value-columns.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'

type Pair = { x: number; y: number }
export type TobiiColumns = NonNullable<ReturnType<typeof findTobiiColumns>>

const TIME_UNITS: Record<string, number> = { ms: 1, us: 1e-3, s: 1000 }

/** Splits "Gaze point X [DACS px]" and "GazePointX (ADCSpx)" into the same name, and the unit. */
function nameAndUnit(column: string): { name: string; unit: string } {
  const unit = /[[(]([^\])]*)[\])]/.exec(column)?.[1] ?? ''
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[μµ]/g, 'u')
      .replace(/[^a-z0-9]/g, '')
  return { name: plain(column.replace(/[[(][^\])]*[\])]/g, '')), unit: plain(unit) }
}

const UNITS: Record<string, string[]> = { px: ['', 'px', 'dacspx', 'adcspx'], mm: ['', 'mm'] }

const eyeValues = (side: 'left' | 'right', valid: [string] = [`validity${side}`]): ValueColumn[] => [
  { into: `${side}GazeXPx`, name: `gazepoint${side}x`, unit: 'px', valid },
  { into: `${side}GazeYPx`, name: `gazepoint${side}y`, unit: 'px', valid },
  { into: `${side}Pupil`, name: `pupildiameter${side}`, unit: 'mm', valid },
  { into: `${side}Pupil`, name: `pupil${side}`, unit: 'mm', valid },
  { into: `${side}EyeDistanceMm`, name: `distance${side}`, unit: 'mm', valid },
]

/** Values of a sample; the gaze of both eyes is lost if both are. */
export const TOBII_VALUES: ValueColumn[] = [
  { into: 'gazeXPx', name: 'gazepointx', unit: 'px', valid: ['validityleft', 'validityright'] },
  { into: 'gazeYPx', name: 'gazepointy', unit: 'px', valid: ['validityleft', 'validityright'] },
  ...eyeValues('left'),
  ...eyeValues('right'),
]

/** Pro Lab writes words; Studio 0 to 4, of which 0 and 1 are certainly this eye. */
export const TOBII_LOST = /^(invalid|[2-4]([.,]0*)?)$/i

/** Finds the columns of an export of Pro Lab or Studio; null for another table. */
export function findTobiiColumns(head: TableHead | null) {
  if (head === null) return null
  const names = head.header.map(nameAndUnit)
  const find = (...wanted: string[]) => names.findIndex(({ name }) => wanted.includes(name))
  const findValue = (name: string, unit: string | null) =>
    names.findIndex((one) => one.name === name && (unit === null || (UNITS[unit] ?? []).includes(one.unit)))
  const time = find('recordingtimestamp')
  if (time < 0) return null
  const pair = (name: string): Pair | null => {
    const found = { x: findValue(`${name}x`, 'px'), y: findValue(`${name}y`, 'px') }
    return found.x < 0 || found.y < 0 ? null : found
  }
  return {
    time,
    timeUnitMs: TIME_UNITS[names[time].unit] ?? null,
    participant: find('participantname'),
    recording: find('recordingname'),
    stimulus: find('presentedstimulusname', 'presentedmedianame', 'stimulusname', 'medianame'),
    sensor: find('sensor'),
    /** Columns filled only in rows of events. */
    events: ['event', 'studioevent', 'mouseevent', 'keypressevent', 'externalevent'].map((name) => find(name)),
    event: find('event', 'studioevent'),
    eventValue: find('eventvalue', 'studioeventdata'),
    mouseEvent: find('mouseevent'),
    gazeIndex: find('gazepointindex'),
    gaze: pair('gazepoint'),
    eyes: (['left', 'right'] as const).flatMap((side) => {
      const found = pair(`gazepoint${side}`)
      return found ? [{ ...found, side }] : []
    }),
    /** Finds the column of a value, or of a validity. */
    findValue: ({ name, unit }: { name: string; unit: string | null }) => findValue(name, unit),
    mouse: pair('mouseposition'),
    click: pair('mouseevent'),
    screenWidth: find('recordingresolutionwidth'),
    screenHeight: find('recordingresolutionheight'),
    resolution: find('recordingresolution'),
    /** Size and position of the medium on the display. Studio gives no other size. */
    shown: {
      width: find('presentedmediawidth', 'presentedstimuluswidth', 'mediawidth'),
      height: find('presentedmediaheight', 'presentedstimulusheight', 'mediaheight'),
    },
    /** Position in Pro Lab, possibly of the middle of the medium. */
    position: pair('presentedmediaposition'),
    /** Position in Studio, of the medium's upper left corner. */
    corner: pair('mediapos'),
    originalWidth: find('originalmediawidth', 'mediawidth'),
    originalHeight: find('originalmediaheight', 'mediaheight'),
  }
}

/**
 * Guesses the unit of a time column without one, in ms: no eye tracker's samples are more than 100 ms apart, nor less
 * than 0.1 ms.
 */
export function guessTimeUnit({ rows, decimalMark }: TableHead, time: number): { unitMs: number; name: string } {
  const times = rows.map((cells) => numberIn(cells[time] ?? '', decimalMark))
  const steps = times.slice(1).map((t, i) => t - times[i])
  const usual = steps.filter((step) => step > 0).sort((a, b) => a - b)
  const isUs = usual.length > 0 && usual[usual.length >> 1] > 100
  return isUs ? { unitMs: 1e-3, name: 'µs' } : { unitMs: 1, name: 'ms' }
}
