import type { FactOf } from '../contracts/facts.js'
import type { CookiesOptions } from '../contracts/inputs.js'
import type { InputSource } from '../contracts/schema.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { DECORATOR_OF, type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

type InputFact = FactOf<'input'>

const SOURCES: readonly InputSource[] = ['body', 'params', 'query', 'headers', 'cookies']

/** Checks the request schemas in decorators and in route options. */
export function checkInputs(subject: string, facts: FactsByKind): Problem[] {
  return SOURCES.flatMap((source) => {
    const all = factsOf(facts, 'input').filter((input) => input.source === source)
    const inputs = all.filter((input, index) => !isRepeated(input, all.slice(0, index)))
    const problems = inputs.flatMap((input) => checkSchema(subject, input))
    return areDistinct(inputs) ? problems : [twice(subject, source, inputs), ...problems]
  })
}

/**
 * Whether the inputs of a request part are distinct: there is one input for the whole part, or each input describes a
 * different key.
 */
function areDistinct(inputs: readonly InputFact[]): boolean {
  if (inputs.length < 2) return true
  const keys = new Set(inputs.map(({ key }) => key))
  return keys.size === inputs.length && !keys.has(undefined)
}

/**
 * Whether an input only repeats an earlier input. Two routes of a method can declare the same schema, because the
 * method has one request type.
 */
function isRepeated({ by, schema }: InputFact, before: readonly InputFact[]): boolean {
  return (
    by !== undefined && before.some((other) => other.by !== undefined && other.schema === schema)
  )
}

function twice(subject: string, source: InputSource, inputs: readonly InputFact[]): Problem {
  const places = inputs.map(placeOf).join(' and ')
  return {
    code: 'E_INPUT_TWICE',
    subject,
    cause: `Its ${source} is described ${inputs.length} times, by ${places}. One schema must describe all of it, or each key must have a separate schema.`,
    remedy: 'Keep one of them, or merge them into one schema.',
  }
}

function checkSchema(subject: string, input: InputFact): Problem[] {
  if (input.key === '') {
    const cause = `${placeOf(input)} has no key.`
    return [invalid(subject, cause, `Write the name: ${DECORATOR_OF[input.source]}('id', schema).`)]
  }
  const problem = schemaProblem(input.schema)
  if (problem === null) return checkSigned(subject, input)
  const cause = `The schema of ${placeOf(input)} ${problem.cause}`
  return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
}

function checkSigned(subject: string, { options }: InputFact): Problem[] {
  if (options === undefined) return []
  const { signed, ...others } = options as CookiesOptions
  const isList = Array.isArray(signed) && signed.every((name) => typeof name === 'string')
  if (isList && Object.keys(others).length === 0) return []
  const cause =
    'The options of @Cookies must be an object with only `signed`, a list of cookie names.'
  return [invalid(subject, cause, "Write @Cookies(schema, { signed: ['session'] }).")]
}

/** Returns the place in the source code where a schema is declared. */
function placeOf({ by, source, key }: InputFact): string {
  if (by !== undefined) return `\`${source}\` in ${by}()`
  return key === undefined ? DECORATOR_OF[source] : `${DECORATOR_OF[source]}('${key}')`
}
