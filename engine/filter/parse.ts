import { isInstant } from '../model/instant.ts'
import { nearest } from '../model/parameters.ts'
import { type FilterColumn, type FilterType, TAGS } from './columns.ts'
import { type Condition, type Literal, type Operand, type Operator, typeOf } from './condition.ts'
import { FilterError, type Token, tokensOf } from './tokens.ts'

/** How deep parentheses and NOTs may lie in each other. */
const DEPTH_MAX = 64

const OPERATORS: string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Operator[]
const TAIL = '= <> < <= > >=, [NOT] BETWEEN, [NOT] IN, [NOT] LIKE or IS [NOT] NULL'
const KEYWORDS = ['NOT', 'TRUE', 'FALSE', 'TIMESTAMP', 'TRY_CAST', 'list_contains']

/** An operand, and the token that it begins with. */
type Read<T extends Operand = Operand> = { operand: T; first: Token }

/**
 * Parses a condition (docs/filter.md has the grammar) from left to right.
 *
 * @param columns those of the study, by their name in lower case
 * @throws FilterError at the first token that cannot stand where it stands
 */
export function parseCondition(text: string, columns: Map<string, FilterColumn>): Condition {
  const tokens = tokensOf(text)
  let next = 0

  const peek = (): Token => tokens[next]
  const take = (): Token => tokens[next++]
  const isKeyword = ({ kind, text: word }: Token, keyword: string) => kind === 'word' && word.toUpperCase() === keyword
  const isSign = ({ kind, text: sign }: Token, wanted: string) => kind === 'sign' && sign === wanted
  const takeIf = (isIt: (token: Token, wanted: string) => boolean, wanted: string): boolean => {
    const isHere = isIt(peek(), wanted)
    if (isHere) next++
    return isHere
  }
  const need = (isIt: (token: Token, wanted: string) => boolean, wanted: string): void => {
    if (!takeIf(isIt, wanted)) throw new FilterError(`must have ${wanted} here`, peek().at)
  }
  const needText = (what: string): Token => {
    if (peek().kind !== 'text') throw new FilterError(`must have ${what} in single quotes here`, peek().at)
    return take()
  }

  function condition(depth: number): Condition {
    const conditions = [conjunction(depth)]
    while (takeIf(isKeyword, 'OR')) conditions.push(conjunction(depth))
    return conditions.length === 1 ? conditions[0] : { kind: 'or', conditions }
  }

  function conjunction(depth: number): Condition {
    const conditions = [negation(depth)]
    while (takeIf(isKeyword, 'AND')) conditions.push(negation(depth))
    return conditions.length === 1 ? conditions[0] : { kind: 'and', conditions }
  }

  function deeper(depth: number, { at }: Token): number {
    if (depth === DEPTH_MAX)
      throw new FilterError(`must have at most ${DEPTH_MAX} parentheses and NOTs within each other`, at)
    return depth + 1
  }

  function negation(depth: number): Condition {
    const token = peek()
    if (!takeIf(isKeyword, 'NOT')) return predicate(depth)
    return { kind: 'not', condition: negation(deeper(depth, token)) }
  }

  function predicate(depth: number): Condition {
    const token = peek()
    if (takeIf(isSign, '(')) {
      const inner = condition(deeper(depth, token))
      need(isSign, ')')
      return inner
    }
    if (takeIf(isKeyword, 'LIST_CONTAINS')) return hasTag()
    return comparison(operand('a condition: a column, a literal, NOT, list_contains or ('))
  }

  function hasTag(): Condition {
    need(isSign, '(')
    const { kind, text: name, at } = peek()
    if (kind !== 'word' || name.toLowerCase() !== TAGS) throw new FilterError(`must have ${TAGS} here`, at)
    take()
    need(isSign, ',')
    const { text: tag } = needText('a tag')
    need(isSign, ')')
    return { kind: 'hasTag', tag }
  }

  function operand(what: string): Read {
    const first = peek()
    const literal = literalIf()
    if (literal !== null) return { operand: literal, first }
    if (takeIf(isKeyword, 'TRY_CAST')) return { operand: cast(), first }
    return { operand: { kind: 'column', column: column(what) }, first }
  }

  function cast(): Operand {
    need(isSign, '(')
    const { at } = peek()
    const cell = column('a column of text')
    if (cell.type !== 'text') throw new FilterError(`must have a column of text here, and ${cell.name} is none`, at)
    need(isKeyword, 'AS')
    need(isKeyword, 'DOUBLE')
    need(isSign, ')')
    return { kind: 'cast', column: cell }
  }

  function column(what: string): FilterColumn {
    const { kind, text: name, at } = peek()
    const found = kind === 'word' ? columns.get(name.toLowerCase()) : undefined
    if (found !== undefined) {
      take()
      return found
    }
    if (kind !== 'word') throw new FilterError(`must have ${what} here`, at)
    if (name.toLowerCase() === TAGS) throw new FilterError(`must have ${TAGS} in list_contains alone`, at)
    const known = [...columns.values()].map((each) => each.name)
    throw new FilterError(`must have ${what} here`, at, nearest(name, [...known, ...KEYWORDS]).nearest)
  }

  function literalIf(): Literal | null {
    const { kind, text: value } = peek()
    if (kind === 'number') return take() && { kind, value: Number(value) }
    if (kind === 'text') return take() && { kind, value }
    if (takeIf(isKeyword, 'TRUE')) return { kind: 'boolean', value: true }
    if (takeIf(isKeyword, 'FALSE')) return { kind: 'boolean', value: false }
    if (!takeIf(isKeyword, 'TIMESTAMP')) return null
    const time = needText('a time')
    checkTime(time)
    return { kind: 'timestamp', value: time.text }
  }

  function comparison(left: Read): Condition {
    const token = peek()
    const isBoolean = typeOf(left.operand) === 'boolean'
    const refuse = ({ at }: Token) => {
      throw new FilterError(`must have =, <>, IN or IS for a boolean here`, at)
    }
    if (token.kind === 'sign' && OPERATORS.includes(token.text)) {
      if (isBoolean && token.text !== '=' && token.text !== '<>') refuse(token)
      take()
      return compare(left, token.text as Operator, operand('a column or a literal'))
    }
    if (takeIf(isKeyword, 'IS')) {
      const isNegated = takeIf(isKeyword, 'NOT')
      need(isKeyword, 'NULL')
      return negated(isNegated, { kind: 'isNull', operand: left.operand })
    }
    const isNegated = takeIf(isKeyword, 'NOT')
    const verb = peek()
    if (isKeyword(verb, 'IN')) return negated(isNegated, anyOf(left))
    if (isKeyword(verb, 'BETWEEN')) {
      if (isBoolean) refuse(verb)
      return negated(isNegated, between(left))
    }
    if (isKeyword(verb, 'LIKE')) {
      const type = typeOf(left.operand)
      if (type !== 'id' && type !== 'text') throw new FilterError('must have LIKE for text alone', verb.at)
      take()
      const { text: pattern } = needText('a pattern')
      return negated(isNegated, { kind: 'like', operand: left.operand, pattern, as: type })
    }
    if (isNegated) throw new FilterError('must have BETWEEN, IN or LIKE here', verb.at)
    if (!isBoolean) throw new FilterError(`must have ${TAIL} here`, verb.at)
    return { kind: 'isTrue', operand: left.operand }
  }

  function between(left: Read): Condition {
    take()
    const from = compare(left, '>=', operand('a column or a literal'))
    need(isKeyword, 'AND')
    const to = compare(left, '<=', operand('a column or a literal'))
    return { kind: 'and', conditions: [from, to] }
  }

  function anyOf(left: Read): Condition {
    take()
    need(isSign, '(')
    const values: { value: Literal; as: FilterType }[] = []
    do {
      const first = peek()
      const value = literalIf()
      if (value === null) throw new FilterError('must have a literal here', first.at)
      values.push({ value, as: commonType(left, { operand: value, first }) })
    } while (takeIf(isSign, ','))
    if (!takeIf(isSign, ')')) throw new FilterError('must have , or ) here', peek().at)
    return { kind: 'in', left: left.operand, values }
  }

  const whole = condition(0)
  if (peek().kind !== 'end') throw new FilterError('must have AND, OR or the end here', peek().at)
  return whole
}

function negated(isNegated: boolean, condition: Condition): Condition {
  return isNegated ? { kind: 'not', condition } : condition
}

function compare(left: Read, operator: Operator, right: Read): Condition {
  const as = commonType(left, right)
  return { kind: 'comparison', operator, left: left.operand, right: right.operand, as }
}

/** Returns the type as which two operands are compared. @throws FilterError where they have none in common */
function commonType(left: Read, right: Read): FilterType {
  const [a, b] = [typeOf(left.operand), typeOf(right.operand)]
  if (a === b) return a
  if ((a === 'id' && b === 'text') || (a === 'text' && b === 'id')) return 'id'
  if (b === 'timestamp' && left.operand.kind === 'text') {
    checkTime(left.first)
    return 'timestamp'
  }
  if (a === 'timestamp' && right.operand.kind === 'text') {
    checkTime(right.first)
    return 'timestamp'
  }
  throw new FilterError(`must compare two of one type; left is ${NAMED[a]}, and this is ${NAMED[b]}`, right.first.at)
}

const NAMED: Record<FilterType, string> = {
  id: 'an id',
  text: 'text',
  number: 'a number',
  boolean: 'a boolean',
  timestamp: 'a timestamp',
}

function checkTime({ text, at }: Token): void {
  if (!isInstant(text))
    throw new FilterError("must be a time as in RFC 3339, with offset, like '2024-05-31T12:30:00+02:00'", at)
}
