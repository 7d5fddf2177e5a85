import { afterEach, describe, expect, test } from 'vitest'
import { comparePaths } from '../../../engine/recordings/text/file-names.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  item: 'item',
  time: { column: 'time', unit: 'ms', origin: 'first' },
  screen: { widthPx: 2000, heightPx: 1000 },
})
const rows = (item: string, fromMs: number, n = 5) =>
  Array.from({ length: n }, (_, i) => `ann,${item},${fromMs + 10 * i},${fromMs % 977},${i}\n`).join('')
const table = (...runs: [item: string, fromMs: number][]) =>
  `who,item,time,x,y\n${runs.map(([item, fromMs]) => rows(item, fromMs)).join('')}`

async function orderOf(files: Record<string, string>, given: object = mapping) {
  const { tests, study, conversion } = await convertAndRead([writeFiles(files)], { mapping: given })
  const items = new Map(study.items.map(({ id, filename }) => [id, filename]))
  const sorted = [...tests].sort((a, b) => Number(a.display_order) - Number(b.display_order))
  return { items: sorted.map((one) => items.get(one.item_id)), said: conversion.doubts.join('\n') }
}

describe('tests come in the order', () => {
  test('of a clock that runs on, where a table is sorted by item', async () => {
    const { items, said } = await orderOf({ 'a.csv': table(['a', 6000], ['b', 9000], ['c', 100]) })
    expect(items).toEqual(['c', 'a', 'b'])
    expect(said).toMatch(/tests are in the order of their times, which run on, and not in that of the rows .*: of ann/)
  })
  test('of the rows, where the clock restarts with each', async () => {
    const { items, said } = await orderOf({ 'a.csv': table(['b', 0], ['a', 0], ['c', 20]) })
    expect(items).toEqual(['b', 'a', 'c'])
    expect(said).not.toContain('order of their times')
  })
  test.each([
    ['1 10 11 2', ['1', '2', '10', '11'], true],
    ['4 10 11 2', ['4', '10', '11', '2'], false],
  ])('of trials that are sorted as text is, by their numbers: %s', async (trials, items, isSaid) => {
    const text = trials.split(' ').map((trial) => rows(`${trial},${trial}`, 0))
    const found = await orderOf(
      { 'a.csv': `who,item,nr,time,x,y\n${text.join('')}` },
      { ...mapping, trial: 'nr', time: { ...mapping.time, origin: 'item' } },
    )
    expect(found.items).toEqual(items)
    expect(found.said.includes('in the order of the numbers of their trials')).toBe(isSaid)
  })
  test('of trials, by their numbers, where rows are sorted by item', async () => {
    const text = ['cat,3', 'dog,1', 'owl,2'].map((names) => rows(names, 0))
    const { items } = await orderOf(
      { 'a.csv': `who,item,nr,time,x,y\n${text.join('')}` },
      { ...mapping, trial: 'nr', time: { ...mapping.time, origin: 'item' } },
    )
    expect(items).toEqual(['dog', 'owl', 'cat'])
  })
  test('of numbers in the names of files', async () => {
    const files = { 'trial_10.csv': table(['c', 0]), 'trial_2.csv': table(['b', 0]), 'trial_1.csv': table(['a', 0]) }
    expect((await orderOf(files)).items).toEqual(['a', 'b', 'c'])
  })
  test('of one clock through several files, whatever their names', async () => {
    const files = {
      'cat.csv': table(['cat', 8000]),
      'dog.csv': table(['dog', 3000]),
      'ape.csv': table(['ape', 12_000]),
    }
    expect((await orderOf(files)).items).toEqual(['dog', 'cat', 'ape'])
  })
  test('of the files, where each has a clock of its own', async () => {
    const files = { 'day-1.csv': table(['b', 9_000_000], ['a', 9_001_000]), 'day-2.csv': table(['c', 100]) }
    expect((await orderOf(files)).items).toEqual(['b', 'a', 'c'])
  })
})

test('paths are compared folder by folder, numbers by their value', () => {
  const paths = ['b/1', 'a/run-10', 'a/run-2', 'a', 'a b/1', 'a/run-02']
  expect([...paths].sort(comparePaths)).toEqual(['a', 'a/run-02', 'a/run-2', 'a/run-10', 'a b/1', 'b/1'])
})
