import { ABSENT_MARK, isNode } from '../dialect/conversion.js'

/** Whether no value at all is valid against a schema: the part that it describes may not be there. */
export function isNever(schema: unknown): boolean {
  if (schema === false) return true
  if (!isNode(schema)) return false
  const { not } = schema
  const refusesAll = not === true || (isNode(not) && Object.keys(not).length === 0)
  return refusesAll || schema[ABSENT_MARK] === true
}
