import type { Aoi, Item, Recording, Study } from '../engine/model/study.ts'
import type { DemoIds } from './ids.ts'
import type { DemoItem } from './pictures.ts'

/** The screen is that on which a window of 1920 px stands, at 40 px a degree. */
const SET_UP: Recording = {
  manufacturer: 'Gazette',
  model: 'synthetic webcam',
  calibrationType: 'followed dot',
  calibrationPoints: 9,
  environment: 'at home, on screens of several sizes; the one given here stands for all',
  screenWidthPx: 1920,
  screenHeightPx: 1080,
  screenWidthCm: 50.3,
  screenHeightCm: 28.3,
  viewingDistanceCm: 60,
}

/** Returns what study.json holds: the items with their areas, and the flow that shows them. */
export function makeStudy(name: string, items: DemoItem[], ids: DemoIds, stimuliDurationMs: number, hz: number): Study {
  return {
    id: ids.study,
    name,
    isServiceBasicSurveyEnabled: true,
    steps: makeSteps(items, ids, stimuliDurationMs),
    items: items.map(
      ({ filename, widthPx, heightPx }, index): Item => ({
        id: ids.item(index),
        filename,
        cdnUrl: `https://cdn.example.org/${filename}`,
        type: 'images',
        stimuliDurationMs,
        widthPx,
        heightPx,
      }),
    ),
    aois: items
      .flatMap(({ aois }, index) => aois.map((aoi) => ({ itemId: ids.item(index), ...aoi })))
      .map((aoi, index): Aoi => ({ id: ids.aoi(index), ...aoi })),
    recording: { ...SET_UP, nominalSamplingRateHz: hz },
  }
}

function makeSteps(items: DemoItem[], ids: DemoIds, durationMs: number): unknown[] {
  const shown = items.flatMap((item, index) => [
    { type: 'countdown', durationMs: 3000 },
    {
      type: 'stimuli',
      stimuli: {
        id: ids.item(index),
        type: 'images',
        durationMs,
        isScrollingEnabled: item.isScrolling,
        isFinishOnKeyEnabled: item.isFinishOnKey,
        isFinishOnClickEnabled: item.isFinishOnClick,
        watermarkOpacity: 0,
      },
    },
    ...(item.question === '' ? [] : [choice(item, index, ids)]),
  ])
  return [
    message('Welcome. You will see some pictures and pages. Please sit still and keep your face in the frame.', 'Next'),
    message('We now calibrate the camera. Follow the dot with your eyes only.', 'Start'),
    ...shown,
    form(items.length, 'What do you remember best? A few words will do.', ids, items.length - 1, null),
    form(items.length + 1, 'Please tell us a little about yourself.', ids, items.length - 1, 'serviceBasicSurvey'),
    message('That was all. Thank you for taking part!', 'Finish'),
  ]
}

function message(text: string, label: string): unknown {
  return { type: 'message', text, cta: { text: label, elementType: 'button' } }
}

function choice(item: DemoItem, index: number, ids: DemoIds): unknown {
  const answers = item.answers.map((text, i) => ({
    id: ids.answer(index * 16 + i),
    text,
    sortingValue: i + 1,
    imageUrl: null,
  }))
  return {
    type: 'question',
    question: {
      id: ids.question(index),
      refItem: { id: ids.item(index) },
      type: 'choice',
      text: item.question,
      isAnswerRequired: true,
      answerViewMode: 'text',
      sortingValue: index + 1,
      answers,
      hasRandomizedAnswers: false,
      minAnswerCount: 1,
      maxAnswerCount: 1,
    },
  }
}

function form(index: number, text: string, ids: DemoIds, itemIndex: number, formType: string | null): unknown {
  return {
    type: 'question',
    question: {
      id: ids.question(index),
      refItem: { id: ids.item(itemIndex) },
      type: 'form',
      text,
      isAnswerRequired: formType !== null,
      answerViewMode: 'textArea',
      sortingValue: index + 1,
      ...(formType === null ? {} : { formType }),
    },
  }
}
