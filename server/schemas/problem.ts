import { z } from 'zod'
import { address, count, text, Uuid } from './values.ts'

export const Fault = z
  .object({
    parameter: text('Name as received'),
    rule: text('Rule that the value breaks'),
    value: text('Value as received'),
    position: count('In a filter: position of the error, in characters from 1').optional(),
    nearest: text('Closest known name').optional(),
  })
  .describe('A refused parameter')

export const DataProblem = z
  .object({
    file: text('The file'),
    line: count('Line, where 1 is the header; null for the whole file').nullable(),
    column: text('The column; null for the whole line').nullable(),
    value: text('Text shown; null for none').nullable(),
    rule: text('Rule that the value breaks'),
  })
  .describe('A broken rule of study data')

export const Problem = z
  .object({
    type: address('Address of the page that describes the problem'),
    title: text('Short summary of the problem'),
    status: z.int().min(400).max(599),
    detail: text('Explanation for this request'),
    instance: Uuid.describe("The request's id, as in X-Request-Id and in the log; not inside a job").optional(),
    errors: z.array(Fault).min(1).describe('Every parameter that breaks its rule').optional(),
    problems: z
      .array(DataProblem)
      .min(1)
      .max(100)
      .describe('The first 100 places where data breaks its rule')
      .optional(),
  })
  .describe('A problem (RFC 9457). `type` is the address of a page with its meaning and remedy.')

export type ProblemBody = z.infer<typeof Problem>
