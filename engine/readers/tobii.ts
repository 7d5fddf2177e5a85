import { ServiceError } from '../model/errors.ts'
import type { DisplayRectangle } from '../model/study.ts'
import { makeBatch } from './batch.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { stemOf } from './file-names.ts'
import { numberIn } from './numbers.ts'
import type { Reader, Screen } from './reader.ts'
import { cellNumber, cellText, isEmptyCell, type Rows, repeatedText } from './rows.ts'
import { sampleRows } from './sample-rows.ts'
import { needScreen } from './screen.ts'
import type { SourceFile } from './source-files.ts'
import { type TableHead, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/**
 * Tobii Pro Lab's data export, and Tobii Studio's: a row per sample of the eye tracker or the mouse, and per event. Gaze in px of the
 * display from its upper left (DACS px; ADCSpx in Studio), empty where lost; time in ms or µs since the recording's start. A test is one
 * run of rows with the same stimulus; its onset is the stimulus' start event, else its first row.
 */
export const tobii: Reader = {
  name: 'tobii',
  title: 'Tobii Pro Lab or Tobii Studio export',
  recognises: (file) => {
    const columns = findColumns(tableHead(file))
    return columns !== null && (columns.gaze !== null || columns.eyes.length > 0)
  },
  async *read(files, _all, draft, { screen }) {
    const batch = makeBatch()
    let outside = 0
    for (const file of files) {
      const head = tableHead(file)!
      const { decimalMark } = head
      const columns = findColumns(head)!
      const unitMs = columns.timeUnitMs ?? guessUnit(head, columns, draft, file)
      if (columns.stimulus < 0)
        throw new ServiceError(
          'invalid_bundle',
          `${file.name} has no column Presented Stimulus name, so that nobody can tell what was looked at: export it with that`,
        )
      if (columns.participant < 0)
        noteAssumed(draft, `${file.name} names no participant: it is one, called as the file`)
      const texts = {
        participant: repeatedText(columns.participant),
        recording: repeatedText(columns.recording),
        stimulus: repeatedText(columns.stimulus),
        sensor: repeatedText(columns.sensor),
        event: repeatedText(columns.event),
      }
      const unreadable = noneUnreadable()
      const onsets = new Map<string, number>()
      let [recording, participant, stimulus] = ['', '', '']
      let test = -1
      let window: Screen | null = null
      let [mouseX, mouseY] = [Number.NaN, Number.NaN]
      let withoutTime = 0
      const coordinate = (rows: Rows, cell: number) => measured(rows, cell, decimalMark, unreadable)

      const startTest = (rows: Rows, tMs: number): number => {
        const person = participantOf(draft, participant || stemOf(file.name))
        window ??= needScreen(windowOf(rows, columns), screen, file.name, draft)
        const number = (cell: number) => cellNumber(rows, cell, decimalMark) || null
        const [widthPx, heightPx] = [number(columns.originalWidth), number(columns.originalHeight)]
        const isSized = widthPx !== null && heightPx !== null
        const item = itemOf(draft, stimulus, isSized ? { widthPx, heightPx } : {})
        return addTest(draft, person, item, {
          displayOrder: nextDisplayOrder(draft, person),
          windowWidthPx: window.widthPx,
          windowHeightPx: window.heightPx,
          display: displayOf(rows, columns, window, decimalMark, draft),
          onsetMs: onsets.get(stimulus) ?? tMs,
          notes: texts.recording(rows),
        })
      }

      yield* sampleRows(file, draft, batch, (rows) => {
        const tMs = cellNumber(rows, columns.time, decimalMark) * unitMs
        if (Number.isNaN(tMs)) {
          withoutTime++
          return
        }
        if (texts.recording(rows) !== recording || texts.participant(rows) !== participant) {
          recording = texts.recording(rows)
          participant = texts.participant(rows)
          window = null
          test = -1
          onsets.clear()
        }
        const event = texts.event(rows)
        const isClick = event === 'MouseEvent' && /down/i.test(cellText(rows, columns.eventValue))
        if (event.endsWith('StimulusStart') || event === 'URLStart')
          onsets.set(cellText(rows, columns.eventValue) || texts.stimulus(rows), tMs)
        if (event.endsWith('StimulusEnd') || event === 'URLEnd') test = -1
        const now = texts.stimulus(rows)
        const sensor = columns.sensor < 0 ? (event === '' ? 'Eye Tracker' : '') : texts.sensor(rows)
        const isGaze = sensor === 'Eye Tracker'
        if (!isGaze && sensor !== 'Mouse' && !isClick) return
        if (now === '') {
          test = -1
          outside++
          return
        }
        if (test < 0 || now !== stimulus) {
          stimulus = now
          test = startTest(rows, tMs)
          onsets.delete(now)
        }
        const i = batch.n++
        batch.test[i] = test
        batch.tMs[i] = tMs
        batch.isClick[i] = isClick ? 1 : 0
        batch.gazeXPx[i] = Number.NaN
        batch.gazeYPx[i] = Number.NaN
        if (isGaze) {
          let [x, y, n] = [0, 0, 0]
          if (columns.gaze !== null) {
            const isLost = columns.eyes.length > 0 && columns.eyes.every(({ isInvalid }) => isInvalid(rows))
            x = coordinate(rows, columns.gaze.x)
            y = coordinate(rows, columns.gaze.y)
            n = isLost || x - x !== 0 || y - y !== 0 ? 0 : 1
          } else {
            for (const eye of columns.eyes) {
              const [eyeX, eyeY] = [coordinate(rows, eye.x), coordinate(rows, eye.y)]
              if (eye.isInvalid(rows) || eyeX - eyeX !== 0 || eyeY - eyeY !== 0) continue
              x += eyeX
              y += eyeY
              n++
            }
          }
          if (n > 0) {
            batch.gazeXPx[i] = x / n
            batch.gazeYPx[i] = y / n
          }
        }
        batch.mouseXPx[i] = Number.NaN
        batch.mouseYPx[i] = Number.NaN
        if (sensor === 'Mouse' || isClick) {
          if (!isEmptyCell(rows, columns.mouseX) && !isEmptyCell(rows, columns.mouseY)) {
            mouseX = coordinate(rows, columns.mouseX)
            mouseY = coordinate(rows, columns.mouseY)
          }
          batch.mouseXPx[i] = mouseX
          batch.mouseYPx[i] = mouseY
        }
      })
      if (columns.gaze === null) noteAssumed(draft, 'gaze is the mean of the eyes that are valid')
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
    }
    noteLeft(draft, 'samples outside of any stimulus', outside)
    noteLeft(draft, "pupils, eye positions and the tracker's own eye movements: they are computed anew or not needed")
    if (batch.n > 0) yield batch
  },
}

type Eye = { x: number; y: number; isInvalid: (rows: Rows) => boolean }
type Columns = NonNullable<ReturnType<typeof findColumns>>

const TIME_UNITS: Record<string, number> = { ms: 1, us: 1e-3, s: 1000 }

/** "Gaze point X [DACS px]", "GazePointX (ADCSpx)": the same name, and the unit. */
function nameAndUnit(column: string): { name: string; unit: string } {
  const unit = /[[(]([^\])]*)[\])]/.exec(column)?.[1] ?? ''
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[μµ]/g, 'u')
      .replace(/[^a-z0-9]/g, '')
  return { name: plain(column.replace(/[[(][^\])]*[\])]/g, '')), unit: plain(unit) }
}

function findColumns(head: TableHead | null) {
  if (head === null) return null
  const names = head.header.map(nameAndUnit)
  const find = (...wanted: string[]) => names.findIndex(({ name }) => wanted.includes(name))
  const findPx = (name: string) =>
    names.findIndex((one) => one.name === name && ['', 'px', 'dacspx', 'adcspx'].includes(one.unit))
  const time = find('recordingtimestamp')
  if (time < 0) return null
  const pair = (x: string, y: string) => {
    const found = { x: findPx(x), y: findPx(y) }
    return found.x < 0 || found.y < 0 ? null : found
  }
  const eyes = ['left', 'right'].flatMap((side): Eye[] => {
    const found = pair(`gazepoint${side}x`, `gazepoint${side}y`)
    const validity = repeatedText(find(`validity${side}`))
    // Pro Lab writes words; Studio 0 to 4, of which 0 and 1 are this eye for certain.
    return found ? [{ ...found, isInvalid: (rows) => /^(invalid|[2-4])$/i.test(validity(rows)) }] : []
  })
  return {
    time,
    timeUnitMs: TIME_UNITS[names[time].unit] ?? null,
    participant: find('participantname'),
    recording: find('recordingname'),
    stimulus: find('presentedstimulusname', 'presentedmedianame', 'stimulusname', 'medianame'),
    sensor: find('sensor'),
    event: find('event', 'studioevent'),
    eventValue: find('eventvalue', 'studioeventdata'),
    gaze: pair('gazepointx', 'gazepointy'),
    eyes,
    mouseX: findPx('mousepositionx'),
    mouseY: findPx('mousepositiony'),
    screenWidth: find('recordingresolutionwidth'),
    screenHeight: find('recordingresolutionheight'),
    resolution: find('recordingresolution'),
    presentedWidth: find('presentedmediawidth', 'presentedstimuluswidth'),
    presentedHeight: find('presentedmediaheight', 'presentedstimulusheight'),
    presentedX: find('presentedmediapositionx', 'mediaposx'),
    presentedY: find('presentedmediapositiony', 'mediaposy'),
    originalWidth: find('originalmediawidth', 'mediawidth'),
    originalHeight: find('originalmediaheight', 'mediaheight'),
  }
}

/** Where the header gives no unit: no eye tracker's samples lie 100 ms apart, nor less than 0.1 ms. */
function guessUnit({ rows, decimalMark }: TableHead, columns: Columns, draft: Draft, file: SourceFile): number {
  const times = rows.map((cells) => numberIn(cells[columns.time] ?? '', decimalMark))
  const steps = times.slice(1).map((time, i) => time - times[i])
  const usual = steps.filter((step) => step > 0).sort((a, b) => a - b)
  const isUs = usual.length > 0 && usual[usual.length >> 1] > 100
  noteAssumed(
    draft,
    `the times of ${file.name}, which have no unit, are ${isUs ? 'µs' : 'ms'}, by the step between them`,
  )
  return isUs ? 1e-3 : 1
}

function windowOf(rows: Rows, columns: Columns): Screen | null {
  const both = /^(\d+)\s*x\s*(\d+)$/i.exec(columns.resolution < 0 ? '' : cellText(rows, columns.resolution))
  const widthPx = both ? Number(both[1]) : numberIn(cellText(rows, columns.screenWidth))
  const heightPx = both ? Number(both[2]) : numberIn(cellText(rows, columns.screenHeight))
  return widthPx >= 1 && heightPx >= 1 ? { widthPx, heightPx } : null
}

/** Where the stimulus lay; null when the export does not say, so that import lays it out. */
function displayOf(
  rows: Rows,
  columns: Columns,
  { widthPx: windowWidth, heightPx: windowHeight }: Screen,
  decimalMark: TableHead['decimalMark'],
  draft: Draft,
): DisplayRectangle | null {
  const number = (cell: number) => cellNumber(rows, cell, decimalMark)
  const [widthPx, heightPx] = [number(columns.presentedWidth), number(columns.presentedHeight)]
  if (!(widthPx >= 1 && heightPx >= 1)) return null
  const centred = { leftPx: (windowWidth - widthPx) / 2, topPx: (windowHeight - heightPx) / 2 }
  const [x, y] = [number(columns.presentedX), number(columns.presentedY)]
  const isCentre = Math.abs(x - windowWidth / 2) < 1 && Math.abs(y - windowHeight / 2) < 1
  if (Number.isNaN(x) || Number.isNaN(y)) {
    noteAssumed(draft, 'stimuli were shown in the middle of the display')
    return { ...centred, widthPx, heightPx }
  }
  if (isCentre) return { ...centred, widthPx, heightPx }
  noteAssumed(draft, "the position of a stimulus is that of its upper left corner, unless it is the display's centre")
  return { leftPx: x, topPx: y, widthPx, heightPx }
}
