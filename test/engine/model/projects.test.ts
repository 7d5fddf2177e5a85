import { expect, test } from 'vitest'
import { isProjectName, mayPlace, projectsIn, reaches } from '../../../engine/model/projects.ts'

const [A, B] = ['0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002']
const REACH = [A, 'project:Pilots', 'project:project:odd']

test('a reach holds studies by id and by project, and nothing else', () => {
  expect(projectsIn(REACH)).toEqual(['Pilots', 'project:odd'])
  expect(projectsIn('all')).toEqual([])
  expect(reaches('all', { id: B })).toBe(true)
  expect(reaches(REACH, { id: A.toUpperCase() })).toBe(true)
  expect(reaches(REACH, { id: A, project: 'Main' })).toBe(true)
  expect(reaches(REACH, { id: B, project: 'Pilots' })).toBe(true)
  expect(reaches(REACH, { id: B, project: 'project:odd' })).toBe(true)
  for (const project of [undefined, 'pilots', 'Pilot', 'odd', 'project:Pilots', A])
    expect(reaches(REACH, { id: B, project })).toBe(false)
  expect(reaches([], { id: A, project: '' })).toBe(false)
})

test('a study is put into a project by a right on that project, and into none by one on the study', () => {
  expect(mayPlace('all', { id: B, project: 'Main' })).toBe(true)
  expect(mayPlace(REACH, { id: A, project: 'Main' })).toBe(false)
  expect(mayPlace(REACH, { id: B, project: 'Pilots' })).toBe(true)
  expect(mayPlace(REACH, { id: A.toUpperCase() })).toBe(true)
  expect(mayPlace(REACH, { id: B })).toBe(false)
})

test('the name of a project is plain text of 1 to 200 characters without space around it', () => {
  for (const name of ['A', 'Café, 研究 – 2; a=b', 'x'.repeat(200)]) expect(isProjectName(name)).toBe(true)
  for (const name of ['', ' ', ' a', 'a\n', 'x'.repeat(201), 'a\0', '\ud800']) expect(isProjectName(name)).toBe(false)
})
