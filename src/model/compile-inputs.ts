import type { CookiesOptions } from '../contracts/inputs.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The inputs of a route without inputs. Most routes share this object. */
const NONE: RouteModel['inputs'] = Object.freeze({
  params: null,
  query: null,
  headers: null,
  cookies: null,
  body: null,
})

/**
 * Returns the schema of each request part: its first schema, or a combined schema of all keys that are described
 * separately.
 */
export function compileInputs(facts: FactsByKind): RouteModel['inputs'] {
  if (facts.input === undefined) return NONE
  const inputs: Record<InputSource, Schema | null> = { ...NONE }
  for (const source of Object.keys(inputs) as InputSource[])
    inputs[source] = schemaOf(source, facts)
  return Object.freeze(inputs)
}

/** Returns the settings for reading a route's cookies; `null` if the route reads no cookies. */
export function compileCookies(facts: FactsByKind): RouteModel['cookies'] {
  const inputs = factsOf(facts, 'input').filter(({ source }) => source === 'cookies')
  const isPassed = factsOf(facts, 'parameter').some(({ source }) => source === 'cookies')
  if (inputs.length === 0 && !isPassed) return null
  const signed = inputs.flatMap(({ options }) => (options as CookiesOptions)?.signed ?? [])
  return Object.freeze({ signed: Object.freeze(signed) })
}

/** Returns the schema of a request part. If a part has a second schema, `checkInputs` reports it. */
function schemaOf(source: InputSource, facts: FactsByKind): Schema | null {
  const inputs = factsOf(facts, 'input').filter((input) => input.source === source)
  const whole = inputs.find(({ key }) => key === undefined)
  if (whole !== undefined || inputs.length === 0) return whole?.schema ?? null
  const entries = new Map<string, Schema | null>()
  for (const { key, schema } of inputs) entries.set(key as string, schema ?? null)
  // A parameter without a schema receives its value from the validated input, so its key must be in that input.
  for (const parameter of factsOf(facts, 'parameter')) {
    const { key } = parameter
    if (parameter.source === source && key !== undefined && !entries.has(key))
      entries.set(key, null)
  }
  // The path itself declares all of its parameters, so parameters without a schema are kept.
  const isOpen = source === 'params'
  return new KeyedSchema(entries, { isOpen, createCompiler: () => createValidatorCompiler() })
}
