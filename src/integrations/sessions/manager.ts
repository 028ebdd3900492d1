import {
  type Clock,
  ConfigError,
  getTenantId,
  HttpError,
  type Lifecycle,
  type Logger,
  ServiceUnavailableError,
  type SessionStore,
} from '../../index.js'
import type {
  MaybePromise,
  PluginContext,
  SessionFields,
  SessionRecord,
} from '../../plugin/index.js'
import { memorySessions } from './memory-sessions.js'
import { SessionCookie } from './session-cookie.js'
import type { SessionsSettings } from './sessions-options.js'

/** A session of a user, for a page that lists the user's logins. */
export interface SessionRow {
  /** The session ID for `revoke` and `revokeAll`. It does not grant access to the session. */
  readonly id: string
  /** The time of the login. */
  readonly createdAt: Date
  /** The time of the last use, accurate to a twentieth of `idle`. */
  readonly usedAt: Date
  /** The latest time at which the session expires. */
  readonly endsAt: Date
}

/** The owner of sessions. */
export interface SessionOwner {
  /** The user's tenant; `null` if there is none. Default: the current tenant. */
  readonly tenant?: string | null
}

/** Manages users' sessions, for jobs and administration: `inject(web.manager)`. */
export interface SessionManager {
  /**
   * Lists a user's sessions, most recently used first.
   *
   * @throws HttpError 503 if the store cannot be reached.
   */
  list(userId: string | number, owner?: SessionOwner): Promise<SessionRow[]>
  /**
   * Ends one session of a user, with an ID from `list`. Returns whether the user had such a session.
   *
   * @throws HttpError 503 if the store cannot be reached.
   */
  revoke(userId: string | number, id: string, owner?: SessionOwner): Promise<boolean>
  /**
   * Ends all sessions of a user, for example after a password change. Returns the number of ended sessions.
   *
   * @param options `except`: the ID of a session that is not ended, such as `session.id`.
   * @throws HttpError 503 if the store cannot be reached.
   */
  revokeAll(
    userId: string | number,
    options?: SessionOwner & { readonly except?: string | undefined },
  ): Promise<number>
}

/** Manages the sessions of one application. */
export class Manager implements SessionManager, Lifecycle {
  readonly settings: SessionsSettings
  readonly cookie: SessionCookie
  readonly clock: Clock
  readonly #store: SessionStore
  #context: Pick<PluginContext, 'get' | 'logger' | 'usesTenants'> | undefined
  #isOpen = false
  #hasWarned = false

  constructor(settings: SessionsSettings, clock: Clock) {
    this.settings = settings
    this.cookie = new SessionCookie(settings)
    this.clock = clock
    const store = settings.store ?? memorySessions()
    this.#store = store.forApplication?.() ?? store
  }

  /**
   * Sets up the store.
   *
   * @throws ConfigError `E_SESSIONS_MEMORY` in production, if the store keeps sessions only in this process.
   */
  setup(context: Pick<PluginContext, 'get' | 'logger' | 'usesTenants'>): void {
    this.#context = context
    if (this.#store.isShared || process.env['NODE_ENV'] !== 'production') return
    throw new ConfigError([
      {
        code: 'E_SESSIONS_MEMORY',
        subject: 'sessions(): store',
        cause:
          'Sessions are stored in the memory of this process: a restart logs out all users, and other processes cannot read the sessions.',
        remedy:
          'Set `store` to redisSessions() from blazon/redis, or postgresSessions() from blazon/postgres.',
      },
    ])
  }

  async onInit(): Promise<void> {
    const { get, logger, usesTenants } = this.#setUp
    if ('issues' in (await this.validate({}))) {
      const cause = 'It does not accept {}, the value of a new session.'
      const remedy = 'Make each value optional, or set a default for it.'
      throw new ConfigError([
        { code: 'E_OPTION_INVALID', subject: 'sessions(): schema', cause, remedy },
      ])
    }
    this.#isOpen = true
    await this.#store.open?.({ get, logger, usesTenants, clock: this.clock })
  }

  async onClose(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#store.close?.()
  }

  get #setUp() {
    if (this.#context !== undefined) return this.#context
    throw new Error('sessions() is used before the application has started.')
  }

  get logger(): Logger {
    return this.#setUp.logger
  }

  /** Whether a session has ended. If `idle` was shortened after the last use, the shorter time applies. */
  hasEnded({ usedAt, idleAt, endsAt }: SessionRecord): boolean {
    const now = this.clock.now()
    return now >= idleAt || now >= endsAt || now >= usedAt + this.settings.idleMs
  }

  /** Returns the times of a session that is being used now. */
  timesOf(endsAt: number): Pick<SessionRecord, 'usedAt' | 'idleAt'> {
    const usedAt = this.clock.now()
    return { usedAt, idleAt: Math.min(usedAt + this.settings.idleMs, endsAt) }
  }

  /**
   * Checks the store.
   *
   * @throws any error from the store if it cannot be used.
   */
  async checkStore(): Promise<void> {
    await this.#store.check?.()
  }

  /**
   * Calls the store. If the store fails, the response is a 503, because a user must not become anonymous when a server
   * is down.
   */
  async ask<T>(call: (store: SessionStore) => MaybePromise<T>): Promise<T> {
    try {
      return await call(this.#store)
    } catch (error) {
      if (HttpError.is(error) && error.status >= 500) throw error
      const options = { code: 'SESSIONS_UNAVAILABLE', cause: error }
      throw new ServiceUnavailableError('The session store failed', options)
    }
  }

  /** Validates values against the schema. */
  async validate(
    values: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: object } | { readonly issues: string }> {
    const { schema } = this.settings
    if (schema === null) return { data: {} }
    const { value, issues } = await schema['~standard'].validate(values)
    if (issues !== undefined) return { issues: issues.map(({ message }) => message).join('; ') }
    return { data: value as object }
  }

  /** Reads stored values. Returns `null` if they do not match the schema, which may have changed in a new version. */
  async parse(fields: SessionFields): Promise<object | null> {
    const values = Object.entries(fields).map(([name, text]) => [name, JSON.parse(text)])
    const result = await this.validate(Object.fromEntries(values))
    if ('data' in result) return result.data
    if (!this.#hasWarned) {
      const text =
        'The values of a session no longer match the schema of sessions(), and are discarded.'
      this.logger.warn({ issues: result.issues }, text)
    }
    this.#hasWarned = true
    return null
  }

  /** Returns the key of a user. Users of different tenants can have the same ID. */
  userKey(userId: unknown, tenant: string | null): string {
    if (typeof userId === 'number' || (typeof userId === 'string' && userId !== ''))
      return JSON.stringify([this.settings.bindTenant ? tenant : null, String(userId)])
    throw new TypeError(
      'sessions(): a user must have an `id` that is a number or a non-empty string.',
    )
  }

  async list(userId: string | number, owner: SessionOwner = {}): Promise<SessionRow[]> {
    const records = await this.ask((store) => store.list(this.#keyOf(userId, owner)))
    return records
      .filter((record) => !this.hasEnded(record))
      .sort((one, other) => other.usedAt - one.usedAt)
      .map(({ id, createdAt, usedAt, endsAt }) => ({
        id,
        createdAt: new Date(createdAt),
        usedAt: new Date(usedAt),
        endsAt: new Date(endsAt),
      }))
  }

  async revoke(userId: string | number, id: string, owner: SessionOwner = {}): Promise<boolean> {
    const records = await this.ask((store) => store.list(this.#keyOf(userId, owner)))
    if (!records.some((record) => record.id === id && !this.hasEnded(record))) return false
    return (await this.ask((store) => store.take(id))) !== undefined
  }

  revokeAll(
    userId: string | number,
    { except, ...owner }: SessionOwner & { readonly except?: string | undefined } = {},
  ): Promise<number> {
    const key = this.#keyOf(userId, owner)
    return this.ask((store) => store.removeAll(key, except))
  }

  #keyOf(userId: string | number, { tenant = getTenantId() ?? null }: SessionOwner): string {
    return this.userKey(userId, tenant)
  }
}
