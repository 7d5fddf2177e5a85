import { z } from 'zod'
import { address, exportName, formatName, number, parameterName, text } from './values.ts'

export const Export = z
  .object({
    name: exportName,
    title: text('What it is called'),
    rowPer: text('What one row is'),
    path: text('Its path; {studyId} is to be filled in'),
    variant: z.literal(['raw', 'normalized', 'mouse', null]).describe('Tells apart exports that share a path'),
    settings: z.array(parameterName).describe('Parameters that its notes echo'),
    schema: address('Where its Table Schema is'),
  })
  .describe('A kind of CSV')

export const ParameterDescription = z
  .object({
    name: parameterName,
    kind: z.enum(['uuid', 'choice', 'int', 'float', 'condition']),
    unit: text('What it counts').optional(),
    choices: z.array(z.string()).describe('What it may be').optional(),
    default: z.union([z.number(), z.string()]).nullable().describe('What it is when it is not given'),
    min: number('The least that is allowed').optional(),
    max: number('The most that is allowed').optional(),
    meaning: text('What it does'),
  })
  .describe('A parameter that every export takes')

export const FormatDescription = z
  .object({ name: formatName, title: text('What it is called'), extension: text('How names of its files end') })
  .describe('A format that every export comes in')

export const ExportList = z
  .object({
    exports: z.array(Export),
    parameters: z.array(ParameterDescription),
    formats: z.array(FormatDescription),
  })
  .describe('What can be exported, its parameters and formats')

export const TableField = z
  .object({
    name: text('As in the header'),
    type: z.enum(['string', 'integer', 'number', 'boolean', 'datetime', 'array']),
    format: z.enum(['uuid', 'uri', 'any']).optional(),
    unit: text('What it counts; null where that is nothing').nullable(),
    description: text('What it means'),
    missingValues: z.array(z.string()).max(1).describe('What an unknown value looks like'),
    constraints: z
      .object({ required: z.literal(true) })
      .describe('What holds for each value')
      .optional(),
    optional: z.literal(true).describe('That it is there in some studies alone; `*` stands for any name').optional(),
    formulaGuard: z
      .literal(true)
      .describe("That its text in CSV has a `'` before it, to be taken off, where it would begin as a formula does")
      .optional(),
  })
  .describe('A column')

export const TableSchema = z
  .object({
    $schema: text('The profile').meta({ format: 'uri' }),
    title: text('What the export is called'),
    description: text('What one row is'),
    fields: z.array(TableField).describe('The columns, in order'),
    missingValues: z.array(z.string()).describe('Where a field does not say it'),
  })
  .describe('A Frictionless Table Schema; `unit`, `optional` and `formulaGuard` are additions')
