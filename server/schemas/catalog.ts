import { z } from 'zod'
import { EXTRAS } from '../../engine/model/parameters.ts'
import { address, exportName, formatName, number, parameterName, text } from './values.ts'

export const Export = z
  .object({
    name: exportName,
    title: text('Display name'),
    rowPer: text('Unit of a row'),
    question: text('Question that the export answers'),
    isRecommended: z.boolean().describe('True for the recommended export among those that answer the question'),
    path: text('Path; replace {studyId}'),
    variant: z.literal(['raw', 'normalized', 'mouse', null]).describe('Distinguishes exports that share a path'),
    settings: z.array(parameterName).describe('Parameters that `notes` lists'),
    extras: z.array(z.enum(EXTRAS)).describe('Kinds of further columns that it has'),
    schema: address('Address of the Table Schema'),
  })
  .describe('An export')

export const ParameterDescription = z
  .object({
    name: parameterName,
    kind: z.enum(['uuid', 'choice', 'choices', 'int', 'float', 'condition', 'analysis', 'moment', 'event', 'names']),
    unit: text('Unit').optional(),
    choices: z.array(z.string()).describe('Allowed values').optional(),
    default: z.union([z.number(), z.string()]).nullable().describe('Default value'),
    min: number('Minimum').optional(),
    max: number('Maximum').optional(),
    meaning: text('Effect of the parameter'),
  })
  .describe('Parameter of every export')

export const FormatDescription = z
  .object({ name: formatName, title: text('Display name'), extension: text('File name extension') })
  .describe('Output format of every export')

export const ExportList = z
  .object({
    exports: z.array(Export),
    questions: z.array(z.string()).describe('Questions that exports answer, in order'),
    parameters: z.array(ParameterDescription),
    formats: z.array(FormatDescription),
  })
  .describe('Exports, their parameters and formats')

export const TableField = z
  .object({
    name: text('Name of the column, as in the header'),
    type: z.enum(['string', 'integer', 'number', 'boolean', 'datetime', 'array']),
    format: z.enum(['uuid', 'uri', 'any']).optional(),
    unit: text('Unit; null if dimensionless').nullable(),
    description: text('Meaning'),
    missingValues: z.array(z.string()).max(1).describe('Text that stands for an unknown value'),
    constraints: z
      .object({ required: z.literal(true) })
      .describe('Constraints on each value')
      .optional(),
    optional: z.literal(true).describe('The column exists in some studies only; `*` stands for any name').optional(),
    formulaGuard: z
      .literal(true)
      .describe("True if CSV text that begins like a formula gets a leading `'`, which readers must remove")
      .optional(),
  })
  .describe('A column')

export const TableSchema = z
  .object({
    $schema: text('Profile of the schema').meta({ format: 'uri' }),
    title: text('Display name of the export'),
    description: text('Unit of a row'),
    fields: z.array(TableField).describe('Columns, in order'),
    missingValues: z.array(z.string()).describe('Default for fields without a value of their own'),
  })
  .describe('A Frictionless Table Schema; `unit`, `optional` and `formulaGuard` are additions')
