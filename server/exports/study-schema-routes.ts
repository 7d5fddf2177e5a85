import type { z } from 'zod'
import { columnsOf } from '../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { spssSyntax } from '../../engine/exports/spss-syntax.ts'
import { tableSchema } from '../../engine/exports/table-schema.ts'
import { CSV } from '../../engine/formats/formats.ts'
import type { Answers } from '../routes/route.ts'
import type { STUDY_SCHEMA_ROUTES } from '../routes/studies.ts'
import type { TableSchema } from '../schemas/catalog.ts'
import { fileNameOf } from './read-request.ts'

/** Returns the handler that describes the columns of an export of a study, as JSON or as SPSS syntax. */
export function studySchemaRoutes(formulaGuard: boolean): Answers<typeof STUDY_SCHEMA_ROUTES> {
  return {
    getStudyExportSchema: ({ res, snapshot, entry, query }) => {
      const facts = studyFacts(snapshot)
      if (query.format === 'sps') {
        const syntax = spssSyntax(entry, columnsOf(entry, facts), fileNameOf(snapshot.study, entry, CSV))
        return void res.type('text/plain; charset=utf-8').send(syntax)
      }
      const schema: z.infer<typeof TableSchema> = tableSchema(entry, facts, formulaGuard)
      res.json(schema)
    },
  }
}
