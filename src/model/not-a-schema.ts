/** Why a value is not a schema, and the remedy. */
export interface SchemaProblem {
  readonly cause: string
  readonly remedy: string
}

export const GIVE_SCHEMA =
  'Give a Standard Schema (zod, valibot, arktype) or a JSON Schema object (TypeBox).'
const GIVE_OBJECT =
  "Write { type: 'object', properties: { … } } (not `new`), or give a Standard Schema: z.object({ … })."

type AnyFunction = { readonly name: string; readonly prototype?: object }

/** The problem of a function in place of a schema, which most often is a class. */
export function functionProblem(given: AnyFunction): SchemaProblem {
  if (!isClass(given)) {
    const cause = `is the function ${given.name || 'without a name'}, which is not a schema.`
    return { cause, remedy: `Call it, if it returns one. ${GIVE_SCHEMA}` }
  }
  const name = given.name || 'without a name'
  const cause = `is the class ${name}. TypeScript types do not exist at run time, and the decorators of other packages on its fields (class-validator) are not read.`
  return { cause, remedy: remedyForClass(given, name) }
}

/** A class that a library makes from a schema keeps the schema as a property. */
function remedyForClass(given: AnyFunction, name: string): string {
  const kept = Object.entries(given).find(([, value]) => isStandardSchema(value))
  if (kept !== undefined) return `Give ${name}.${kept[0]}, which is a schema.`
  return `Give a Standard Schema: const ${name} = z.object({ name: z.string() }), and the type ${name} = z.infer<typeof ${name}>. To keep the class, make it a schema: static readonly '~standard' = schema['~standard'].`
}

/** Also recognizes a compiled class: a function whose prototype has methods. */
function isClass(given: AnyFunction): boolean {
  const text = Function.prototype.toString.call(given)
  if (/^class\b/.test(text)) return true
  const { prototype } = given
  if (typeof prototype !== 'object' || prototype === null) return false
  return text.includes('[native code]') || Reflect.ownKeys(prototype).length > 1
}

/**
 * The problem of an instance of a class. It is not a JSON Schema, even if its fields have the names of keywords.
 * Without such fields, it would accept every value as a JSON Schema.
 */
export function instanceProblem(schema: object): SchemaProblem | null {
  const prototype: object | null = Object.getPrototypeOf(schema)
  // `Object.prototype` of this realm, or of another one.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null
  if (schema instanceof Promise) {
    return { cause: 'is a Promise.', remedy: `Await it. ${GIVE_SCHEMA}` }
  }
  const { value: maker } = Object.getOwnPropertyDescriptor(prototype, 'constructor') ?? {}
  if (typeof maker !== 'function') {
    return { cause: 'is an object that inherits from another one.', remedy: GIVE_OBJECT }
  }
  const name = maker.name || 'without a name'
  const remedy = isStandardSchema(maker) ? `Give the class itself: ${name}.` : GIVE_OBJECT
  return { cause: `is an object of the class ${name}, which is not a schema.`, remedy }
}

/**
 * Requires the function that validates: without it, the value would be compiled as a JSON Schema without keywords.
 */
export function isStandardSchema(value: unknown): boolean {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard = isHolder && (value as { '~standard'?: { validate?: unknown } })['~standard']
  return typeof standard === 'object' && typeof standard?.validate === 'function'
}
