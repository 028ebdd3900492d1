import type { Ajv, KeywordCxt } from 'ajv'

type Ajvs = Pick<typeof import('ajv'), '_'>

/** Twice the relative error of a quotient of two numbers, each of which is the nearest one to a decimal fraction. */
const ERROR = 2 ** -51

/**
 * Whether a number is a multiple of another one, as their decimal digits are: 19.99 is a multiple of 0.01, although the
 * quotient of their binary values is 1998.9999999999998.
 *
 * @param step Greater than 0.
 */
export function isMultiple(value: number, step: number): boolean {
  // The remainder of binary values is exact, and so are integers.
  if (value % step === 0) return true
  if (Number.isInteger(step)) return false
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * ERROR
}

/** Makes `multipleOf` compare numbers with {@link isMultiple}. Ajv's own code refuses each seventh price in cents. */
export function replaceMultipleOf(ajv: Ajv, { _ }: Ajvs): void {
  const rule = ajv.RULES.all['multipleOf']
  if (typeof rule !== 'object') return
  function code(cxt: KeywordCxt): void {
    const { gen, data, schemaCode } = cxt
    cxt.fail(_`!${gen.scopeValue('func', { ref: isMultiple })}(${data}, ${schemaCode})`)
  }
  rule.definition = { ...rule.definition, $data: false, code }
}
