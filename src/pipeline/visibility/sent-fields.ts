import type { RouteModel } from '../../contracts/route-model.js'
import type { FieldError } from '../../contracts/schema.js'
import { bodyFinder } from '../../http/body-reader.js'
import type { BlazonRequest } from '../../http/request.js'
import type { Path } from '../../schema/fields/matcher.js'
import { namesIn } from '../../schema/fields/show-path.js'
import { compileFindSent, type FindHidden } from '../../schema/visibility/hide-fields.js'
import type { Mark } from '../../schema/visibility/marks.js'
import { resolverOf, type SchemaMarks } from '../../schema/visibility/route-marks.js'

/** Lists the hidden fields that a request has. */
export type FindSent = (req: BlazonRequest) => readonly FieldError[]

interface SentConfig {
  readonly schemas: readonly SchemaMarks[]
  /** Whether the caller may not see the fields with a mark. */
  readonly hides: (mark: Mark) => boolean
}

/** Compiles the function that finds hidden fields in the body and the query of a request, before they are validated. */
export function compileSent(route: RouteModel, { schemas, hides }: SentConfig): FindSent {
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

/** Of several bodies, only the schema of the declared type counts. */
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
  /** The names in the schema. All other names come from the request. */
  readonly names: ReadonlySet<string>
}

function errorsOf(find: FindHidden, { part, value, names }: SentPart): FieldError[] {
  return find(value).map((path) => ({ in: part, path: textOf(path, names), message: REFUSED }))
}

/** It reveals nothing about the values that the field takes. */
const REFUSED = 'may not be sent by this caller'

function textOf(path: Path, names: ReadonlySet<string>): string {
  return path.map((key) => (typeof key === 'string' && !names.has(key) ? '*' : key)).join('.')
}
