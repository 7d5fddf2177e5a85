import { expect, test } from 'vitest'
import { spssSyntax } from '../../../engine/exports/spss-syntax.ts'
import { aoiFixationsStats } from '../../../engine/exports/tables/aoi-fixations-stats.ts'
import { column } from '../../../engine/model/columns.ts'

const COLUMNS = [
  column('participant_id', 'uuid', '', 'The participant', null),
  column('participant_age', 'int', 'years', "The participant's age; 0 if unknown", '0'),
  column('external_data_Größe in cm!', 'string', '', 'What\nthe study knows', ''),
  column('external_data_Größe in cm?', 'number', 'cm', 'é'.repeat(200), ''),
  column(`1_${'x'.repeat(90)}`, 'boolean', '', 'A flag', ''),
]

test('SPSS syntax names, types and labels the columns of a CSV', () => {
  const syntax = spssSyntax(aoiFixationsStats, COLUMNS, "it's.csv")
  expect(syntax.split('\n').slice(3)).toEqual([
    'SET DECIMAL=DOT.',
    'GET DATA',
    '  /TYPE=TXT',
    "  /FILE='it''s.csv'",
    "  /ENCODING='UTF8'",
    '  /ARRANGEMENT=DELIMITED',
    "  /DELIMITERS=','",
    `  /QUALIFIER='"'`,
    '  /FIRSTCASE=2',
    '  /VARIABLES=',
    '    participant_id A36',
    '    participant_age F12.0',
    '    external_data_Größe_in_cm A1024',
    '    external_data_Größe_in_cm_2 F20.6',
    `    ${'x'.repeat(64)} A5.`,
    'VARIABLE LABELS',
    "  participant_id 'The participant'",
    "  participant_age 'The participant''s age; 0 if unknown (years)'",
    "  external_data_Größe_in_cm 'What the study knows'",
    `  external_data_Größe_in_cm_2 '${'é'.repeat(127)}'`,
    `  ${'x'.repeat(64)} 'A flag'.`,
    'MISSING VALUES participant_age (0).',
    'EXECUTE.',
    '',
  ])
  for (const line of syntax.split('\n').slice(0, 3)) expect(line).toMatch(/^\* .*\.$|^\* .*\.$/)
})
