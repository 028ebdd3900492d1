import type { Application } from 'express'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { writtenAs } from '../model/facts-by-kind.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { jsonOnce } from '../schema/json-once.js'
import { type Arrival, findUnsendable, type Unsendable } from '../schema/unsendable.js'
import { isStandard } from '../schema/validate-now.js'
import type { Settings } from './settings/settings.js'

/** A part of a request, with its schema. */
interface Part extends Omit<Arrival, 'coerces'> {
  readonly source: InputSource
  readonly schema: Schema
  /** A clause for messages. It states the type that values of this part have. */
  readonly noun: string
  /** The name of the field that the schema describes; `null` if it describes the whole part. */
  readonly key: string | null
}

/**
 * Warns about values that a schema requires but a request cannot contain: the number of `z.number()` in a query, a list
 * in a header, a `Date` in JSON.
 */
export function checkSendable(
  { converters, express }: Pick<Settings, 'converters'> & { readonly express: Application },
  { routes }: AppModel,
): readonly Problem[] {
  // A custom query parser can produce values of any type.
  const isParsed = typeof express.get('query parser') !== 'function'
  return routes.flatMap((route) =>
    partsOf(route)
      .filter(({ source }) => isParsed || source !== 'query')
      .flatMap(fieldsOf)
      .flatMap((part) => unsendableIn(part, converters).map((found) => ({ part, found })))
      .filter(({ part, found }) => !isSignedCookie(route, part, found))
      .map(({ part, found }) => problemOf(route, part, found)),
  )
}

const TEXTS = { carrier: 'text', hasFields: true } as const
const FORM = { carrier: 'list', hasFields: true, noun: 'a form field is a string' } as const

const SOURCES = [
  { source: 'params', ...TEXTS, noun: 'a path parameter is a string' },
  { source: 'query', carrier: 'nested', hasFields: true, noun: 'a query parameter is a string' },
  { source: 'headers', ...TEXTS, noun: 'a header is a string' },
  { source: 'cookies', ...TEXTS, noun: 'a cookie is a string' },
] as const

function partsOf(route: RouteModel): Part[] {
  const { inputs, definedParameters } = route
  const own = SOURCES.flatMap((each) => {
    const defined = (definedParameters ?? []).filter(({ source }) => source === each.source)
    return [inputs[each.source], ...defined.map(({ input }) => input)].flatMap((schema) =>
      schema === null ? [] : [{ ...each, schema, key: null }],
    )
  })
  return [...own, ...bodiesOf(route)]
}

function bodiesOf({ inputs, bodies, upload, uses }: RouteModel): Part[] {
  const source = 'body'
  if (upload !== null) {
    const fields = Object.entries(upload.fields)
    return fields.map(([key, schema]) => ({ source, ...FORM, hasFields: false, schema, key }))
  }
  const all = bodies ?? [{ type: 'json' as const, schema: inputs.body }]
  return all.flatMap(({ type, schema }): Part[] => {
    if (schema === null || type === 'bytes') return []
    if (type === 'form') return [{ source, ...FORM, schema, key: null }]
    const body = { source, hasFields: false, schema, key: null } as const
    if (type === 'text') return [{ ...body, carrier: 'text', noun: 'the body is a string' }]
    // A middleware of the route can produce values of any type.
    return uses === null ? [{ ...body, carrier: 'json', noun: 'JSON has no such type' }] : []
  })
}

/** Splits an input that is described key by key, because each key can have a schema of a different library. */
function fieldsOf(part: Part): Part[] {
  const { schema } = part
  if (!(schema instanceof KeyedSchema)) return [part]
  return Object.entries(schema.entries).flatMap(([key, each]) =>
    each === null ? [] : [{ ...part, schema: each, hasFields: false, key }],
  )
}

/** The libraries for which `OF_TEXT` lists the schemas that convert text. */
const KNOWN = new Set(['zod', 'valibot', 'arktype'])

function unsendableIn(
  { schema, carrier, hasFields, source }: Part,
  converters: Settings['converters'],
): readonly Unsendable[] {
  const vendor = vendorOf(schema)
  if (vendor !== null && (!KNOWN.has(vendor) || Object.hasOwn(converters, vendor))) return []
  const coerces = vendor === null && !(source === 'body' && carrier !== 'list')
  try {
    const json = jsonOnce(schema, { side: 'input', converters })
    return findUnsendable(json, { carrier, hasFields, coerces })
  } catch {
    // Another check warns about a schema that cannot be described.
    return []
  }
}

/** The library of a schema; `null` for a JSON Schema. */
function vendorOf(schema: Schema): string | null {
  return isStandard(schema) ? String(schema['~standard'].vendor) : null
}

/**
 * Whether a value belongs to a signed cookie. A signed cookie that was set as an object is parsed into that object, so
 * the value can have any JSON type.
 */
function isSignedCookie(
  { cookies }: RouteModel,
  { source, key }: Part,
  { path }: Unsendable,
): boolean {
  const [name = ''] = path.split('.')
  return source === 'cookies' && cookies?.signed.includes(key ?? name) === true
}

function problemOf(route: RouteModel, part: Part, found: Unsendable): Problem {
  const { source, schema, noun, key } = part
  const path = [key, found.path].filter((step) => step !== null && step !== '').join('.')
  const place = path === '' ? '' : ` at '${path}'`
  return {
    code: 'W_INPUT_UNSENDABLE',
    subject: `${route.name} ${writtenAs(route, source)}${place}`,
    cause: `No request can send it: the schema requires ${describe(found)}, but ${noun}.`,
    remedy: remedyFor(found, { vendor: vendorOf(schema), source }),
  }
}

function describe({ type, values }: Unsendable): string {
  if (values !== null) return `the ${type} ${values.map((value) => String(value)).join(' or ')}`
  if (type === 'array') return 'a list'
  return type === 'object' ? 'an object' : `a ${type}`
}

/** The schemas that convert text to a value, by library and type of the value. */
const OF_TEXT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zod: {
    number: 'z.coerce.number()',
    boolean: 'z.stringbool()',
    Date: 'z.iso.datetime().transform((text) => new Date(text))',
    bigint: 'z.coerce.bigint()',
    array: "z.string().transform((text) => text.split(','))",
  },
  valibot: {
    number: 'v.pipe(v.string(), v.toNumber())',
    boolean: "v.pipe(v.picklist(['true', 'false']), v.transform((text) => text === 'true'))",
    Date: 'v.pipe(v.string(), v.toDate())',
    bigint: 'v.pipe(v.string(), v.toBigint())',
    array: "v.pipe(v.string(), v.transform((text) => text.split(',')))",
  },
  arktype: {
    number: "'string.numeric.parse'",
    boolean: "type(\"'true' | 'false'\").pipe((text) => text === 'true')",
    Date: "'string.date.parse'",
    bigint: "type('string.integer').pipe(BigInt)",
    array: "type('string').pipe((text) => text.split(','))",
  },
}

/** The schemas that convert text to a number and accept only certain numbers, by library. */
const OF_NUMBERS: Readonly<Record<string, (values: string) => string>> = {
  zod: (values) => `z.coerce.number().pipe(z.literal([${values}]))`,
  valibot: (values) => `v.pipe(v.string(), v.toNumber(), v.picklist([${values}]))`,
  arktype: (values) => `type('string.numeric.parse').to('${values.replaceAll(', ', ' | ')}')`,
}

/** The place where the value was found. */
interface Origin {
  /** The library of the schema; `null` for a JSON Schema. */
  readonly vendor: string | null
  readonly source: InputSource
}

/** The remedy for a schema whose value no request can send. */
function remedyFor({ type, values }: Unsendable, { vendor, source }: Origin): string {
  if (type === 'File') return 'Read a form with files: @Upload({ image: file() }).'
  if (type === 'Map' || type === 'Set') return `Accept a list, and convert it to a ${type}.`
  if (type === 'object') return 'Accept a string and parse it, or use a field for each value.'
  if (vendor === null && type !== 'array') return 'Write the values as strings.'
  if (values !== null && type === 'number') {
    return `Convert the string: ${OF_NUMBERS[vendor ?? '']?.(values.join(', '))}.`
  }
  const instead = OF_TEXT[vendor ?? '']?.[type]
  const query =
    type === 'array' && source !== 'body' ? ' Or move it to the query, which supports lists.' : ''
  return `${instead === undefined ? 'Accept a string.' : `Convert the string: ${instead}.`}${query}`
}
