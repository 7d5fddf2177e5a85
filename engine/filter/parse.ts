import { isInstant } from '../model/instant.ts'
import { nearest } from '../model/nearest.ts'
import { type FilterColumn, type FilterType, TAGS } from './columns.ts'
import { type Condition, type Literal, type Operand, type Operator, typeOf } from './condition.ts'
import { FilterError, type Token, tokensOf } from './tokens.ts'

const OPERATORS: string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Operator[]
const TAIL = '= <> < <= > >=, [NOT] BETWEEN, [NOT] IN, [NOT] LIKE or IS [NOT] NULL'
const KEYWORDS = ['NOT', 'TRUE', 'FALSE', 'TIMESTAMP', 'TRY_CAST', 'list_contains']
const RESERVED = ['AND', 'OR', 'BETWEEN', 'IN', 'LIKE', 'IS', 'NULL', 'AS', 'DOUBLE', ...KEYWORDS]

/** Longest name in a rule; the name of a column has at most 78 characters. */
const NAME_MAX_CHARACTERS = 80

/** An operand and its first token. */
type Read<T extends Operand = Operand> = { operand: T; first: Token }

/**
 * Parses a condition (recursive descent; docs/filter.md has the grammar).
 *
 * @param columns of the study, by lower-case name
 * @param depthMax maximum nesting of parentheses and NOTs
 * @throws FilterError at the first token that is not allowed
 */
export function parseCondition(text: string, columns: Map<string, FilterColumn>, depthMax: number): Condition {
  const tokens = cursorOf(tokensOf(text), columns, depthMax)
  const whole = condition(tokens, 0)
  if (tokens.peek().kind !== 'end') throw new FilterError('must have AND, OR or the end here', tokens.peek().at)
  return whole
}

type Wanted = (token: Token, wanted: string) => boolean

const isKeyword: Wanted = ({ kind, text: word }, keyword) => kind === 'word' && word.toUpperCase() === keyword
const isSign: Wanted = ({ kind, text: sign }, wanted) => kind === 'sign' && sign === wanted

/** Parser state: the tokens, and the columns that they may name. */
type Cursor = ReturnType<typeof cursorOf>

function cursorOf(tokens: Token[], columns: Map<string, FilterColumn>, depthMax: number) {
  let next = 0
  const peek = (): Token => tokens[next]
  const take = (): Token => tokens[next++]
  const takeIf = (isIt: Wanted, wanted: string): boolean => {
    const isHere = isIt(peek(), wanted)
    if (isHere) next++
    return isHere
  }
  const need = (isIt: Wanted, wanted: string): void => {
    if (!takeIf(isIt, wanted)) throw new FilterError(`must have ${wanted} here`, peek().at)
  }
  const needText = (what: string): Token => {
    if (peek().kind !== 'text') throw new FilterError(`must have ${what} in single quotes here`, peek().at)
    return take()
  }
  return { columns, depthMax, peek, take, takeIf, need, needText }
}

function condition(tokens: Cursor, depth: number): Condition {
  const conditions = [conjunction(tokens, depth)]
  while (tokens.takeIf(isKeyword, 'OR')) conditions.push(conjunction(tokens, depth))
  return conditions.length === 1 ? conditions[0] : { kind: 'or', conditions }
}

function conjunction(tokens: Cursor, depth: number): Condition {
  const conditions = [negation(tokens, depth)]
  while (tokens.takeIf(isKeyword, 'AND')) conditions.push(negation(tokens, depth))
  return conditions.length === 1 ? conditions[0] : { kind: 'and', conditions }
}

function deeper({ depthMax }: Cursor, depth: number, { at }: Token): number {
  if (depth === depthMax) throw new FilterError(`must have at most ${depthMax} nested parentheses and NOTs`, at)
  return depth + 1
}

function negation(tokens: Cursor, depth: number): Condition {
  const token = tokens.peek()
  if (!tokens.takeIf(isKeyword, 'NOT')) return predicate(tokens, depth)
  return { kind: 'not', condition: negation(tokens, deeper(tokens, depth, token)) }
}

function predicate(tokens: Cursor, depth: number): Condition {
  const token = tokens.peek()
  if (tokens.takeIf(isSign, '(')) {
    const inner = condition(tokens, deeper(tokens, depth, token))
    tokens.need(isSign, ')')
    return inner
  }
  if (tokens.takeIf(isKeyword, 'LIST_CONTAINS')) return hasTag(tokens)
  return comparison(tokens, operand(tokens, 'a condition: a column, a literal, NOT, list_contains or ('))
}

function hasTag(tokens: Cursor): Condition {
  tokens.need(isSign, '(')
  const { kind, text: name, at: position } = tokens.peek()
  if (kind !== 'word' || name.toLowerCase() !== TAGS) throw new FilterError(`must have ${TAGS} here`, position)
  tokens.take()
  tokens.need(isSign, ',')
  const { text: tag } = tokens.needText('a tag')
  tokens.need(isSign, ')')
  return { kind: 'hasTag', tag }
}

function operand(tokens: Cursor, what: string): Read {
  const first = tokens.peek()
  const literal = literalIf(tokens)
  if (literal !== null) return { operand: literal, first }
  if (tokens.takeIf(isKeyword, 'TRY_CAST')) return { operand: cast(tokens), first }
  return { operand: { kind: 'column', column: column(tokens, what) }, first }
}

function cast(tokens: Cursor): Operand {
  tokens.need(isSign, '(')
  const { at: position } = tokens.peek()
  const cell = column(tokens, 'a column of text')
  if (cell.type !== 'text') throw new FilterError(`must have a column of text here; ${cell.name} is not one`, position)
  tokens.need(isKeyword, 'AS')
  tokens.need(isKeyword, 'DOUBLE')
  tokens.need(isSign, ')')
  return { kind: 'cast', column: cell }
}

function column(tokens: Cursor, what: string): FilterColumn {
  const { kind, text: name, at: position } = tokens.peek()
  const found = kind === 'word' ? tokens.columns.get(name.toLowerCase()) : undefined
  if (found !== undefined) {
    tokens.take()
    return found
  }
  if (kind !== 'word' || RESERVED.some((each) => isKeyword(tokens.peek(), each.toUpperCase())))
    throw new FilterError(`must have ${what} here`, position)
  if (name.toLowerCase() === TAGS) throw new FilterError(`must have ${TAGS} only in list_contains`, position)
  throw unknownColumn(
    name,
    [...tokens.columns.values()].map((each) => each.name),
    position,
  )
}

function unknownColumn(name: string, known: string[], position: number): FilterError {
  const shown = name.length > NAME_MAX_CHARACTERS ? `${name.slice(0, NAME_MAX_CHARACTERS)}…` : name
  const keywords = KEYWORDS.filter((each) => each[0].toLowerCase() === name[0].toLowerCase())
  return new FilterError(
    `must have a column of the study here; ${shown} is not one`,
    position,
    endingIn(name, known) ?? nearest(name, [...known, ...keywords]).nearest,
  )
}

/** Returns the shortest column name that ends in the given text, such as `participant_age` for `age`. */
function endingIn(name: string, known: string[]): string | undefined {
  return known
    .filter((each) => each.toLowerCase().endsWith(`_${name.toLowerCase()}`))
    .sort((a, b) => a.length - b.length)[0]
}

function literalIf(tokens: Cursor): Literal | null {
  const { kind, text: value } = tokens.peek()
  if (kind === 'number') return tokens.take() && { kind, value: Number(value) }
  if (kind === 'text') return tokens.take() && { kind, value }
  if (tokens.takeIf(isKeyword, 'TRUE')) return { kind: 'boolean', value: true }
  if (tokens.takeIf(isKeyword, 'FALSE')) return { kind: 'boolean', value: false }
  if (!tokens.takeIf(isKeyword, 'TIMESTAMP')) return null
  const time = tokens.needText('a time')
  checkTime(time)
  return { kind: 'timestamp', value: time.text }
}

function comparison(tokens: Cursor, left: Read): Condition {
  const token = tokens.peek()
  const isBoolean = typeOf(left.operand) === 'boolean'
  const refuse = ({ at }: Token) => {
    throw new FilterError('must have =, <>, IN or IS for a boolean here', at)
  }
  if (token.kind === 'sign' && OPERATORS.includes(token.text)) {
    if (isBoolean && token.text !== '=' && token.text !== '<>') refuse(token)
    tokens.take()
    return compare(left, token.text as Operator, operand(tokens, 'a column or a literal'))
  }
  if (tokens.takeIf(isKeyword, 'IS')) {
    const isNegated = tokens.takeIf(isKeyword, 'NOT')
    tokens.need(isKeyword, 'NULL')
    return negated(isNegated, { kind: 'isNull', operand: left.operand })
  }
  const isNegated = tokens.takeIf(isKeyword, 'NOT')
  const verb = tokens.peek()
  if (isKeyword(verb, 'IN')) return negated(isNegated, anyOf(tokens, left))
  if (isKeyword(verb, 'BETWEEN')) {
    if (isBoolean) refuse(verb)
    return negated(isNegated, between(tokens, left))
  }
  if (isKeyword(verb, 'LIKE')) {
    const type = typeOf(left.operand)
    if (type !== 'id' && type !== 'text') throw new FilterError('must have LIKE only for text', verb.at)
    tokens.take()
    const { text: pattern } = tokens.needText('a pattern')
    return negated(isNegated, { kind: 'like', operand: left.operand, pattern, as: type })
  }
  if (isNegated) throw new FilterError('must have BETWEEN, IN or LIKE here', verb.at)
  if (!isBoolean) throw new FilterError(`must have ${TAIL} here`, verb.at)
  return { kind: 'isTrue', operand: left.operand }
}

function between(tokens: Cursor, left: Read): Condition {
  tokens.take()
  const from = compare(left, '>=', operand(tokens, 'a column or a literal'))
  tokens.need(isKeyword, 'AND')
  const to = compare(left, '<=', operand(tokens, 'a column or a literal'))
  return { kind: 'and', conditions: [from, to] }
}

function anyOf(tokens: Cursor, left: Read): Condition {
  tokens.take()
  tokens.need(isSign, '(')
  const values: { value: Literal; as: FilterType }[] = []
  do {
    const first = tokens.peek()
    const value = literalIf(tokens)
    if (value === null) throw new FilterError('must have a literal here', first.at)
    values.push({ value, as: commonType(left, { operand: value, first }) })
  } while (tokens.takeIf(isSign, ','))
  if (!tokens.takeIf(isSign, ')')) throw new FilterError('must have , or ) here', tokens.peek().at)
  return { kind: 'in', left: left.operand, values }
}

function negated(isNegated: boolean, condition: Condition): Condition {
  return isNegated ? { kind: 'not', condition } : condition
}

function compare(left: Read, operator: Operator, right: Read): Condition {
  const as = commonType(left, right)
  return { kind: 'comparison', operator, left: left.operand, right: right.operand, as }
}

/** Returns the type in which two operands are compared. @throws FilterError if they have no type in common */
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
  throw new FilterError(
    `must compare values of the same type; the left side is ${NAMED[a]}, this one is ${NAMED[b]}`,
    right.first.at,
  )
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
    throw new FilterError("must be an RFC 3339 time with an offset, such as '2024-05-31T12:30:00+02:00'", at)
}
