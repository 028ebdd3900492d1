import { AsyncLocalStorage } from 'node:async_hooks'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Request, Response } from '../../contracts/handler.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { PluginSteps, Step } from '../../contracts/steps.js'
import { Clock } from '../../di/token.js'
import { refuse } from '../../errors/refuse.js'
import { fingerprintOf, noteBody, sha256 } from '../../http/body-digest.js'
import { callerOf } from '../../http/caller.js'
import { hasFailed, tenantOf } from '../../http/request-state.js'
import { type HeldContent, holdResponse } from '../../http/send/hold-response.js'
import { replayResponse } from '../../http/send/replay.js'
import { Refusal } from '../../step/refusal.js'
import { type IdempotencyClaim, IdempotencyStore } from './idempotency-store.js'
import { type IdempotentRoute, idempotencyOf, KEY_PATTERN } from './idempotent.js'
import { memoryIdempotency } from './memory-idempotency.js'

const HEADER = 'idempotency-key'
const KEY = new RegExp(KEY_PATTERN)

/** Dependencies of {@link idempotencyPlugin}. */
export interface IdempotencySources {
  /** Returns the health checks of the application. */
  readonly healthOf: (get: RouteSetup['get']) => {
    add(plugin: Pick<Plugin, 'name' | 'health'>): void
  }
}

/**
 * Stores the responses of `@Idempotent()` routes. The framework loads this plugin only if the application has such a
 * route.
 */
export function idempotencyPlugin({ healthOf }: IdempotencySources): Plugin {
  let store: IdempotencyStore | undefined
  return {
    name: 'idempotency',
    async setup({ get, logger, usesTenants }) {
      const opened = get(IdempotencyStore) ?? memoryIdempotency()
      await opened.open?.({ get, clock: get(Clock), logger, usesTenants })
      if (opened.check !== undefined)
        healthOf(get).add({ name: 'idempotency', health: () => opened.check?.() })
      store = opened
    },
    steps(route, app) {
      const options = idempotencyOf(route)
      return (
        options && stepsOf(route, { ...options, ...app, storeOf: () => store as IdempotencyStore })
      )
    },
    onClose: () => store?.close?.(),
  }
}

type StepsOptions = IdempotentRoute & RouteSetup & { readonly storeOf: () => IdempotencyStore }

function stepsOf(route: RouteModel, config: StepsOptions): PluginSteps {
  const runOnce = (next: Step) => async (req: Request, res: Response, key: string) => {
    const caller = callerOf(req, res)
    if (caller === undefined) throw new Error(`${route.name} @Idempotent(): ${UNKNOWN_CALLER}`)
    const { method, path, version } = route
    const parts = [method, path, tenantOf(req) ?? null, caller, key]
    const whole = sha256(JSON.stringify(version === null ? parts : [...parts, version]))
    const claim = await config.storeOf().claim(whole, config.ttlMs)
    if (claim.state === 'running') return new Refusal(refuse('IDEMPOTENCY_RUNNING', RUNNING, SOON))
    const fingerprint = fingerprintOf(req)
    if (claim.state === 'kept') return answerAgain(res, JSON.parse(claim.record), fingerprint)
    keep(claim, { req, res, fingerprint, ...config })
    return next(req, res)
  }
  return {
    beforeBody: (next) =>
      function noteIdempotentBody(req, res) {
        if (req.headers[HEADER] !== undefined) noteBody(req)
        return next(req, res)
      },
    aroundHandler: (next) => {
      const run = runOnce(next)
      return function idempotent(req, res) {
        const key = req.headers[HEADER]
        if (key === undefined) return config.isRequired ? invalid(REQUIRED) : next(req, res)
        return typeof key === 'string' && KEY.test(key) ? run(req, res, key) : invalid(MALFORMED)
      }
    },
  }
}

function invalid(message: string): Refusal {
  return new Refusal(refuse('IDEMPOTENCY_KEY_INVALID', message))
}

function answerAgain(res: Response, kept: KeptResponse, fingerprint: string): Response | Refusal {
  if (kept.fingerprint !== fingerprint) return new Refusal(refuse('IDEMPOTENCY_KEY_REUSED', REUSED))
  return kept.body === null
    ? new Refusal(refuse('IDEMPOTENCY_NOT_KEPT', NOT_KEPT))
    : sendAgain(res, kept)
}

type Claimed = Extract<IdempotencyClaim, { state: 'claimed' }>

/** Stores the response before it is sent. If the request fails, its key is released. */
function keep(
  { keep: save, free }: Claimed,
  {
    req,
    res,
    fingerprint,
    fail,
    logger,
  }: StepsOptions & { req: Request; res: Response; fingerprint: string },
): void {
  const before = { ...res.getHeaders() }
  holdResponse(res, {
    // A store may use the async context to find the request's transaction.
    before: AsyncLocalStorage.bind(async (status, contentOf) => {
      if (status >= 400 || hasFailed(req)) {
        // Even if `free` rejects, the client receives the request's own error, and the store releases the key when its
        // time has passed.
        return await Promise.resolve(free()).catch((err) => logger.warn({ err }, NOT_FREED))
      }
      // A handler may call `writeHead` first and `end` immediately afterwards. Wait, so that the content is complete.
      await null
      const kept = keptResponse(contentOf(), { before, fingerprint, status })
      if (kept.body === null) logger.warn({ url: req.path }, NOT_REPEATABLE)
      await save(JSON.stringify(kept))
    }),
    refused: (error) => fail(error, req, res),
  })
}

const SOON = { headers: { 'Retry-After': '1' } }
const REQUIRED = 'The header Idempotency-Key is required'
const MALFORMED = 'Idempotency-Key must have 1 to 255 visible ASCII characters'
const RUNNING = 'A request with this Idempotency-Key is still running'
const REUSED = 'This Idempotency-Key belongs to another request'
const NOT_KEPT = 'The request was already processed; its response was not stored'
const NOT_FREED = 'An Idempotency-Key could not be released'
const NOT_REPEATABLE =
  'The response of an @Idempotent() route is longer than 256 KiB, or was sent in parts, so a repeated request will get a 409 response'
const UNKNOWN_CALLER =
  '`req.user` has no ID (id, sub, …), so the keys of different callers cannot be distinguished. Set an ID in the guard.'

/** The maximum size of a stored body, in bytes. */
const LONGEST = 262_144

/** The headers that are not stored: headers that describe a single exchange, and cookies, which are secrets. */
const PASSING =
  /^(?:connection|content-length|date|keep-alive|server-timing|set-cookie|trailer|transfer-encoding|x-request-id)$/

/** The response to a write, in the form in which stores save it. */
interface KeptResponse {
  /** The digest of the request's URL and body. */
  readonly fingerprint: string
  readonly status: number
  /** Header names and values, alternating. */
  readonly headers: readonly string[]
  /** The body; `null` if it was too long, or was not sent in one piece. */
  readonly body: string | null
  /** Whether `body` is base64. */
  readonly isBinary: boolean
}

/**
 * Builds the record of a response.
 *
 * @param before The headers that were set before the handler ran. They are not stored, because they are set again for
 * each response.
 */
function keptResponse(
  { headers, body }: HeldContent,
  {
    before,
    ...rest
  }: { before: OutgoingHttpHeaders } & Pick<KeptResponse, 'fingerprint' | 'status'>,
): KeptResponse {
  const own = Object.entries(headers).flatMap(([name, value]) => {
    const isOwn = value !== undefined && String(value) !== String(before[name])
    if (!isOwn || PASSING.test(name)) return []
    return [name, [value].flat().join(', ')]
  })
  return { ...rest, headers: own, ...textOf(body) }
}

function textOf(body: HeldContent['body']): Pick<KeptResponse, 'body' | 'isBinary'> {
  if (body === null || Buffer.byteLength(body) > LONGEST) return { body: null, isBinary: false }
  if (typeof body === 'string') return { body, isBinary: false }
  return { body: Buffer.from(body).toString('base64'), isBinary: true }
}

function sendAgain(res: Response, { status, headers, body, isBinary }: KeptResponse): Response {
  const text = body ?? ''
  replayResponse(res, {
    status,
    headers: [...headers, 'Idempotency-Replayed', 'true'],
    body: isBinary ? Buffer.from(text, 'base64') : text,
  })
  return res
}
