import type { Application } from 'express'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { cacheOf } from '../features/cache/decorator.js'
import { checksOf } from '../features/policies/checks.js'
import { boundsOf } from '../model/bounds.js'
import { writtenAs } from '../model/facts-by-kind.js'
import { schemasOfBody } from '../schema/body-schemas.js'
import { describeOnce } from '../schema/describe-schema.js'
import { mapResponses } from '../schema/fields/response-bodies.js'
import { defaultedFields } from '../schema/object-fields.js'
import { findUnboundedLists } from '../schema/unbounded-lists.js'
import { isStandard } from '../schema/validate-now.js'
import { markedSides, marksOfRoute } from '../schema/visibility/route-marks.js'
import type { KeptByWorker } from '../step/feature.js'
import { checkContracts } from './check-contracts.js'
import { checkExposedDocs } from './check-docs.js'
import { checkMiddlewares } from './check-middlewares.js'
import { checkResponseFields, checkResponseLists } from './check-responses.js'
import { checkSendable } from './check-sendable.js'
import { checkVisibility } from './check-visibility.js'
import { compareFeatures, keptByWorkers } from './features.js'
import type { Settings } from './settings/settings.js'
import { checkRouters } from './tenancy/check-routers.js'
import { findWorkerLink } from './worker-link.js'

/**
 * An item takes at least two bytes, so a body of this size has at most 100,000 items. If the limit is not higher, no
 * schema needs to be checked.
 */
const HARMLESS_BYTES = 200_000

/**
 * Warns about lists without a maximum if `limits.body` or `@Limits` allows very long lists. Validating such a list
 * would block all other requests.
 */
function checkBodies({ limits, converters }: Settings, { routes }: AppModel): readonly Problem[] {
  return routes.flatMap((route) => {
    const { bodyBytes } = boundsOf(route, limits)
    if (bodyBytes <= HARMLESS_BYTES) return []
    return schemasOfBody(route).flatMap((body) => {
      const described = describeOnce(body, { side: 'input', converters })
      return findUnboundedLists(described, bodyBytes).map((path) => unbounded(route, path))
    })
  })
}

function unbounded({ name }: RouteModel, path: string): Problem {
  const list = path === '' ? 'its list' : `the list '${path}'`
  return {
    code: 'W_LIST_UNBOUNDED',
    subject: `${name} @Body`,
    cause: `A body within the size limit can contain more than 100,000 items in ${list}, which are all validated in one step.`,
    remedy:
      'Set a maximum for the list (`maxItems`, `.max(1000)`), or lower the limit (limits.body, @Limits).',
  }
}

/**
 * Finds contradictions between the settings and the model of an application. Each of the two is valid on its own.
 *
 * @param express The application whose query parser reads the requests.
 */
export function checkApp(settings: Settings, model: AppModel, express: Application): Problem[] {
  return [
    ...checkContracts(settings, model),
    ...compareFeatures(settings, model),
    ...checkRouters(settings),
    ...checkMiddlewares(settings, model),
    ...checkExposedDocs(settings, model),
    ...checkBodies(settings, model),
    ...checkResponseFields(settings, model),
    ...checkResponseLists(settings, model),
    ...checkSendable({ ...settings, express }, model),
    ...checkPatch(model),
    ...model.routes.flatMap(checkSharedCache),
    ...checkRows(settings, model),
    ...checkVisibility(settings, model),
    ...checkWorkers(settings, model),
  ]
}

type RowSettings = Pick<Settings, 'responses' | 'converters'>

/**
 * Finds routes that send tables (`text/csv`) with limited fields but describe no list, so that the permitted fields of
 * a row are unknown.
 */
function checkRows(settings: RowSettings, { routes }: AppModel): readonly Problem[] {
  return routes
    .filter(({ method, produces }) => method !== 'HEAD' && produces?.some(({ isTable }) => isTable))
    .filter((route) => isLimited(route, settings))
    .flatMap((route) =>
      statusesWithoutList(route, settings).map((status) => problem(route, status)),
    )
}

function isLimited(route: RouteModel, { responses, converters }: RowSettings): boolean {
  if ((route.responseFields ?? responses.fields) !== 'send') return true
  return markedSides(marksOfRoute(route, converters))?.limitsResponses === true
}

function statusesWithoutList(route: RouteModel, { converters }: RowSettings): readonly number[] {
  const found = mapResponses(route, converters, { of: () => true, either: () => true })
  return [...found].flatMap(([status, { rows }]) => (status < 300 && rows === null ? [status] : []))
}

function problem({ name }: RouteModel, status: number): Problem {
  return {
    code: 'E_ROWS_UNDESCRIBED',
    subject: `${name} @ApiResponseDoc(${status})`,
    cause:
      "It does not describe a list, but @Produces sends the response as 'text/csv': it is unknown which fields a row can contain.",
    remedy: 'Describe a list, or an object whose `items` is a list, as page() does.',
  }
}

/**
 * Warns about fields that a `PATCH` sets although the client omits them: `z.object(…).partial()` keeps the defaults of
 * its fields, so an empty body becomes `{ email: null }`.
 */
function checkPatch({ routes }: AppModel): readonly Problem[] {
  return routes
    .filter(({ method }) => method === 'PATCH')
    .flatMap((route) => schemasOfBody(route).flatMap((schema) => problemsOf(route, schema)))
}

function problemsOf(route: RouteModel, schema: Schema): Problem[] {
  const names = defaultedFields(schema)
  if (names.length === 0) return []
  const fields = names.map((name) => `'${name}'`).join(', ')
  return [
    {
      code: 'W_PATCH_DEFAULTS',
      subject: `${route.name} ${writtenAs(route, 'body')}`,
      cause: `A PATCH without ${fields} overwrites the stored value with a default of the schema.`,
      remedy: `Use a schema without defaults for PATCH, and add the defaults to the POST schema: ${example(schema, names[0] as string)}`,
    },
  ]
}

function example(schema: Schema, name: string): string {
  const vendor = isStandard(schema) ? schema['~standard'].vendor : ''
  return vendor === 'zod'
    ? `\`const Patch = Fields.partial()\`, \`const Create = Fields.extend({ ${name}: Fields.shape.${name}.default(…) })\`.`
    : 'both schemas can use the same fields.'
}

const SHARE =
  'Use a store that all processes share, such as Redis or PostgreSQL; or run one worker.'

/**
 * Reports routes with policies whose cached response is shared. The response would be sent to callers that no policy
 * has checked.
 */
function checkSharedCache(route: RouteModel): Problem[] {
  if (cacheOf(route)?.shared !== true || checksOf(route).length === 0) return []
  return [
    {
      code: 'E_CACHE_SHARED',
      subject: route.name,
      cause:
        'It has @Cache({ shared: true }) and @Checks: a response that the policy allowed for one user would be sent to all users.',
      remedy: 'Remove `shared`: each user then gets separate responses.',
    },
  ]
}

/** Finds data that each worker of `blazon start` stores separately. One worker reports it for all workers. */
function checkWorkers(settings: Settings, model: AppModel): Problem[] {
  const { workers, isSpeaker } = findWorkerLink() ?? {}
  if (workers === undefined || isSpeaker === false) return []
  const ofPlugins = settings.plugins.flatMap((plugin): KeptByWorker[] => {
    const kept = plugin.keptInProcess?.()
    if (!kept) return []
    const effect = `a worker cannot read ${kept} of another worker.`
    return [{ subject: `plugin '${plugin.name}'`, effect }]
  })
  return [...keptByWorkers(settings, model, workers), ...ofPlugins].map(
    ({ subject, effect, remedy = SHARE }) => {
      const cause = `Each of the ${workers} workers keeps its own data in memory: ${effect}`
      return { code: 'W_WORKERS_MEMORY', subject, cause, remedy }
    },
  )
}
