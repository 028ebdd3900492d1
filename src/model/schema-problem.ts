import type { Node } from '../schema/dialect/conversion.js'
import { isKeyword, subschemasOf } from '../schema/keywords.js'

/** Returns the reason why a value is not a schema, and the remedy; `null` if the value is a schema. */
export function schemaProblem(schema: unknown): SchemaProblem | null {
  if (schema === undefined) {
    const cause = 'is undefined, which often results from a circular import.'
    return { cause, remedy: GIVE_SCHEMA }
  }
  if (isStandardSchema(schema)) return null
  if (typeof schema === 'function') return functionProblem(schema)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return { cause: 'is not a schema.', remedy: GIVE_SCHEMA }
  }
  return instanceProblem(schema) ?? shapeProblem(schema) ?? nestedProblem(schema)
}

/**
 * Describes the problem of a bare shape such as `{ name: z.string() }`. As a JSON Schema, it has no keywords and would
 * accept every value.
 */
function shapeProblem(schema: object): SchemaProblem | null {
  const keys = Object.keys(schema)
  const isShape = Object.values(schema).some(isStandardSchema)
  if (!isShape && (keys.length === 0 || keys.some(isKeyword))) return null
  return {
    cause: `is an object with the keys ${keys.join(', ')}. It is not a valid JSON Schema, so it would accept any value.`,
    remedy: isShape
      ? 'Create a schema from the shape: z.object({ … }), v.object({ … }), type({ … }).'
      : "Write { type: 'object', properties: { … } }, or pass a Standard Schema.",
  }
}

/**
 * Finds a class or another function, a class instance or a library schema inside a JSON Schema. Such a part would
 * accept every value.
 */
function nestedProblem(root: object): SchemaProblem | null {
  const seen = new Set<unknown>([root])
  function visit(schema: object, at: string): SchemaProblem | null {
    for (const { keyword, step, schema: part } of subschemasOf(schema as Node)) {
      if (seen.has(part)) continue
      seen.add(part)
      const place = [at, keyword, step].filter(Boolean).join('.')
      const problem = partProblem(part, place) ?? (isObject(part) ? visit(part, place) : null)
      if (problem !== null) return problem
    }
    return null
  }
  return visit(root, '')
}

function partProblem(part: unknown, place: string): SchemaProblem | null {
  if (isStandardSchema(part)) {
    return {
      cause: `is a JSON Schema that contains a library schema at ${place}, which JSON Schema does not allow.`,
      remedy: 'Write all of it with the library, or all of it as JSON Schema.',
    }
  }
  const isFunction = typeof part === 'function'
  const problem = isFunction ? functionProblem(part) : isObject(part) ? instanceProblem(part) : null
  return problem && { ...problem, cause: `is a JSON Schema whose ${place} ${problem.cause}` }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The reason why a value is not a schema, and a remedy. */
interface SchemaProblem {
  readonly cause: string
  readonly remedy: string
}

const GIVE_SCHEMA =
  'Pass a Standard Schema (zod, valibot, arktype) or a JSON Schema object (TypeBox).'
const GIVE_OBJECT =
  "Write { type: 'object', properties: { … } } (not `new`), or pass a Standard Schema: z.object({ … })."

type AnyFunction = { readonly name: string; readonly prototype?: object }

/** Describes the problem of a function, usually a class, that was passed in place of a schema. */
function functionProblem(given: AnyFunction): SchemaProblem {
  if (!isClass(given)) {
    const cause = `is the function ${given.name || 'without a name'}, which is not a schema.`
    return { cause, remedy: `Call it, if it returns a schema. ${GIVE_SCHEMA}` }
  }
  const name = given.name || 'without a name'
  const cause = `is the class ${name}. TypeScript types do not exist at run time, and the decorators of other packages on its fields (class-validator) are not read.`
  return { cause, remedy: remedyForClass(given, name) }
}

/**
 * Returns the remedy for a class that was passed in place of a schema. If a library created the class from a schema,
 * the class has the schema as a property.
 */
function remedyForClass(given: AnyFunction, name: string): string {
  const kept = Object.entries(given).find(([, value]) => isStandardSchema(value))
  if (kept !== undefined) return `Pass ${name}.${kept[0]}, which is a schema.`
  return `Pass a Standard Schema: const ${name} = z.object({ name: z.string() }), and the type ${name} = z.infer<typeof ${name}>. To keep the class, make it a schema: static readonly '~standard' = schema['~standard'].`
}

/** Whether a function is a class. Also recognizes a compiled class, which is a function whose prototype has methods. */
function isClass(given: AnyFunction): boolean {
  const text = Function.prototype.toString.call(given)
  if (/^class\b/.test(text)) return true
  const { prototype } = given
  if (typeof prototype !== 'object' || prototype === null) return false
  return text.includes('[native code]') || Reflect.ownKeys(prototype).length > 1
}

/**
 * Describes the problem of a class instance. An instance is not a JSON Schema, even if its fields have the names of
 * keywords. Without such fields, it would accept every value as a JSON Schema.
 */
function instanceProblem(schema: object): SchemaProblem | null {
  const prototype: object | null = Object.getPrototypeOf(schema)
  // The prototype is `Object.prototype`, of this realm or of another realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null
  if (schema instanceof Promise) {
    return { cause: 'is a Promise.', remedy: `Await it. ${GIVE_SCHEMA}` }
  }
  const { value: maker } = Object.getOwnPropertyDescriptor(prototype, 'constructor') ?? {}
  if (typeof maker !== 'function') {
    return { cause: 'is an object that inherits from another object.', remedy: GIVE_OBJECT }
  }
  const name = maker.name || 'without a name'
  const remedy = isStandardSchema(maker) ? `Pass the class itself: ${name}.` : GIVE_OBJECT
  return { cause: `is an object of the class ${name}, which is not a schema.`, remedy }
}

/**
 * Whether a value is a Standard Schema. It must have the validation function, because otherwise it would be compiled as
 * a JSON Schema without keywords.
 */
export function isStandardSchema(value: unknown): boolean {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard = isHolder && (value as { '~standard'?: { validate?: unknown } })['~standard']
  return typeof standard === 'object' && typeof standard?.validate === 'function'
}
