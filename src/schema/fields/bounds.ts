import { findTwins, isMultiple } from '../ajv/own-keywords.js'
import { ABSENT_MARK, isNode, type Node } from '../dialect/conversion.js'
import { isEqual } from '../dialect/types.js'

/** Whether a JSON value satisfies the keywords for the value itself, excluding inner schemas. */
export function isValueValid(node: Node, value: unknown): boolean {
  if (node.nullable === true && value === null) return true
  if (!isOfType(node.type, value) || !isListed(node, value)) return false
  if (typeof value === 'string') return isTextValid(node, value)
  if (typeof value === 'number') return isNumberValid(node, value)
  return !isNode(value) || isWithin(node, Object.keys(value).length, 'Properties')
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true
  return [type].flat().some((name) => {
    if (name === 'integer') return Number.isInteger(value)
    if (name === 'object') return isNode(value)
    if (name === 'array') return Array.isArray(value)
    return name === (value === null ? 'null' : typeof value)
  })
}

function isListed(node: Node, value: unknown): boolean {
  const { enum: values } = node
  if (Array.isArray(values) && !values.some((each) => isEqual(each, value))) return false
  return node.const === undefined || isEqual(node.const, value)
}

function isTextValid(node: Node, text: string): boolean {
  if (typeof node.pattern === 'string' && toExpression(node.pattern)?.test(text) === false) {
    return false
  }
  // JSON Schema counts code points, as the iterator of a string does (2020-12, 6.3).
  const isLimited = node.minLength !== undefined || node.maxLength !== undefined
  return !isLimited || isWithin(node, [...text].length, 'Length')
}

function isNumberValid(node: Node, value: number): boolean {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node
  const isAbove = (least: unknown, isStrict: boolean) =>
    typeof least !== 'number' || (isStrict ? value > least : value >= least)
  const isBelow = (most: unknown, isStrict: boolean) =>
    typeof most !== 'number' || (isStrict ? value < most : value <= most)
  if (!isAbove(minimum, exclusiveMinimum === true) || !isAbove(exclusiveMinimum, true)) return false
  if (!isBelow(maximum, exclusiveMaximum === true) || !isBelow(exclusiveMaximum, true)) return false
  return typeof multipleOf !== 'number' || multipleOf <= 0 || isMultiple(value, multipleOf)
}

/** Whether the number and the uniqueness of items satisfy the schema. */
export function isListValid(node: Node, list: readonly unknown[]): boolean {
  if (!isWithin(node, list.length, 'Items')) return false
  if (node.uniqueItems !== true) return true
  return findTwins(list) === undefined
}

function isWithin(node: Node, count: number, what: 'Items' | 'Length' | 'Properties'): boolean {
  const [least, most] = [node[`min${what}`], node[`max${what}`]]
  if (typeof least === 'number' && count < least) return false
  return typeof most !== 'number' || count <= most
}

const expressions = new Map<string, RegExp | null>()
const MAX_EXPRESSIONS = 1000

/** Compiles a schema's pattern; `null` if it is not a valid regular expression. */
export function toExpression(source: string): RegExp | null {
  const known = expressions.get(source)
  if (known !== undefined) return known
  if (expressions.size >= MAX_EXPRESSIONS) expressions.clear()
  const made = compile(source, 'u') ?? compile(source, '')
  expressions.set(source, made)
  return made
}

function compile(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags)
  } catch {
    return null
  }
}

/** Whether a schema rejects every value, so that the described part is not allowed. */
export function isNever(schema: unknown): boolean {
  if (schema === false) return true
  if (!isNode(schema)) return false
  const { not } = schema
  const refusesAll = not === true || (isNode(not) && Object.keys(not).length === 0)
  return refusesAll || schema[ABSENT_MARK] === true
}
