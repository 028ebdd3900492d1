import type { Request } from '../../contracts/handler.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Step } from '../../contracts/steps.js'
import { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { failsPrecondition } from '../../http/send/preconditions.js'
import { Refusal } from '../../step/refusal.js'
import {
  expectVersion,
  type RowVersion,
  sourceOf,
  type VersionedRoute,
  versionedOf,
  versionedOption,
} from './versioned.js'

/** Matches `*` or entity tags (RFC 9110, 8.8.3 and 13.1.1). */
const CONDITION =
  /^[\t ]*(?:\*|(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[\t ]*,[\t ]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)[\t ]*$/
const OPAQUE = /^[\x21\x23-\x7e\x80-\xff]*$/

/** Sends and compares the versions of rows. The framework loads this plugin only if a route has `@Versioned()`. */
export function versionedPlugin(model: AppModel): Plugin {
  const instances = new Map<unknown, object>()
  return {
    name: 'versioned',
    setup({ find }) {
      for (const { instance } of find(versionedOption))
        instances.set(instance.constructor, instance)
    },
    steps(route) {
      const found = versionedOf(route)
      if (found === null) return null
      if (!found.isWrite) {
        const isSource = model.routes.some(
          (each) => versionedOf(each)?.isWrite === true && sourceOf(each, model) === route,
        )
        return { aroundHandler: (next) => tagged(next, { by: found.by, route, isSource }) }
      }
      const currentOf = currentReader(route, found, {
        model,
        instanceOf: (type) => instances.get(type),
      })
      return {
        aroundHandler: (next) =>
          guarded(tagged(next, { by: found.by, route, isSource: false }), { found, currentOf }),
      }
    },
  }
}

/** Returns the current version of a request's row; `undefined` if there is no row. */
type CurrentOf = (req: Request) => Promise<RowVersion | undefined>

function currentReader(
  route: RouteModel,
  { current, by }: VersionedRoute,
  app: { readonly model: AppModel; readonly instanceOf: (type: unknown) => object | undefined },
): CurrentOf {
  const source = sourceOf(route, app.model)
  return async (req) => {
    const controller = app.instanceOf(route.controller) as Record<
      PropertyKey,
      (req: Request) => unknown
    >
    try {
      const row = await (current
        ? current(req, controller)
        : controller[source?.handler as string]?.(req))
      return row === undefined || row === null ? undefined : versionIn(row, by, route)
    } catch (error) {
      if (HttpError.is(error) && error.status === 404) return undefined
      throw error
    }
  }
}

/**
 * Creates the step that sends the version of the row that the handler returns.
 *
 * @param isSource Whether a write is compared with this version. If so, each row must have a version.
 */
function tagged(
  next: Step,
  {
    by,
    route,
    isSource,
  }: { readonly by: string; readonly route: RouteModel; readonly isSource: boolean },
): Step {
  return async function sendVersion(req, res) {
    const value = await next(req, res)
    const isRow = typeof value === 'object' && value !== null && value !== res
    if (!isRow || value instanceof Refusal || res.hasHeader('ETag') || res.headersSent) return value
    if (isSource || by in value) res.setHeader('ETag', tagOf(versionIn(value, by, route)))
    return value
  }
}

interface Guard {
  readonly found: VersionedRoute
  readonly currentOf: CurrentOf
}

/** Creates the step that allows a write only if the row still has the version that the client read. */
function guarded(next: Step, guard: Guard): Step {
  const { mayCreate } = guard.found
  return async function checkVersion(req, res) {
    const { 'if-match': match } = req.headers
    // `If-None-Match` applies only to a PUT request that can create a row.
    const none = mayCreate ? req.headers['if-none-match'] : undefined
    const wrong = mistakeIn(match, none)
    if (wrong !== null) return wrong
    const version = await guard.currentOf(req)
    const etag = version === undefined ? null : tagOf(version)
    const isStale = match !== undefined && failsCondition(match, etag)
    if (isStale || (none !== undefined && etag !== null)) return stale(etag, guard)
    expectVersion(req, version === undefined || match?.trim() === '*' ? null : version)
    try {
      return await next(req, res)
    } catch (error) {
      // With the status 412, the handler's statement changed no row, because another write came first.
      if (!HttpError.is(error) || error.status !== 412) throw error
      const newer = await guard.currentOf(req)
      return stale(newer === undefined ? null : tagOf(newer), guard)
    }
  }
}

function mistakeIn(match: string | undefined, none: string | undefined): Refusal | null {
  if (match === undefined && none === undefined) return refused('PRECONDITION_REQUIRED', MISSING)
  if (match !== undefined && !CONDITION.test(match))
    return refused('PRECONDITION_INVALID', MALFORMED)
  const isKnown = none === undefined || none.trim() === '*'
  return isKnown ? null : refused('PRECONDITION_INVALID', ONLY_STAR)
}

/** Whether a condition fails. Without a row, every condition fails, even `*` (RFC 9110, 13.1.1). */
function failsCondition(match: string, etag: string | null): boolean {
  const headers = { 'if-match': match }
  return etag === null || failsPrecondition({ headers }, { etag, lastModified: null })
}

/**
 * Returns the refusal for a failed condition. If the row is missing, only a PUT request that can create the row
 * receives a 412 response. Other requests receive a 404 response (RFC 9110, 13.2.1).
 */
function stale(etag: string | null, { found: { mayCreate } }: Guard): Refusal {
  if (etag === null && !mayCreate) return refused('NOT_FOUND')
  if (etag === null) return refused('PRECONDITION_FAILED', 'The resource does not exist')
  return new Refusal(
    refuse('PRECONDITION_FAILED', `The current version is ${etag}`, { headers: { ETag: etag } }),
  )
}

function refused(code: Parameters<typeof refuse>[0], message?: string): Refusal {
  return new Refusal(refuse(code, message))
}

/**
 * Returns the version of a row.
 *
 * @throws Error if the row has no version.
 */
function versionIn(row: unknown, by: string, { name }: RouteModel): RowVersion {
  const value: unknown = (row as Readonly<Record<string, unknown>>)[by]
  const isValid =
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : ['string', 'number', 'bigint'].includes(typeof value)
  if (isValid && OPAQUE.test(textOf(value as RowVersion))) return value as RowVersion
  throw new Error(
    `${name} @Versioned(): the field '${by}' of its row is not a valid version. Use a number, a Date, or a string without quotes and spaces.`,
  )
}

function tagOf(version: RowVersion): string {
  return `"${textOf(version)}"`
}

function textOf(version: RowVersion): string {
  return version instanceof Date ? version.toISOString() : String(version)
}

const MISSING = 'The header If-Match is required: send the ETag of the version that you read'
const MALFORMED = 'If-Match must be `*` or a list of tags in quotes'
const ONLY_STAR = 'If-None-Match of a write must be `*`'
