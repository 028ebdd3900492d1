import type { ApiResponseOptions } from '../contracts/operation.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { type Problem, sharedProblem } from '../errors/config-error.js'
import { headerTypeOf, isJsonType } from '../schema/response-shape.js'
import type { MarkedPlace } from '../schema/visibility/marks.js'
import {
  marksOfOtherSide,
  marksOfRoute,
  type SchemaMarks,
} from '../schema/visibility/route-marks.js'
import { lacksSchema } from './check-responses.js'
import type { Settings } from './settings/settings.js'

/** Finds mistakes in the use of `visibleTo`. */
export function checkVisibility(
  { converters, middlewares }: Pick<Settings, 'converters' | 'middlewares'>,
  { routes }: AppModel,
): readonly Problem[] {
  const all = routes.map((route) => ({ route, schemas: marksOfRoute(route, converters) }))
  if (all.every(({ schemas }) => schemas.length === 0)) return []
  const problems = all.flatMap(({ route, schemas }) =>
    schemas.flatMap((schema) => [
      ...wrongMarks(route, schema),
      ...lostMarks(route, schema, converters),
      ...unprotected(route, schema),
      ...cursorFields(route, schema),
      ...requiredFields(route, schema),
    ]),
  )
  const marked = all.filter(({ schemas }) => schemas.length > 0).map(({ route }) => route)
  return [...problems, ...withoutUser(marked, middlewares.length > 0), ...undescribed(routes)]
}

const LABELS: Readonly<Record<SchemaMarks['part'], string>> = {
  response: '@ApiResponseDoc',
  item: 'items',
  body: '@Body',
  query: '@Query',
  params: '@Params',
  headers: '@Headers',
  cookies: '@Cookies',
  defined: 'parameters',
}

function subjectOf({ name }: RouteModel, { part, status }: SchemaMarks, path = ''): string {
  const label = status === null ? LABELS[part] : `${LABELS[part]}(${status})`
  return `${name} ${label}${path === '' ? '' : ` at '${path}'`}`
}

const CORRECT_VALUE = "Specify an ability, or a list of abilities: `visibleTo: 'payroll:read'`."
const MARK_FIELD =
  'Mark a field of an object in a body, a query or a response; to protect the whole route, use @Can.'

/** Finds invalid marks, and marks on inputs other than the body and the query. */
function wrongMarks(route: RouteModel, schema: SchemaMarks): Problem[] {
  const { part, wrong, places } = schema
  const elsewhere = ['response', 'item', 'body', 'query'].includes(part)
    ? []
    : places.map(({ path }) => ({
        path,
        cause: 'is neither in a body nor in a query',
        isValue: false,
      }))
  return [...wrong, ...elsewhere].map(({ path, cause, isValue }) => ({
    code: 'E_VISIBILITY_MARK',
    subject: subjectOf(route, schema, path),
    cause: `The mark \`visibleTo\` ${cause}.`,
    remedy: isValue ? CORRECT_VALUE : MARK_FIELD,
  }))
}

/**
 * Finds marks that have no effect because of a transform. In a response, these are the marks before the transform; in a
 * request, the marks after it.
 */
function lostMarks(
  route: RouteModel,
  schema: SchemaMarks,
  converters: Settings['converters'],
): Problem[] {
  const keyOf = ({ path, mark }: MarkedPlace) => `${path} ${mark.join()}`
  const known = new Set(schema.places.map(keyOf))
  return marksOfOtherSide(schema, converters)
    .places.filter((place) => !known.has(keyOf(place)))
    .map(({ path }) => ({
      code: 'E_VISIBILITY_MARK',
      subject: subjectOf(route, schema, path),
      cause: 'The mark `visibleTo` is inside a transform, where it has no effect.',
      remedy: 'Mark the whole field: `.transform(…).meta({ visibleTo })`.',
    }))
}

/**
 * Finds marked fields in responses that are not JSON. Such responses are sent as the handler writes them, so fields
 * cannot be removed.
 */
function unprotected(route: RouteModel, schema: SchemaMarks): Problem[] {
  const { part, places } = schema
  if (part !== 'response' || places.length === 0) return []
  const stated = route.operation.responses.find(
    (each) => each.schema === schema.schema && each.status === schema.status,
  )
  const type = typeOf(route, stated)
  if (type === undefined || isJsonType(type)) return []
  return [
    {
      code: 'E_VISIBILITY_UNPROTECTED',
      subject: subjectOf(route, schema),
      cause: `Its schema has the field '${places[0]?.path}' with visibleTo, but '${type}' is not JSON, so the field cannot be omitted.`,
      remedy: 'Return the data as JSON or with @Produces, or use a schema without marks.',
    },
  ]
}

function typeOf(route: RouteModel, stated: ApiResponseOptions | undefined): string | undefined {
  return stated?.content ?? stated?.contentType ?? headerTypeOf(route)
}

/** Finds marked sort fields of lists with cursors, because a client can read the values in a cursor. */
function cursorFields({ pages, name }: RouteModel, { part, places }: SchemaMarks): Problem[] {
  if (pages?.kind !== 'cursor' || part !== 'response') return []
  const fields = new Set(
    Object.values(pages.orders).flatMap((order) => order.map(({ field }) => `items.*.${field}`)),
  )
  return places
    .filter(({ path }) => fields.has(path))
    .map((place) => ({
      code: 'E_VISIBILITY_UNPROTECTED',
      subject: `${name} @Paged`,
      cause: `Its order has the field '${place.name}' with visibleTo, and clients can read the values in a cursor.`,
      remedy: 'Order by other fields, or use page(), whose pages have numbers.',
    }))
}

/** Finds required fields with a mark: a caller without the ability can neither send nor omit such a field. */
function requiredFields(route: RouteModel, schema: SchemaMarks): Problem[] {
  const { part, places } = schema
  if (part !== 'body' && part !== 'query') return []
  return places
    .filter((place) => place.isRequired && !isCovered(place, route))
    .map((place) => ({
      code: 'W_VISIBILITY_REQUIRED',
      subject: subjectOf(route, schema, place.path),
      cause:
        'The field is required, but callers without its ability are not allowed to send it, so all their requests are refused.',
      remedy: `Make it optional, or let only callers with this ability call the route: @Can(${place.mark.map((ability) => `'${ability}'`).join(', ')}).`,
    }))
}

function isCovered({ mark }: MarkedPlace, { abilities }: RouteModel): boolean {
  return mark.every((ability) => abilities?.includes(ability) === true)
}

/** Finds routes where no caller can have an ability, because neither a guard nor a middleware identifies callers. */
function withoutUser(marked: readonly RouteModel[], hasMiddlewares: boolean): Problem[] {
  const anonymous = marked
    .filter(({ isProtected, isAuthOptional }) => !isProtected && !isAuthOptional)
    .filter(({ uses }) => !hasMiddlewares && uses === null)
  return sharedProblem(anonymous, {
    code: 'W_VISIBILITY_WITHOUT_USER',
    cause:
      'It is public, and has fields with visibleTo: the caller is unknown, so no caller can receive or send these fields.',
    remedy: 'Add @Auth(), or @Auth({ optional: true }) if callers without credentials are allowed.',
  })
}

/** Finds responses without a schema. They can contain an object whose fields are marked in other schemas. */
function undescribed(routes: readonly RouteModel[]): Problem[] {
  const bare = routes
    .filter((route) => route.responseFields !== 'send' && route.method !== 'HEAD')
    .filter((route) => route.stream === null && lacksSchema(route))
  return sharedProblem(bare, {
    code: 'W_VISIBILITY_UNDESCRIBED',
    cause:
      'The application has fields with visibleTo, and a successful response here has no schema: it is unknown which fields to omit.',
    remedy:
      "Add @ApiResponseDoc({ status, description, schema }), or @ResponseFields('send') to send all fields.",
  })
}
