import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { FieldError } from '../../contracts/schema.js'
import { bodyFinder } from '../../http/body-reader.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestVisibility } from '../../http/request-notes.js'
import type { Node } from '../../schema/dialect/conversion.js'
import { namesIn, type Path } from '../../schema/fields/matcher.js'
import { readSchema } from '../../schema/fields/read-schema.js'
import { isEnveloped, type MadeRows, mapResponses } from '../../schema/fields/response-bodies.js'
import {
  compileFindHidden,
  compileFindSent,
  compileHide,
  type FindHidden,
  type HideFields,
  type MarkedSchema,
} from '../../schema/visibility/hide-fields.js'
import { keyOfMark, type Mark, markByName } from '../../schema/visibility/marks.js'
import {
  distinctMarks,
  type MarkedField,
  type MarkedSides,
  markedFields,
  markedSides,
  resolverOf,
  type SchemaMarks,
} from '../../schema/visibility/route-marks.js'
import type { KeptVisibilities } from './kept-visibilities.js'

/** The marked fields of a route. */
export interface RouteVisibility extends MarkedSides {
  /** The different marks, in a fixed order. */
  readonly marks: readonly Mark[]
  /** The marked fields of responses, items and requests, without duplicates. */
  readonly fields: readonly MarkedField[]
  /** Returns the functions for callers with these abilities. */
  readonly forHeld: (isHeld: readonly boolean[]) => HeldVisibility
}

/** The functions for all callers with the same abilities. */
export interface HeldVisibility extends RequestVisibility {
  /** Whether the callers are allowed to see all fields. */
  readonly isComplete: boolean
  /** Returns the function that removes hidden fields from responses with a status. */
  readonly hideIn: (status: number) => HideInResponse
  /** Removes hidden fields from a stream item. */
  readonly hideInItem: HideFields
  /** Finds hidden fields that are nevertheless in a sent body. */
  readonly findInBody: (plain: unknown, status: number) => ReturnType<FindHidden>
  /** Lists the hidden fields in a request. */
  readonly findSent: (req: BlazonRequest) => readonly FieldError[]
}

/** The functions that remove hidden fields from responses with one status. The responses are plain data. */
export type HideInResponse = MadeForStatus<HideFields>

interface MadeForStatus<T> {
  readonly body: T
  /** The function for data, before a custom envelope is added. */
  readonly data: T
  /** The function for streamed rows; `null` if the document does not describe a list of rows. */
  readonly rows: MadeRows<T> | null
  /**
   * Whether these functions find every hidden field. Without a schema, they find fields only by name, and some hidden
   * parts have no name.
   */
  readonly findsAll: boolean
}

/** The input of {@link compileVisibility}. */
export interface VisibilityConfig {
  readonly schemas: readonly SchemaMarks[]
  readonly converters: SchemaConverters
  readonly kept: KeptVisibilities<HeldVisibility>
}

/** Compiles the marked fields of a route. */
export function compileVisibility(route: RouteModel, config: VisibilityConfig): RouteVisibility {
  const marks = distinctMarks(config.schemas)
  return {
    marks,
    fields: markedFields(config.schemas),
    ...(markedSides(config.schemas) ?? NO_SIDES),
    forHeld(isHeld) {
      const held = marks.filter((_, index) => isHeld[index] === true)
      const key = `${route.index} ${held.map(keyOfMark).join()}`
      return config.kept.get(key, () => compileHeld(route, held, config))
    },
  }
}

const NO_SIDES: MarkedSides = { limitsResponses: false, limitsRequests: false }

function compileHeld(
  route: RouteModel,
  held: readonly Mark[],
  { schemas, converters }: VisibilityConfig,
): HeldVisibility {
  const keys = new Set(held.map(keyOfMark))
  const hides = (mark: Mark) => !keys.has(keyOfMark(mark))
  const maybe = markByName(schemas)
  const hasNameless = hasNamelessParts(schemas, hides)
  const nothing: MarkedSchema = { schema: true, resolve: () => undefined, maybe }
  const hide = compileStatuses(route, converters, (schema, resolve) =>
    compileHide({ schema, resolve, maybe, hasNameless }, hides),
  )
  const hideElsewhere = hideByName(compileHide(nothing, hides), !hasNameless)
  const find = compileStatuses(route, converters, (schema, resolve) =>
    compileFindHidden({ schema, resolve, maybe }, hides),
  )
  const findElsewhere = compileFindHidden(nothing, hides)
  const findSent = compileSent(route, { schemas, hides })
  return {
    held,
    isComplete: schemas.every(({ places }) => places.every(({ mark }) => !hides(mark))),
    hideIn: (status) => hide.get(status) ?? hideElsewhere,
    hideInItem: itemHider(route, { converters, maybe, hasNameless, hides }),
    findInBody: (plain, status) => (find.get(status)?.body ?? findElsewhere)(plain),
    findSent,
  }
}

/** Whether responses contain hidden parts that have no name: record values and list items. */
function hasNamelessParts(
  schemas: readonly SchemaMarks[],
  hides: (mark: Mark) => boolean,
): boolean {
  const ofResponses = schemas.filter(({ part }) => part === 'response' || part === 'item')
  return ofResponses.some(({ places }) =>
    places.some(({ name, mark }) => name === null && hides(mark)),
  )
}

function hideByName(hide: HideFields, findsAll: boolean): HideInResponse {
  const rows = findsAll ? { list: hide, isDocument: true } : null
  return { body: hide, data: hide, rows, findsAll }
}

function compileStatuses<T>(
  route: RouteModel,
  converters: SchemaConverters,
  of: (schema: unknown, resolve: MarkedSchema['resolve']) => (plain: unknown) => T,
): ReadonlyMap<number, MadeForStatus<(plain: unknown) => T>> {
  const bodies = mapResponses<(plain: unknown) => T>(route, converters, {
    of,
    either: (enveloped, bare) => (plain) => (isEnveloped(plain) ? enveloped : bare)(plain),
  })
  return new Map(
    [...bodies].map(([status, { body, wrapped, rows }]) => [
      status,
      { body, data: wrapped?.data ?? body, rows, findsAll: true },
    ]),
  )
}

function itemHider(
  { stream }: RouteModel,
  { converters, hides, ...marked }: ItemConfig,
): HideFields {
  if (stream === null) return (plain) => plain
  const { json: schema, resolve } = readSchema(stream.item, converters)
  return compileHide({ schema, resolve, ...marked }, hides)
}

interface ItemConfig extends Pick<VisibilityConfig, 'converters'> {
  readonly maybe: Node
  readonly hasNameless: boolean
  readonly hides: (mark: Mark) => boolean
}

/** Lists the hidden fields that a request contains. */
type FindSent = (req: BlazonRequest) => readonly FieldError[]

interface SentConfig {
  readonly schemas: readonly SchemaMarks[]
  /** Whether the fields with this mark are hidden from the caller. */
  readonly hides: (mark: Mark) => boolean
}

/** Compiles the function that finds hidden fields in a request's body and query before they are validated. */
function compileSent(route: RouteModel, { schemas, hides }: SentConfig): FindSent {
  const finders = schemas
    .filter(({ part, places }) => (part === 'body' || part === 'query') && places.length > 0)
    .map(({ part, schema, json }) => ({
      part: part as 'body' | 'query',
      isMeant: part === 'body' ? bodySelector(route, schema) : () => true,
      find: compileFindSent({ schema: json, resolve: resolverOf(json) }, hides),
      names: namesIn(json),
    }))
  return (req) =>
    finders.flatMap(({ part, isMeant, find, names }) =>
      isMeant(req) ? errorsOf(find, { part, value: req[part], names }) : [],
    )
}

/**
 * Creates the function that decides whether a schema applies to the body of a request. If there are several bodies,
 * only the schema of the declared type applies. If no body has this type, every schema applies.
 */
function bodySelector(
  { bodies }: RouteModel,
  schema: SchemaMarks['schema'],
): (req: BlazonRequest) => boolean {
  const own = (bodies ?? []).flatMap((body, index) => (body.schema === schema ? [index] : []))
  if (bodies === null || own.length === 0) return () => true
  const find = bodyFinder(bodies)
  return (req) => {
    const index = find(req)
    return own.includes(index) || index === -1
  }
}

interface SentPart {
  readonly part: 'body' | 'query'
  readonly value: unknown
  /** The names in the schema. Other names come from the request. */
  readonly names: ReadonlySet<string>
}

function errorsOf(find: FindHidden, { part, value, names }: SentPart): FieldError[] {
  return find(value).map((path) => ({ in: part, path: textOf(path, names), message: REFUSED }))
}

/** The error message. It reveals nothing about the allowed values of the field. */
const REFUSED = 'must not be sent by this caller'

function textOf(path: Path, names: ReadonlySet<string>): string {
  return path.map((key) => (typeof key === 'string' && !names.has(key) ? '*' : key)).join('.')
}
