import { readFileSync } from 'node:fs'
import type { Response, Test } from 'supertest'
import type { Capsule } from '../contracts/capsule.js'
import type { AnsweredStatement } from '../contracts/database.js'
import type { User } from '../contracts/handler.js'
import { fromPlain, isTenantInHost, tenantOf } from '../features/capsules/plain-value.js'
import { unansweredOf } from './answers.js'
import { RefusedConnections } from './refused-connections.js'
import { afterThisTurn } from './settle.js'
import type { TestApp } from './test-app.js'
import type { TestOptions } from './test-options.js'
import { type AnsweredCall, unansweredCallOf } from './test-outgoing.js'

/** Options of `openCapsule`. */
export interface CapsuleUse {
  /**
   * Whether the application's database runs the statements. `true`: connections are allowed while the application
   * starts, and later to the same targets. `'embedded'`: the database needs no connections. Default `false`: the
   * results come from the capsule.
   */
  readonly database?: boolean | 'embedded'
}

/** The headers that apply only to a single connection, or to the compressed body. The body is sent uncompressed. */
const OF_THE_CONNECTION =
  /^(?:host|connection|keep-alive|upgrade|te|expect|content-length|transfer-encoding|content-encoding)$/

/**
 * Opens a capsule: the file about a request that failed with a server error. Until the capsule is disposed of, this
 * process cannot connect to other hosts. `blazon replay --write` generates tests that use this function.
 *
 * @param file The path, relative to the working directory.
 * @throws Error if the file cannot be read, or is not a capsule of this version.
 * @example
 * using capsule = openCapsule('test/replay-get-orders-a1b2c3.json')
 * await using app = await TestApp.create({ ...options, ...capsule.options })
 * const response = await capsule.replay(app)
 * assert.ok(response.status < 500, String(app.explain(response)))
 */
export function openCapsule(file: string, { database = false }: CapsuleUse = {}): OpenCapsule {
  const capsule = JSON.parse(readFileSync(file, 'utf8')) as Capsule
  if (capsule?.format !== 2) throw new Error(`${file} must be a capsule with the format 2.`)
  return new OpenCapsule(capsule, database)
}

/** A failed request that can be repeated. {@link openCapsule} creates it. */
export class OpenCapsule {
  /**
   * Options for `TestApp.create`: `calls` with the responses of other hosts, and `statements` with the results of the
   * database, unless the application's database runs them. The contract and the number of statements are not checked,
   * because the request is expected to fail.
   */
  readonly options: TestOptions
  readonly #capsule: Capsule
  readonly #connections: RefusedConnections

  /** Only {@link openCapsule} calls this constructor. */
  constructor(capsule: Capsule, database: boolean | 'embedded') {
    this.#capsule = capsule
    this.#connections = new RefusedConnections(database === true)
    const calls = capsule.calls.map(callOf)
    const statements = database !== false ? {} : { statements: capsule.statements.map(answerOf) }
    this.options = { contract: 'off', queries: false, rateLimit: false, calls, ...statements }
  }

  /**
   * The error of a call to another host or a statement for which the capsule has no result; `null` if there was none.
   * Without the result, the response of the server cannot be reproduced.
   */
  get unanswered(): Error | null {
    const { calls, statements } = this.options
    return this.#connections.error ?? unansweredCallOf(calls) ?? unansweredOf(statements)
  }

  /**
   * Sends the request with the user, the tenant and the time in the capsule.
   *
   * @throws UnansweredCallError, UnansweredStatementError for a call or statement without a result in the capsule, even
   * if the application has handled the error.
   */
  async replay(app: TestApp): Promise<Response> {
    const { record, principal } = this.#capsule
    const user = fromPlain(principal) as User | null
    const tenant = tenantOf(this.#capsule)
    app.clock.set(record.startedAt)
    this.#connections.learned(app.server)
    const caller = user === null ? app : app.as(user)
    const agent = (tenant === null ? caller : caller.asTenant(tenant)).request()
    const send = (agent as unknown as Record<string, ((url: string) => Test) | undefined>)[
      record.method.toLowerCase()
    ]
    if (send === undefined) throw new Error(`Tests cannot send ${record.method} requests.`)
    const [sent] = await Promise.allSettled([this.#fill(send.call(agent, record.url))])
    // A call that is not awaited can begin immediately after the response.
    await new Promise<void>(afterThisTurn)
    if (this.unanswered !== null) throw this.unanswered
    if (sent.status === 'rejected') throw sent.reason
    return sent.value
  }

  #fill(request: Test): Test {
    const { headers, body, base64 } = this.#capsule.sent
    const isSent = isTenantInHost(this.#capsule) ? /^host$/ : /^$/
    for (const [name, value] of headers) {
      const isOwn = !OF_THE_CONNECTION.test(name) || isSent.test(name)
      if (isOwn && !value.includes('[secret]')) request.set(name, value)
    }
    const bytes = base64 === undefined ? body : Buffer.from(base64, 'base64')
    if (bytes === null) return request
    return request.serialize((same) => same).send(Buffer.from(bytes))
  }

  /** Allows connections again. */
  [Symbol.dispose](): void {
    this.#connections.end()
  }
}

function answerOf(statement: Capsule['statements'][number]): AnsweredStatement {
  const { text, values, rows, rowCount, error } = statement
  return {
    text,
    values: values === null ? [] : (fromPlain(values) as unknown[]),
    rows: rows === null ? [] : (fromPlain(rows) as unknown[]),
    rowCount,
    ...(error === null ? {} : { error }),
  }
}

function callOf({
  method,
  url,
  status,
  headers,
  body,
  base64,
  error,
}: Capsule['calls'][number]): AnsweredCall {
  if (error !== null) return { method, url, error }
  return {
    method,
    url,
    status: status ?? 200,
    headers: Object.fromEntries(headers),
    ...(body !== null && { body }),
    ...(base64 !== undefined && { body: Buffer.from(base64, 'base64') }),
  }
}
