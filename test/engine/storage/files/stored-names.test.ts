import { describe, expect, test } from 'vitest'
import { checkStoredNames, pathFault } from '../../../../engine/storage/files/stored-names.ts'

const SHA256 = 'a'.repeat(64)

describe('a name that somebody else chose', () => {
  test.each(['study.json', 'images/a b.png', 'images/..a', 'images/a\\b.png', 'é'])(
    '%j stays within its folder',
    (name) => {
      expect(pathFault(name)).toBeNull()
    },
  )

  test.each([
    ['/etc/passwd', 'is absolute'],
    ['C:/x', 'is absolute'],
    ['C:\\x', 'is absolute'],
    ['..', 'leads elsewhere'],
    ['a/../../b', 'leads elsewhere'],
    ['a\\..\\b', 'leads elsewhere'],
    ['./a', 'leads elsewhere'],
    ['a//b', 'leads elsewhere'],
    ['a/', 'leads elsewhere'],
    ['', 'leads elsewhere'],
    ['a\0b', 'holds a zero byte'],
  ])('%j is refused', (name, fault) => {
    expect(pathFault(name)).toBe(fault)
    expect(() => checkStoredNames('it', [[name, SHA256]])).toThrow(
      `it lists a file ${JSON.stringify(name)}, a name that`,
    )
  })

  test.each(['', 'A'.repeat(64), `../../${'a'.repeat(58)}`, `${SHA256}\n`])('a SHA-256 of %j is none', (sha256) => {
    expect(() => checkStoredNames('it', [['a', sha256]])).toThrow('it lists "a" without its SHA-256')
  })
})
