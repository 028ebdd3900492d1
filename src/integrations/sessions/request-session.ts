import { ConflictError, type Request, type Response, TenantContext } from '../../index.js'
import { type SessionRecord, tenantOf } from '../../plugin/index.js'
import { changes, refuseCrossOrigin } from './cross-origin.js'
import type { Manager } from './manager.js'
import { digestOf, newSessionId, type Session, type SessionUser } from './session.js'

/** The maximum total length of the names and the JSON of a session's values, in characters. */
const MAX_LENGTH = 32 * 1024
/** A used session is written again only after a twentieth of the idle time, to avoid a write for every request. */
const REFRESH_PART = 20
const ATTEMPTS = 8

const NO_SESSION = 'no session has the ID in the cookie: the session has ended'
const FOREIGN = 'the session belongs to a different tenant than the request'
const UNNAMED =
  'the session belongs to a tenant, but the request specifies none: specify the tenant, or set the option `tenant` of sessions()'
const OF_NOBODY =
  'the session began without a tenant, but the request specifies one: log in for the tenant, or set the option `tenant` of sessions()'

/** A change to the cookie, and whether the corresponding change to the session is saved. */
interface CookieChange {
  /** The cookie lines that the response had before. */
  readonly before: readonly string[]
  isSaved: boolean
}

type Values = Readonly<Record<string, unknown>>
type Texts = Record<string, string | null>

/** The content of a new session, without its ID and its times. */
type Content = Pick<SessionRecord, 'fields' | 'user' | 'userKey' | 'tenant'>

/** The session of one request. */
export class RequestSession implements Session<Values, Values> {
  readonly #manager: Manager
  readonly #req: Request
  readonly #res: Response
  readonly #changes: boolean
  /** The tenant that the request specifies, even if `tenant.authorize` has not allowed it. */
  readonly #tenant: string | null
  #isChecked = false
  #loading: Promise<void> | undefined
  /** The last write. The writes of one request run one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** The digest of the ID in the cookie, even if there is no such session. */
  #digest: string | undefined
  #record: SessionRecord | undefined
  /** The reason why there is no session despite the cookie. */
  #lack = NO_SESSION
  #isOutdated = false
  #data: Values = {}
  readonly #cookieChanges: CookieChange[] = []

  constructor(manager: Manager, req: Request, res: Response) {
    this.#manager = manager
    this.#req = req
    this.#res = res
    this.#changes = changes(req.method)
    // The tenant is read before the route runs, because a public route drops a tenant that was not confirmed.
    this.#tenant = tenantOf(req) ?? TenantContext.current()?.claim ?? null
  }

  get data(): Values {
    return this.#data
  }

  get id(): string | undefined {
    return this.#record?.id
  }

  get isLoggedIn(): boolean {
    return this.record?.user != null
  }

  /** The session as it was last read or written; `undefined` if there is none. */
  get record(): SessionRecord | undefined {
    return this.#record
  }

  /** The reason why the guard refuses the request; `null` without a cookie. */
  get lack(): string | null {
    if (!this.#manager.cookie.isIn(this.#req)) return null
    return this.#record === undefined ? this.#lack : 'the session has no logged-in user'
  }

  /** Whether the session has ended since it was read. */
  get hasEnded(): boolean {
    return this.#record === undefined || this.#manager.hasEnded(this.#record)
  }

  /**
   * Refuses a request that may change state, contains the cookie, and comes from a different origin. Runs before the
   * middlewares, and again before the guard, because a middleware can replace the method.
   */
  refuseForeign(): void {
    if (this.#mayChange && this.#manager.cookie.isIn(this.#req)) this.#check()
  }

  /**
   * Marks a response as dependent on the session, if the session was used. Caches must not store it, unless the handler
   * has set `Cache-Control`.
   */
  forbidStoring(): void {
    if (this.#loading === undefined || this.#res.headersSent) return
    this.#res.vary('Cookie')
    if (!this.#res.hasHeader('cache-control')) this.#res.setHeader('Cache-Control', 'no-store')
  }

  /**
   * If a transaction was rolled back, reverts its change to the cookie, so that the browser keeps the cookie of the
   * existing session.
   */
  dropUnsavedCookie(): void {
    if (this.#res.headersSent) return
    const { cookie } = this.#manager
    for (const { before, isSaved } of this.#cookieChanges.reverse()) {
      if (isSaved) return
      cookie.restore(this.#res, before)
    }
  }

  /** Reads the session from the store, only once. */
  load(): Promise<void> {
    if (this.#loading === undefined) {
      this.#loading = this.#load()
      this.forbidStoring()
    }
    return this.#loading
  }

  login(user: SessionUser): Promise<void> {
    return this.#write(async () => {
      const { findUser } = this.#manager.settings
      const id: unknown = user.id
      const tenant = this.#tenantOfLogin()
      const userKey = this.#manager.userKey(id, tenant)
      const text = JSON.stringify(findUser === null ? user : String(id))
      const old = this.#record
      const taken = await this.#end()
      const isGone = taken === undefined || this.#manager.hasEnded(taken)
      if (old !== undefined && old.user !== null && isGone) throw ended()
      const isOwn = old !== undefined && (old.userKey === null || old.userKey === userKey)
      const fields = isOwn && !this.#isOutdated ? (taken ?? old).fields : {}
      await this.#begin({ fields, user: text, userKey, tenant })
    })
  }

  logout(): Promise<void> {
    return this.#write(async () => {
      const { cookie } = this.#manager
      const hadCookie = this.#record !== undefined || cookie.read(this.#req) !== 'none'
      await this.#end()
      this.#record = undefined
      this.#digest = undefined
      await this.#adopt(undefined)
      if (hadCookie) await this.#changeCookie(() => cookie.clear(this.#res))
    })
  }

  set(values: Values): Promise<void> {
    return this.#write(() => this.#set(values))
  }

  update(change: (data: Values) => Values | Promise<Values>): Promise<void> {
    return this.#write(async () => {
      for (let left = ATTEMPTS; ; left--) {
        try {
          return await this.#set(await change(this.#data))
        } catch (error) {
          if (left === 1 || !(error instanceof Changed)) throw error
          const { id } = this.#record as SessionRecord
          await this.#adopt(await this.#manager.ask((store) => store.read(id)))
          if (this.#record === undefined) throw ended()
        }
      }
    })
  }

  regenerate(): Promise<void> {
    return this.#write(async () => {
      if (this.#record === undefined) return
      const taken = await this.#end()
      if (taken === undefined || this.#manager.hasEnded(taken)) throw ended()
      await this.#begin(taken, taken)
    })
  }

  /**
   * Returns the tenant for a session that begins with a login: the tenant for which the code acts. A tenant that is
   * only specified in the request is refused, because the client chooses it, and the session would later confirm it.
   */
  #tenantOfLogin(): string | null {
    const tenant = TenantContext.current()?.id ?? tenantOf(this.#req) ?? null
    if (tenant !== null || this.#tenant === null || !this.#manager.settings.bindTenant)
      return tenant
    throw new TypeError(
      'sessions(): login() would begin a session for a tenant that only the request specifies. Write @Tenant() on the route, or call login in runWithTenant(id, …), after you have checked that the account belongs to the tenant.',
    )
  }

  async #load(): Promise<void> {
    const { cookie, settings } = this.#manager
    const sent = cookie.read(this.#req)
    this.#digest = (typeof sent === 'object' && digestOf(sent.value)) || undefined
    const record = this.#digest === undefined ? undefined : await this.#find(this.#digest)
    const isForeign = settings.bindTenant && record !== undefined && record.tenant !== this.#tenant
    if (isForeign)
      this.#lack = record.tenant === null ? OF_NOBODY : this.#tenant === null ? UNNAMED : FOREIGN
    await this.#adopt(isForeign ? undefined : record)
  }

  async #find(digest: string): Promise<SessionRecord | undefined> {
    const manager = this.#manager
    const record = await manager.ask((store) => store.read(digest))
    if (record === undefined) return undefined
    if (manager.hasEnded(record)) {
      await manager.ask((store) => store.take(digest))
      return undefined
    }
    if (manager.clock.now() - record.usedAt < manager.settings.idleMs / REFRESH_PART) return record
    const times = manager.timesOf(record.endsAt)
    await manager.ask((store) => store.touch(digest, times))
    return { ...record, ...times }
  }

  async #adopt(record: SessionRecord | undefined): Promise<void> {
    this.#record = record
    const data = await this.#manager.parse(record?.fields ?? {})
    this.#isOutdated = data === null
    this.#data = Object.freeze((data ?? (await this.#manager.parse({})) ?? {}) as Values)
  }

  get #mayChange(): boolean {
    return this.#changes || changes(this.#req.method)
  }

  #check(): void {
    if (this.#isChecked) return
    const trusted = this.#manager.settings.trustedOrigins
    const isCookieSent = this.#manager.cookie.isIn(this.#req)
    refuseCrossOrigin(this.#req, { trusted, isCookieSent })
    this.#isChecked = true
  }

  #write(work: () => Promise<void>): Promise<void> {
    const run = async () => {
      if (this.#mayChange) this.#check()
      if (this.#res.headersSent)
        throw new TypeError(
          'sessions(): the response has begun, so its cookie cannot be set. Change the session before the response begins.',
        )
      await this.load()
      await work()
    }
    const written = this.#last.then(run, run)
    this.#last = written.catch(() => {})
    return written
  }

  /**
   * Removes the session of this request from the store; without one, the session whose ID is in the cookie. Returns the
   * removed session.
   */
  async #end(): Promise<SessionRecord | undefined> {
    const id = this.#record?.id ?? this.#digest
    return id === undefined ? undefined : await this.#manager.ask((store) => store.take(id))
  }

  /**
   * Begins a session.
   *
   * @param from The session that the new ID continues. If omitted, a new session begins.
   */
  async #begin({ fields, user, userKey, tenant }: Content, from?: SessionRecord): Promise<void> {
    const manager = this.#manager
    const now = manager.clock.now()
    const endsAt = from?.endsAt ?? now + manager.settings.absoluteMs
    const secret = newSessionId()
    const record: SessionRecord = {
      id: digestOf(secret) as string,
      fields,
      user,
      userKey,
      tenant: manager.settings.bindTenant ? tenant : null,
      createdAt: from?.createdAt ?? now,
      endsAt,
      ...manager.timesOf(endsAt),
    }
    await manager.ask((store) => store.create(record))
    await this.#adopt(record)
    await this.#changeCookie(() => manager.cookie.set(this.#res, secret, endsAt - now))
  }

  async #changeCookie(change: () => void): Promise<void> {
    const entry: CookieChange = { before: this.#manager.cookie.linesIn(this.#res), isSaved: false }
    change()
    this.#cookieChanges.push(entry)
    const save = () => {
      entry.isSaved = true
    }
    await this.#manager.ask((store) => (store.afterCommit ? store.afterCommit(save) : save()))
  }

  async #set(values: Values): Promise<void> {
    const record = this.#record
    const { set, fields } = await this.#merge(values)
    if (record === undefined) {
      if (Object.keys(fields).length === 0) return
      return await this.#begin({ fields, user: null, userKey: null, tenant: this.#tenant })
    }
    if (Object.keys(set).length === 0) return
    // The store may still contain a session that has expired during the request. A write must not extend it.
    if (this.#manager.hasEnded(record)) throw ended()
    const expected = mapTexts(set, (name) => textOf(record.fields, name))
    const change = { set, expected, ...this.#manager.timesOf(record.endsAt) }
    const result = await this.#manager.ask((store) => store.write(record.id, change))
    if (result === 'gone') throw ended()
    if (result === 'conflict') throw new Changed()
    const { usedAt, idleAt } = change
    await this.#adopt({ ...record, fields, usedAt, idleAt })
  }

  /**
   * Returns the strings to write, and all values including the new ones.
   *
   * @throws TypeError if the values are invalid.
   */
  async #merge(values: Values): Promise<{ set: Texts; fields: Record<string, string> }> {
    const kept = this.#isOutdated ? {} : (this.#record?.fields ?? {})
    const texts = mapTexts(values, (name) => jsonOf(name, values[name]))
    const dropped = this.#isOutdated ? mapTexts(this.#record?.fields ?? {}, () => null) : {}
    const set: Texts = { ...dropped, ...texts }
    const all = Object.entries({ ...kept, ...texts })
    const fields = Object.fromEntries(
      all.filter((entry): entry is [string, string] => entry[1] !== null),
    )
    const parsed = Object.entries(fields).map(([name, text]) => [name, JSON.parse(text)])
    const result = await this.#manager.validate(Object.fromEntries(parsed))
    if ('issues' in result)
      throw new TypeError(`sessions(): the values do not match the schema: ${result.issues}`)
    const unknown = Object.keys(texts).find(
      (name) => texts[name] !== null && !Object.hasOwn(result.data, name),
    )
    if (unknown !== undefined)
      throw new TypeError(`sessions(): the schema does not describe the field '${unknown}'.`)
    const length = Object.entries(fields).flat().join('').length
    if (length > MAX_LENGTH)
      throw new TypeError(
        `sessions(): the values have ${length} characters of JSON; at most ${MAX_LENGTH} are allowed.`,
      )
    return { set, fields }
  }
}

/** The error for a value that another request has changed. */
class Changed extends ConflictError {
  constructor() {
    super('Another request has changed the session in the meantime', { code: 'SESSION_CONFLICT' })
  }
}

function ended(): ConflictError {
  return new ConflictError('The session has ended in the meantime', { code: 'SESSION_CONFLICT' })
}

function textOf(fields: Readonly<Record<string, string>>, name: string): string | null {
  return Object.hasOwn(fields, name) ? (fields[name] as string) : null
}

function mapTexts(from: object, text: (name: string) => string | null): Texts {
  return Object.fromEntries(Object.keys(from).map((name) => [name, text(name)]))
}

function jsonOf(name: string, value: unknown): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL cannot store them in a name
  if (/[\x00-\x1f\x7f]/.test(name))
    throw new TypeError('sessions(): the name of a value has a control character.')
  if (value === undefined) return null
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined)
    throw new TypeError(`sessions(): the value of '${name}' cannot be represented in JSON.`)
  return text
}
