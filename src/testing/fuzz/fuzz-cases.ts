import type { Arbitrary } from 'fast-check'
import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { FileRule } from '../../contracts/inputs.js'
import type { OpenApiParameter, OpenApiSchema } from '../../contracts/openapi.js'
import { lowerDocument, lowerSchema } from '../../schema/dialect/rewrite-schema.js'
import { shorten } from '../../schema/mismatches.js'
import { componentName } from '../../schema/openapi-to-json.js'
import { type BodyType, bodyTypesOf, type FormParts, isWritable } from './body-types.js'
import { type CaseSource, createSource } from './case-source.js'
import { fileValues, formValues } from './form-values.js'
import { hiddenIn, hiddenRequests, type IsHidden } from './hidden-fields.js'
import { type HostileChoice, hostileRequest } from './hostile-requests.js'
import { choose, type FastCheck } from './random.js'
import { type ValueContext, valueContext, valuesOf } from './valid-values.js'
import type { RequestParts, WireRequest } from './wire-request.js'
import { withoutFiles } from './write-form.js'
import { wrongRequests } from './wrong-requests.js'

/**
 * Whether the document allows the request, forbids it, or has no rule for it (`hostile`); `hidden`: it has a field that
 * the caller is not allowed to send.
 */
export type CaseKind = 'valid' | 'invalid' | 'hostile' | 'hidden'

/** A generated request. */
export interface FuzzCase {
  readonly kind: CaseKind
  /** The invalid or hostile part of the request; empty for a valid request. */
  readonly what: string
  readonly request: WireRequest
}

/** The number of samples after which a schema counts as having no valid values. */
const ATTEMPTS = 100
/** The upper limit of the random numbers that choose a variant. */
const CHOICES = 2 ** 30

/**
 * Whether requests to an operation can be generated. Forms cannot be generated if the rules for their files are
 * unknown.
 */
export function isFuzzable(documented: DocumentedOperation): boolean {
  return documented.operation.requestBody === undefined || bodyTypesOf(documented).length > 0
}

/** The input of {@link casesOf} besides the operation. */
export interface CaseConfig {
  readonly fc: FastCheck
  /** Headers that are sent with every request, in lower case. */
  readonly given: ReadonlyMap<string, string>
  /** The marks of fields that the caller is not allowed to see; empty if there are none. */
  readonly hidden: readonly (readonly string[])[]
}

/**
 * Generates requests to an operation: valid requests, and requests with one invalid part, one hostile part, or one
 * field that the caller is not allowed to send.
 *
 * @throws Error with the part for which no valid value is found.
 */
export function casesOf(documented: DocumentedOperation, config: CaseConfig): Arbitrary<FuzzCase> {
  const types = bodyTypesOf(documented)
  if (types.length < 2) return casesOfType(documented, types[0] ?? null, config)
  return config.fc.oneof(...types.map((type) => casesOfType(documented, type, config)))
}

/** Generates requests whose body has one type. */
function casesOfType(
  documented: DocumentedOperation,
  type: BodyType | null,
  { fc, given, hidden }: CaseConfig,
): Arbitrary<FuzzCase> {
  const { schemas } = lowerDocument(documented.document).components
  const isHidden = hiddenIn(documented.document, hidden)
  const source = createSource(documented, given, type)
  const parts = partsOf(source, { ...valueContext(fc, schemas), isHidden })
  // The choice does not shrink, so it does not change while the rest of the request shrinks.
  const choice = () => fc.noShrink(fc.noBias(fc.nat({ max: CHOICES })))
  const invalid = fc.record({ kind: fc.constant<'invalid'>('invalid'), place: choice() })
  const text = fc.string({ unit: 'binary', maxLength: 30 })
  const hostile = fc.record({
    kind: fc.constant<'hostile'>('hostile'),
    place: choice(),
    value: choice(),
    text,
  })
  const way: Arbitrary<Way> = fc.oneof(
    // Allows fast-check to shrink to a valid request, if that request also fails.
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.constant<Way>({ kind: 'valid' }) },
    { weight: 4, arbitrary: invalid },
    { weight: 3, arbitrary: hostile },
    // This case is added only if there are hidden fields, because an additional case changes the requests of a seed.
    ...(hidden.length > 0
      ? [
          {
            weight: 2,
            arbitrary: fc.record({ kind: fc.constant<'hidden'>('hidden'), place: choice() }),
          },
        ]
      : []),
  )
  return fc.tuple(parts, way).map(([valid, how]) => caseOf({ ...source, isHidden }, valid, how))
}

/** The change that is made to a valid request. */
type Way =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid' | 'hidden'; readonly place: number }
  | ({ readonly kind: 'hostile' } & HostileChoice)

function caseOf(
  source: CaseSource & { readonly isHidden: IsHidden },
  parts: RequestParts,
  way: Way,
): FuzzCase {
  const { kind } = way
  if (kind === 'hostile') return { kind, ...hostileRequest(source, parts, way) }
  if (kind !== 'valid') {
    const all =
      kind === 'hidden'
        ? hiddenRequests(source, parts, source.isHidden)
        : wrongRequests(source, parts)
    const wrong = choose(all, ({ what }) => what, way.place)
    if (wrong !== undefined) return { kind, ...wrong }
  }
  return { kind: 'valid', what: '', request: source.write(parts) }
}

/**
 * A cursor is signed by the application, so generated cursors are not valid. Invalid and hostile cursors are still
 * sent.
 */
function isSigned({ format }: OpenApiSchema): boolean {
  return format === 'cursor'
}

/**
 * Generates valid values for every part of a request.
 *
 * @throws Error with the part for which no valid value is found.
 */
export function partsOf(source: CaseSource, context: ValueContext): Arbitrary<RequestParts> {
  const { fc } = context
  const { operation } = source.documented
  const { parameters = [], requestBody } = operation
  const place = (where: OpenApiParameter['in']) => {
    const here = parameters.filter(
      ({ name, in: place, required = false, schema }) =>
        place === where &&
        (required || !isSigned(schema)) &&
        !(where === 'header' && source.given.has(name.toLowerCase())) &&
        context.isHidden?.(schema) !== true,
    )
    const values = here.map((parameter) => {
      const { name, schema } = parameter
      const fits = (value: unknown) => isSendable(parameter, value)
      const part = { source, schema, fits, what: `${where} ${name}` }
      return [name, checked(part, { ...context, name })] as const
    })
    const requiredKeys = here.filter(({ required }) => required).map(({ name }) => name)
    return fc.record(Object.fromEntries(values), { requiredKeys })
  }
  const { body: type } = source
  const none = fc.constant(undefined)
  const fits = (value: unknown) => type !== null && isWritable(type, value)
  const some =
    type && checked({ source, schema: type.schema, fits, what: 'body' }, context, type.parts)
  const body =
    some === null ? none : requestBody?.required ? some : fc.option(some, { nil: undefined })
  return fc.record({
    path: place('path'),
    query: place('query'),
    header: place('header'),
    // A part that the operation lacks would consume a random number, and change the requests of a seed.
    ...(parameters.some((each) => each.in === 'cookie') && { cookie: place('cookie') }),
    body,
  })
}

interface Part {
  readonly source: CaseSource
  readonly schema: OpenApiSchema
  readonly fits: (value: unknown) => boolean
  readonly what: string
}

/**
 * Keeps only values that the validator of the document also accepts.
 *
 * @param form The parts of a form with files, which the schema alone does not describe.
 */
function checked(
  { source, schema, fits, what }: Part,
  context: ValueContext,
  form: FormParts | null = null,
): Arbitrary<unknown> {
  const { fc } = context
  const { accepts, documented } = source
  const isRight = (value: unknown) => fits(value) && accepts(schema, withoutFiles(value))
  let failure: unknown
  try {
    const values =
      form === null
        ? valuesOf(lowerSchema(schema, documented.document), context)
        : formValues(form, context)
    const samples = fc.sample(values, { seed: 1, numRuns: ATTEMPTS })
    if (samples.some(isRight)) return values.filter(isRight)
  } catch (error) {
    // The limits of the schema contradict each other, or a required file cannot be generated.
    failure = error
  }
  const { operationId, name } = documented
  const where = `${what}${fileWithout(form, context) ?? fieldWithout(source, schema, context)}`
  throw new NoValueError(
    where,
    `fuzz() did not find a value for the ${where} of ${operationId} (${name}) that its schema accepts: ${shorten(JSON.stringify(schema))}. Skip the operation: fuzz({ skip: ['${operationId}'] }).`,
    { cause: failure },
  )
}

/** Thrown if no value is found that a schema accepts. */
export class NoValueError extends Error {
  /** The part of the request: `query page`, `body.address.code`. */
  readonly where: string

  constructor(where: string, message: string, options: ErrorOptions) {
    super(message, options)
    this.where = where
  }
}

/** The path of the first file that cannot be generated, because the first bytes of its type exceed the maximum size. */
function fileWithout(form: FormParts | null, context: ValueContext): string | undefined {
  const names = Object.keys(form?.files ?? {})
  const name = names.find(
    (each) => fileValues(each, form?.files[each] as FileRule, context) === null,
  )
  return name && `.${name}`
}

/** The path of the first property for which no value is found, such as `.address.code`; empty if there is none. */
function fieldWithout(source: CaseSource, schema: OpenApiSchema, context: ValueContext): string {
  const { document } = source.documented
  const own =
    schema.$ref === undefined ? schema : document.components.schemas?.[componentName(schema.$ref)]
  for (const [name, child] of Object.entries(own?.properties ?? {})) {
    const below = { ...context, name, depth: context.depth - 1 }
    if (below.depth < 0 || hasValue(source, child, below)) continue
    return `.${name}${fieldWithout(source, child, below)}`
  }
  return ''
}

function hasValue(
  { accepts, documented }: CaseSource,
  schema: OpenApiSchema,
  context: ValueContext,
) {
  try {
    const values = valuesOf(lowerSchema(schema, documented.document), context)
    const samples = context.fc.sample(values, { seed: 1, numRuns: ATTEMPTS })
    return samples.some((value) => accepts(schema, value))
  } catch {
    return false
  }
}

/** Whether a value can be written in this part of a request. */
function isSendable({ in: where }: OpenApiParameter, value: unknown): boolean {
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
  if (where === 'path') return isScalar && !['', '.', '..'].includes(String(value))
  if (where === 'header') return isScalar && /^[\x20-\x7e]*$/.test(String(value))
  if (where === 'cookie') return isScalar
  if (isScalar) return true
  if (typeof value !== 'object' || value === null) return false
  const inner = Object.values(value)
  return (
    inner.length > 0 && inner.every((item) => ['string', 'number', 'boolean'].includes(typeof item))
  )
}
