import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { DECORATOR_OF } from './facts-by-kind.js'
import { isStandardSchema } from './schema-problem.js'

/** A parameter that receives a request part without validation. */
interface Unchecked {
  readonly index: number
  readonly source: InputSource
  /** The key; `null` if the parameter receives the whole part. */
  readonly key: string | null
  /** The type that the compiler emitted for the parameter. */
  readonly type: Type
}

type Type = { readonly name: string } & ((...args: never[]) => unknown)

/** Types that no JSON value has. Only body parsers in `middlewares` create such values. */
const OF_PARSERS: readonly unknown[] = [Buffer, Uint8Array]

/** The values that a compiler emits for types that do not exist at runtime. */
const SILENT: readonly unknown[] = [Object, undefined, null]

/**
 * Finds parameters of the legacy dialect that have a type but no schema: `@Body() dto: CreateUser` validates nothing.
 * The types can only be read if `emitDecoratorMetadata` is on and the process has loaded a metadata store. Interfaces,
 * `any` and `unknown` are not reported.
 */
export function checkParameterTypes(routes: readonly RouteModel[]): Problem[] {
  const { getMetadata } = Reflect as { getMetadata?: GetMetadata }
  if (getMetadata === undefined) return []
  const seen = new Map<unknown, Set<PropertyKey>>()
  return routes.flatMap((route) => {
    const { controller, handler, name } = route
    const methods = seen.get(controller) ?? new Set()
    // Check each method only once. One method may have several routes, and two classes may have the same name.
    if (route.parameters === null || methods.has(handler)) return []
    seen.set(controller, methods.add(handler))
    const types = getMetadata('design:paramtypes', controller.prototype as object, handler)
    return uncheckedOf(route, types).map((parameter) => toProblem(name, parameter))
  })
}

type GetMetadata = (key: string, target: object, member: PropertyKey) => unknown

function uncheckedOf({ parameters, inputs, bodies }: RouteModel, types: unknown): Unchecked[] {
  if (!Array.isArray(types)) return []
  return (parameters ?? []).flatMap(({ index, source, key }) => {
    if (!isInput(source) || isDescribed(inputs[source], key)) return []
    // A body with options needs no schema, because its options determine its type.
    if (source === 'body' && bodies !== null) return []
    const type: unknown = types[index]
    // A single path parameter, header or cookie is always a string. A query parameter is a list if a client repeats it.
    if (key !== null && type === String && ['params', 'headers', 'cookies'].includes(source))
      return []
    const isOfParser = source === 'body' && OF_PARSERS.includes(type)
    if (SILENT.includes(type) || isOfParser || typeof type !== 'function') return []
    return [{ index, source, key, type: type as Type }]
  })
}

/** Whether a schema describes the value of a parameter. */
function isDescribed(schema: Schema | null, key: string | null): boolean {
  if (key === null || !(schema instanceof KeyedSchema)) return schema !== null
  return schema.entries[key] !== null
}

function isInput(source: string): source is InputSource {
  return Object.hasOwn(DECORATOR_OF, source)
}

function toProblem(subject: string, { index, source, key, type }: Unchecked): Problem {
  const decorator = DECORATOR_OF[source]
  const prefix = key === null ? '' : `'${key}', `
  const place = key === null ? '' : `'${key}'`
  const name = type.name || 'a class'
  const passed =
    source === 'body' || key !== null
      ? 'the handler receives every value that the client sends'
      : `the handler receives the ${source} as an object of strings`
  // A library that creates a class from a schema keeps the schema in a static property of the class.
  const kept = Object.entries(type).find(([, value]) => isStandardSchema(value))?.[0]
  const ready = kept === undefined ? null : `${name}.${kept}`
  const given = '~standard' in type ? name : ready
  const remedy =
    given !== null
      ? `Write ${decorator}(${prefix}${given}), which is a schema.`
      : `Write ${decorator}(${prefix}schema), with a schema of zod, valibot, arktype or JSON Schema, and use the type that is inferred from the schema. If the handler checks the value itself, declare the parameter as unknown.`
  return {
    code: 'E_INPUT_UNCHECKED',
    subject,
    cause: `Parameter ${index} has the type ${name}, but ${decorator}(${place}) has no schema: ${passed}, and the type is neither validated nor documented.`,
    remedy,
  }
}
