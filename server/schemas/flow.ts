import { z } from 'zod'
import { flag, number, StudyReference, text, Uuid, whole } from './values.ts'

/** A step of a test. Steps are served as they were imported, so only `type` is certain. */

export const Answer = z
  .looseObject({
    id: Uuid,
    text: text('Text of the message'),
    sortingValue: whole('Position among the answers'),
    imageUrl: text('null without an image').nullable(),
  })
  .partial()
  .describe('Answer to choose from')

export const MessageStep = z
  .looseObject({
    type: z.literal('message'),
    text: text('Text shown to the participant').optional(),
    cta: z
      .looseObject({ text: text('Label'), elementType: text('Such as `button`') })
      .partial()
      .describe('Call to action')
      .optional(),
  })
  .describe('Step that shows a text')

export const CountdownStep = z
  .looseObject({ type: z.literal('countdown'), durationMs: whole('ms').optional() })
  .describe('Step with a countdown')

export const StimuliStep = z
  .looseObject({
    type: z.literal('stimuli'),
    stimuli: z
      .looseObject({
        id: Uuid.describe("The item's id"),
        type: text('Such as `images`'),
        durationMs: whole('Display duration, ms'),
        isScrollingEnabled: flag('True if the item can be scrolled'),
        isFinishOnKeyEnabled: flag('True if a key press ends the step'),
        isFinishOnClickEnabled: flag('True if a click ends the step'),
        watermarkOpacity: number('0 for none'),
      })
      .partial()
      .describe('Stimulus and how it is shown')
      .optional(),
  })
  .describe('Step that shows an item')

export const QuestionStep = z
  .looseObject({
    type: z.literal('question'),
    question: z
      .looseObject({
        id: Uuid,
        refItem: z.looseObject({ id: Uuid }).partial().describe('Item that the question refers to'),
        type: text('`choice` or `form`'),
        text: text('The question; a form may carry a placeholder'),
        isAnswerRequired: flag('True if an answer is required'),
        answerViewMode: text('`text` for a choice, `textArea` for a form'),
        sortingValue: whole('Position among the questions'),
        answers: z.array(Answer).describe('Options of a choice'),
        hasRandomizedAnswers: flag('Options of a choice'),
        minAnswerCount: whole('Options of a choice'),
        maxAnswerCount: whole('Options of a choice'),
        formType: text('Kind of form, such as `serviceBasicSurvey`'),
      })
      .partial()
      .describe('The question')
      .optional(),
  })
  .describe('Step that asks a question')

export const OtherStep = z.looseObject({ type: text('Type of the step') }).describe('Step of any type')

export const Step = z
  .union([MessageStep, CountdownStep, StimuliStep, QuestionStep, OtherStep])
  .describe('A step. Its fields depend on its `type`; unknown types and fields are served unchanged.')

export const Flow = z
  .object({
    study: StudyReference,
    steps: z.array(Step).describe('Steps, executed in sequence'),
    isServiceBasicSurveyEnabled: flag("True if the platform's basic survey is enabled"),
  })
  .describe('Get the study flow: the ordered steps of a test')
