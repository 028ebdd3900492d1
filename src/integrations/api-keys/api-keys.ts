import { AsyncResource } from 'node:async_hooks'
import {
  type AuthGuard,
  Clock,
  HttpError,
  type Logger,
  type Request,
  ServiceUnavailableError,
} from '../../index.js'
import {
  type GuardSetup,
  isThenable,
  noteOf,
  type OpenApiSecurityScheme,
  orStandIn,
  setKeyId,
} from '../../plugin/index.js'
import {
  type ApiKeyRecord,
  type ApiKeysOptions,
  type ApiKeysSettings,
  type ApiKeyUser,
  settleApiKeysOptions,
} from './api-keys-options.js'
import { checkedRecord, FoundKeys, isLive } from './found-keys.js'
import { hashApiKey, keyMatcher } from './key-format.js'

/** The guard that `apiKeys` creates. */
export interface ApiKeyGuard<TUser extends object = ApiKeyUser> extends AuthGuard<TUser> {
  /** The name of the header that contains the key. */
  readonly credentials: readonly string[]
  /** The security scheme in the document: `apiKey` in the header, or `http` with `bearer`. */
  readonly security: OpenApiSecurityScheme
  /** The scheme in `WWW-Authenticate`: the option `scheme`, or else `ApiKey`. */
  readonly challenge: string
  /** Returns the guard for one application, with its own cache. */
  forApplication(app: GuardSetup): AuthGuard<TUser>
}

const UNPREPARED =
  'apiKeys(): no application has prepared this guard. Pass the guard to `auth`. If a custom guard calls this guard, it must first call `forApplication` of this guard.'

/**
 * Creates a guard for clients that are programs. It accepts requests with a key from {@link generateApiKey}.
 *
 * A string that lacks a known prefix or a valid checksum is refused without a look-up. Unknown, expired and revoked
 * keys are refused with a 401 response. The user of the request has the key's permissions and roles. The key confirms
 * the request's tenant. Rate limits with `by: 'key'` count requests by key.
 *
 * @throws ConfigError at boot if an option is invalid.
 * @example
 * new App({
 *   auth: { guard: apiKeys({ prefix: 'acme_live', find: (hash) => keys.findOne({ hash }) }) },
 * })
 */
export function apiKeys<
  TRecord extends ApiKeyRecord = ApiKeyRecord,
  TUser extends object = ApiKeyUser,
>(options: ApiKeysOptions<TRecord, TUser>): ApiKeyGuard<TUser> {
  const settle = () => settleApiKeysOptions(options as unknown as ApiKeysOptions)
  return orStandIn(
    () => create(options, settle()),
    () => create(NO_KEYS, settleApiKeysOptions(NO_KEYS)) as unknown as ApiKeyGuard<TUser>,
  )
}

/** The options of a guard whose own options are invalid. */
const NO_KEYS: ApiKeysOptions = { prefix: 'none', find: () => null }

function create<TRecord extends ApiKeyRecord, TUser extends object>(
  options: ApiKeysOptions<TRecord, TUser>,
  settings: ApiKeysSettings,
): ApiKeyGuard<TUser> {
  const { header, scheme, prefixes } = settings
  // The application's guard stores the key in a request under this symbol, and `tenantOf` of this guard reads it.
  const kRecord = Symbol('blazon.apiKeys')
  return {
    credentials: [header],
    security: securityOf(options, settings),
    challenge: scheme ?? 'ApiKey',
    canActivate() {
      throw new TypeError(UNPREPARED)
    },
    forApplication: (app) => new KeyGuard({ options, settings, app, kRecord }),
    ...(scheme === null ? {} : { carries: carrier(scheme, prefixes) }),
    ...(options.tenant === false
      ? {}
      : { tenantOf: (req: Request) => (req as unknown as Marked)[kRecord]?.tenant ?? undefined }),
  }
}

interface KeyGuardParts<TRecord extends ApiKeyRecord, TUser extends object> {
  readonly options: ApiKeysOptions<TRecord, TUser>
  readonly settings: ApiKeysSettings
  readonly app: GuardSetup
  /** The property of an accepted request that contains its key. */
  readonly kRecord: symbol
}

/**
 * A request with the keys that guards have accepted. The keys are in a property, because a lookup in a `WeakMap` took
 * as long as hashing a key.
 */
interface Marked {
  [kRecord: symbol]: ApiKeyRecord | undefined
}

class KeyGuard<TRecord extends ApiKeyRecord, TUser extends object> implements AuthGuard<TUser> {
  readonly #read: ReadCredential
  readonly #isKey: (text: string) => boolean
  readonly #keys: FoundKeys<TRecord>
  readonly #uses: KeyUses<TRecord> | null
  readonly #userOf: (record: TRecord, req: Request) => object
  readonly #clock: Clock
  readonly #kRecord: symbol

  constructor({ options, settings, app, kRecord }: KeyGuardParts<TRecord, TUser>) {
    const { find, onUse, user } = options
    const clock = app.get(Clock)
    // Requests share look-ups, and usage reports can outlive requests, so both run outside of the async context of any
    // request.
    const outside = new AsyncResource('blazon.apiKeys')
    this.#clock = clock
    this.#kRecord = kRecord
    this.#read = credentialReader(settings)
    this.#isKey = keyMatcher(settings.prefixes)
    this.#userOf = user ?? plainUser
    this.#keys = new FoundKeys({
      ...settings,
      clock,
      find: (hash) => outside.runInAsyncScope(async () => checkedRecord(await look(hash), hash)),
    })
    async function look(hash: string) {
      try {
        return await find(hash, app)
      } catch (error) {
        throw new FailedLookUp('apiKeys(): `find` failed', { cause: error })
      }
    }
    const report = (record: TRecord, req: Request) =>
      outside.runInAsyncScope(() => onUse?.(record, req, app))
    this.#uses =
      onUse === undefined ? null : new KeyUses({ ...settings, clock, logger: app.logger, report })
  }

  canActivate(req: Request): boolean | Promise<boolean> {
    const key = this.#read(req)
    if (key === undefined) return false
    if (!this.#isKey(key))
      return refuse(req, 'it is not a key with one of the prefixes and a valid checksum')
    const found = this.#keys.get(hashApiKey(key))
    if (!(found instanceof Promise)) return this.#admit(found, req)
    return found.then((record) => this.#admit(record, req), refuseForNow)
  }

  async onClose(): Promise<void> {
    await this.#uses?.settle()
  }

  #admit(record: TRecord | undefined, req: Request): boolean {
    if (record === undefined) return refuse(req, 'the key is unknown, or no longer valid')
    if (!isLive(record, this.#clock.now()))
      return refuse(req, 'the key has expired, or was revoked')
    const user = this.#userOf(record, req)
    if (typeof user !== 'object' || user === null || isThenable(user)) {
      throw new TypeError('apiKeys(): `user` must return an object, not a promise.')
    }
    req.user = user
    const marked = req as unknown as Marked
    marked[this.#kRecord] = record
    setKeyId(req, record.id)
    this.#uses?.note(record, req)
    return true
  }
}

/** Refuses a request. The client only learns that it needs a different key, not the reason. */
function refuse(req: Request, reason: string): false {
  noteOf(req)?.({ by: 'api-keys', verdict: 'refused', reason })
  return false
}

/** The error for a look-up that several requests may be waiting for. */
class FailedLookUp extends Error {}

/**
 * Throws the error for one request. A key that could not be looked up may be valid, so a 401 response would make
 * clients discard it. Any other error is a bug in the application: the framework logs it, and refuses the request with
 * a 401 response.
 */
function refuseForNow(error: unknown): never {
  if (!(error instanceof FailedLookUp)) throw error
  const { cause } = error
  throw HttpError.is(cause) ? cause : new ServiceUnavailableError(error.message, { cause })
}

function plainUser({ id, name, tenant, permissions, roles }: ApiKeyRecord): ApiKeyUser {
  return {
    id,
    provider: 'api-key',
    name: name ?? undefined,
    tenant: tenant ?? undefined,
    permissions: permissions ?? [],
    roles: roles ?? [],
  }
}

/**
 * Returns a function that recognizes a key by its prefix. The scheme does not suffice, because other guards may read
 * the same scheme.
 */
function carrier(scheme: string, prefixes: readonly string[]): (req: Request) => boolean {
  return ({ headers: { authorization } }) => {
    const text = authorization === undefined ? undefined : credentialOf(authorization, scheme)
    return text !== undefined && prefixes.some((prefix) => text.startsWith(`${prefix}_`))
  }
}

function securityOf(
  { header = 'X-API-Key' }: { readonly header?: string },
  { scheme, prefixes }: ApiKeysSettings,
): OpenApiSecurityScheme {
  if (scheme === null) return { type: 'apiKey', in: 'header', name: header }
  const bearerFormat = prefixes.map((prefix) => `${prefix}_…`).join(', ')
  return scheme.toLowerCase() === 'bearer'
    ? { type: 'http', scheme: 'bearer', bearerFormat }
    : { type: 'apiKey', in: 'header', name: 'Authorization' }
}

/** Returns the only credential in a request; `undefined` if there is none, or more than one. */
type ReadCredential = (req: Request) => string | undefined

/** Node joins repeated headers with a comma, except for `Authorization`: it keeps only the first. */
const AUTHORIZATION = 'authorization'

/** Creates the function that reads a request's key from its header. It never reads the URL. */
function credentialReader({
  header,
  scheme,
}: Pick<ApiKeysSettings, 'header' | 'scheme'>): ReadCredential {
  const isKeptOnce = header === AUTHORIZATION
  return function readCredential(req) {
    const value = req.headers[header]
    if (typeof value !== 'string' || (isKeptOnce && isRepeated(req))) return undefined
    return scheme === null ? value : credentialOf(value, scheme)
  }
}

/** Returns the credential after a scheme in `Authorization`; `undefined` for a different scheme (RFC 9110, 11.4). */
function credentialOf(value: string, scheme: string): string | undefined {
  const { length } = scheme
  if (value.charCodeAt(length) !== 0x20) return undefined
  if (value.slice(0, length).toLowerCase() !== scheme.toLowerCase()) return undefined
  return value.slice(length + 1).trimStart()
}

function isRepeated({ rawHeaders }: Request): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++
  }
  return count > 1
}

/**
 * The maximum number of keys for which the time of the last report is stored. If a key is dropped early, its next use
 * is reported, even within the interval.
 */
const MOST = 10_000

interface KeyUsesParts<TRecord> {
  readonly clock: Clock
  readonly logger: Logger
  readonly useMs: number
  /** Reports to the application that a key was used. It can throw or reject. */
  readonly report: (record: TRecord, req: Request) => unknown
}

/** Reports the use of keys, at most once per key and interval. */
export class KeyUses<TRecord extends ApiKeyRecord> {
  readonly #parts: KeyUsesParts<TRecord>
  /**
   * The time of each key's last report, oldest first. A time is stored only for valid keys, and only for one interval.
   */
  readonly #reported = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()

  constructor(parts: KeyUsesParts<TRecord>) {
    this.#parts = parts
  }

  /** Records a use. The report runs later, so that the request does not wait for it. */
  note(record: TRecord, req: Request): void {
    const { clock, useMs } = this.#parts
    const now = clock.monotonic()
    const last = this.#reported.get(record.id)
    if (last !== undefined && now - last < useMs) return
    this.#forget(now)
    this.#reported.delete(record.id)
    this.#reported.set(record.id, now)
    const report = this.#report(record, req)
    this.#running.add(report)
    void report.then(() => this.#running.delete(report))
  }

  /** Waits for running reports. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #report(record: TRecord, req: Request): Promise<void> {
    const { logger, report } = this.#parts
    try {
      // Lets the handler of the request run first.
      await null
      await report(record, req)
    } catch (err) {
      logger.error({ err, apiKey: record.id }, 'apiKeys(): `onUse` failed')
    }
  }

  #forget(now: number): void {
    for (const [id, at] of this.#reported) {
      if (now - at < this.#parts.useMs && this.#reported.size < MOST) return
      this.#reported.delete(id)
    }
  }
}
