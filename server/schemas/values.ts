import { z } from 'zod'
import { EXPORT_NAMES } from '../../engine/model/export-names.ts'
import { EYES } from '../../engine/model/eye-columns.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import {
  DENOMINATORS,
  EXTRAS,
  LINE_METHODS,
  NUMBER_PARAMETERS,
  type NumberParameter,
  PARAMETER_NAMES,
  READING_STARTS,
  UUID,
} from '../../engine/model/parameters.ts'
import { isProjectName, PROJECT_MAX, PROJECT_RULE } from '../../engine/model/projects.ts'
import { Analysis } from '../../engine/snapshot/analyses/analysis-schema.ts'
import { DETECTOR_NAMES } from '../../isomorphic/detector-settings.ts'

/** Building blocks of the bodies of answers. */

export const Uuid = z
  .string()
  .regex(new RegExp(UUID.source.replaceAll('a-f', 'a-fA-F')), 'must be a UUID')
  .meta({ format: 'uuid' })
export const text = (description: string) => z.string().describe(description)
export const address = (description: string) => text(description).meta({ format: 'uri-reference' })
export const time = (description: string) => text(description).meta({ format: 'date-time' })
export const sha256 = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe(description)
export const number = (description: string) => z.number().describe(description)
export const whole = (description: string) => z.int().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)
export const flag = (description: string) => z.boolean().describe(description)

export const ProjectName = z
  .string()
  .refine(isProjectName, PROJECT_RULE)
  .meta({ minLength: 1, maxLength: PROJECT_MAX })
  .describe('Project of the study, by name')

export const StudyReference = z.object({ id: Uuid }).describe('The study')
export const exportName = z.enum(EXPORT_NAMES)
export const formatName = z.enum(FORMAT_NAMES)
export const parameterName = z.enum(PARAMETER_NAMES)
export const nextCursor = text('Value of `cursor` for the next page; null on the last page').nullable()

type NumberName = keyof typeof NUMBER_PARAMETERS

function numberSchema({ kind, min, max, default: value }: NumberParameter): z.ZodNumber {
  const type = kind === 'int' ? z.int() : z.number()
  return type.min(min).max(max).meta({ default: value })
}

const numbers = Object.entries(NUMBER_PARAMETERS).map(([name, parameter]) => [name, numberSchema(parameter)])

/** Every parameter of exports, validated, with its default filled in. */
export const Parameters = z.object({
  itemId: Uuid.nullable().describe('null for all items'),
  detector: z.enum(DETECTOR_NAMES).meta({ default: DETECTOR_NAMES[0] }),
  eye: z.enum(EYES).optional().describe('Eye whose gaze is used; if absent, gaze is as recorded'),
  filter: text('Condition on tests; null for none').nullable(),
  analysis: text(
    'Analysis with its version. Its settings, ignored participants and offsets are included in the other fields; its filter applies in addition',
  ).optional(),
  fromMs: z.int().optional().describe('Start of the time window. If absent, item onset'),
  toMs: z.int().optional().describe('End of the time window. If absent, no end'),
  eventType: text('Name of the events from which time is measured. If absent, item onset').optional(),
  aoiNames: z.array(z.string()).optional().describe('Names of AOIs. If absent, all'),
  denominator: z.enum(DENOMINATORS).meta({ default: DENOMINATORS[0] }),
  readingFrom: z
    .union([z.enum(READING_STARTS), z.int().min(0)])
    .optional()
    .describe('Start of reading. If absent, the first fixation'),
  lines: z
    .enum(LINE_METHODS)
    .optional()
    .describe('Algorithm that moves fixations to lines. If absent, they stay where they are'),
  extras: z.array(z.enum(EXTRAS)).optional().describe('Kinds of further columns. If absent, none'),
  ignored: z.array(Uuid).optional().describe('Participants whose tests are left out'),
  offsets: Analysis.shape.offsets.describe('Corrections of gaze by the analysis'),
  ...(Object.fromEntries(numbers) as Record<NumberName, z.ZodNumber>),
})
