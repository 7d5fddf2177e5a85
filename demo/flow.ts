import type { Aoi, Item, Study } from '../engine/model/study.ts'
import type { DemoIds } from './ids.ts'
import type { DemoItem } from './pictures.ts'

/** Returns what study.json holds: the items with their areas, and the flow that shows them. */
export function makeStudy(name: string, items: DemoItem[], ids: DemoIds, stimuliDurationMs: number): Study {
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
