import { type Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { App } from '../app/app.js'
import type { CompiledRoutes } from '../app/compile-routes.js'
import type { Request, User } from '../contracts/handler.js'
import type { AnyPolicy } from '../contracts/policy.js'
import type { HttpMethod, RouteModel } from '../contracts/route-model.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../errors/option-group.js'
import { checksOf } from '../features/policies/checks.js'
import { versionHeaders } from '../features/versions/read-version.js'
import { visibilityOf } from '../http/request-notes.js'
import { writePath } from '../model/paths.js'
import { type CheckExchange, observe } from './exchange.js'
import type { TestCaller } from './test-caller.js'

/**
 * The result for one principal: `'allowed'` if its request reaches the handler, otherwise the status of the refusal.
 * `'signature'`: the request reaches the handler if its sender has signed it (`@Webhook`). `'visible'` and `'hidden'`,
 * in the row for a field: whether a principal whose request reaches the handler is allowed to see and send the field.
 */
export type Access = 'allowed' | 'signature' | 'visible' | 'hidden' | number

/**
 * The caller in a column. For a user, the guard is skipped, and `req.user` is this user. `null` is a caller without
 * credentials; the guard decides. For a {@link TestCaller}, the guard decides based on the caller's headers.
 */
export type Principal = User | TestCaller | null

/**
 * One operation in an {@link AuthMatrix}, one object for an operation with `@Checks`, or one field with `visibleTo`.
 */
export interface AuthMatrixRow {
  /** The operation: `POST /orders/:id/payment`. */
  readonly operation: string
  /** The handler: `OrdersController.pay`. */
  readonly handler: string
  /** The action of the policy: `order:pay`; absent in the row for the operation itself. */
  readonly ability?: string
  /** The name of the object that the policy checks; absent in the row for the operation itself. */
  readonly object?: string
  /** The path of the field: `items.*.salary`; absent in all other rows. */
  readonly field?: string
  /** The abilities that a caller needs to see and to send the field; absent in all other rows. */
  readonly visibleTo?: readonly string[]
  /** The access of each principal, by the name of its column. */
  readonly access: Readonly<Record<string, Access>>
}

/** Options of `TestApp.authMatrix`. */
export interface AuthMatrixOptions {
  /**
   * `'fail'`: rejects if a request without credentials can call an operation that changes data (`POST`, `PUT`, `PATCH`,
   * `DELETE`), or if no guard has decided whether it can. If omitted, such operations are only listed.
   */
  readonly unguarded?: 'fail'
  /** Operations that are allowed to be public, such as `POST /login` or `SessionsController.login`. Default: none. */
  readonly except?: readonly string[]
  /**
   * Objects by name, each with its policy. An operation with `@Checks` for a policy has a row for each object of the
   * policy and each action: `'allowed'`, 403, or 404 under `or404`. Default: none.
   *
   * @example
   * { objects: { 'order of Ana': [OrderPolicy, { id: 1, ownerId: 'ana' }] } }
   */
  readonly objects?: Readonly<Record<string, readonly [policy: AnyPolicy, object: unknown]>>
}

/** The check that a probe runs in place of the handler: whether the caller is allowed to see fields with this mark. */
export interface FieldQuestion {
  readonly mark: readonly string[]
}

/** The check that a probe runs in place of the handler: the decision of a policy. */
export interface Question {
  readonly policy: AnyPolicy
  readonly action: string
  readonly object: unknown
}

/** Sends a principal's request to a route and resolves with the principal's access. */
export interface Probe {
  (route: RouteModel, question?: Question | FieldQuestion): Promise<Access>
  /** Whether a request was refused because it specifies no tenant. */
  readonly missesTenant: () => boolean
}

/** The connection and headers for one principal's requests, which never reach a handler. */
export interface ProbeLink {
  /** Opens an agent whose requests call this function in place of a handler. */
  readonly connect: (inHandler: (req: Request) => Promise<void>) => Agent
  readonly headers: ReadonlyMap<string, string>
  /** Checks the responses to refused requests against the document; `null` if responses are not checked. */
  readonly checkExchange: CheckExchange | null
}

const NAMES: OptionNames<AuthMatrixOptions> = { unguarded: true, except: true, objects: true }
const CHANGING: readonly HttpMethod[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'ALL']
const REACHED = 204

/** The access of each principal to each operation. `toString()` returns a table for snapshots. */
export class AuthMatrix {
  /** The rows, in the order of the routes: each operation is followed by its objects and its fields. */
  readonly rows: readonly AuthMatrixRow[]
  /**
   * The principals whose requests specified no tenant although an operation requires a tenant. Their 400 responses
   * indicate nothing about access.
   */
  readonly withoutTenant: readonly string[]

  constructor(rows: readonly AuthMatrixRow[], withoutTenant: readonly string[] = []) {
    this.rows = rows
    this.withoutTenant = withoutTenant
  }

  /** One line for each row, one column for each principal. Principals without a tenant are listed below. */
  toString(): string {
    const names = Object.keys(this.rows[0]?.access ?? {})
    const lines = [
      ['', ...names],
      ...this.rows.map((row) => [labelOf(row), ...Object.values(row.access).map(String)]),
    ]
    const widths = lines[0]?.map((_, column) =>
      Math.max(...lines.map((line) => line[column]?.length ?? 0)),
    )
    const pad = (cell: string, column: number) => cell.padEnd(widths?.[column] ?? 0)
    const table = lines.map((line) => line.map(pad).join('  ').trimEnd())
    return [...table, ...noteOn(this.withoutTenant)].join('\n')
  }
}

function noteOn(withoutTenant: readonly string[]): string[] {
  const [first] = withoutTenant
  if (first === undefined) return []
  const names = withoutTenant.join(', ')
  return [
    '',
    `400: the request has no tenant, so the access is unknown (${names}). Set a tenant for the callers: { ${first}: app.as(…).asTenant('acme') }.`,
  ]
}

function labelOf({ operation, ability, object, field, visibleTo }: AuthMatrixRow): string {
  if (field !== undefined) return `  ${field} (${visibleTo?.join(', ')})`
  return ability === undefined ? operation : `  ${ability} ${object}`
}

/** @throws ConfigError if an option is unknown or invalid, or there is no principal. */
function checkAuthMatrix(principals: object, options: AuthMatrixOptions): void {
  const { unguarded, except, objects } = options
  const problems = unknownOptions('authMatrix(): ', options, NAMES)
  const refuse = (name: string, value: unknown, known: string) => {
    const cause = `authMatrix() cannot use ${JSON.stringify(value) ?? String(value)}.`
    const subject = `authMatrix({ ${name} })`
    problems.push(invalid(subject, cause, `Pass ${known}.`))
  }
  if (Object.keys(principals).length === 0) {
    refuse('…', principals, 'principals by name: { anonymous: null, admin: { id: 1 } }')
  }
  for (const [name, principal] of Object.entries(principals)) {
    if (typeof principal !== 'object') refuse(name, principal, 'a user, null, or a caller')
    // `app.withAuth(token)` returns an application, not a caller. It would count as a user, and the guard would be
    // skipped.
    if (principal instanceof App) {
      refuse(name, 'an application', "a caller: app.with({ authorization: 'Bearer …' })")
    }
  }
  if (unguarded !== undefined && unguarded !== 'fail') refuse('unguarded', unguarded, "'fail'")
  if (except !== undefined && !Array.isArray(except)) refuse('except', except, "['POST /login']")
  for (const [name, pair] of Object.entries(objects ?? {})) {
    const isPair = Array.isArray(pair) && typeof pair[0]?.or404 === 'function' && pair[1] != null
    if (!isPair) refuse(`objects['${name}']`, pair, 'a policy and an object: [OrderPolicy, order]')
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/** The routes of a matrix, and the functions that determine the access of a principal. */
export interface MatrixSubject {
  readonly routes: readonly RouteModel[]
  readonly visibilityOf: CompiledRoutes['visibilityOf']
  readonly probeOf: (principal: Principal) => Probe
}

/**
 * Determines the access of each principal to each route, object and marked field.
 *
 * @throws ConfigError for invalid options; Error for a 429 response, or if no path leads to a route. With `unguarded:
 * 'fail'`, an Error that lists the operations that change data and are, or could be, public.
 */
export async function buildAuthMatrix(
  principals: Readonly<Record<string, Principal>>,
  options: AuthMatrixOptions,
  { routes, visibilityOf, probeOf }: MatrixSubject,
): Promise<AuthMatrix> {
  checkAuthMatrix(principals, options)
  const { unguarded, except, objects = {} } = options
  if (unguarded === 'fail') await refuseUnguarded(routes, probeOf(null), except)
  const probes = Object.entries(principals).map(([name, each]) => [name, probeOf(each)] as const)
  const accessOf = async (route: RouteModel, question?: Question | FieldQuestion) => {
    const access: Record<string, Access> = {}
    for (const [name, probe] of probes) access[name] = await probe(route, question)
    return access
  }
  const rows: AuthMatrixRow[] = []
  for (const route of routes) {
    const of = { operation: nameOf(route), handler: route.name }
    rows.push({ ...of, access: await accessOf(route) })
    for (const { object, question } of questionsAbout(route, objects)) {
      const ability = `${question.policy.name}:${question.action}`
      rows.push({ ...of, ability, object, access: await accessOf(route, question) })
    }
    for (const { path: field, mark } of visibilityOf(route)?.fields ?? []) {
      rows.push({ ...of, field, visibleTo: mark, access: await accessOf(route, { mark }) })
    }
  }
  const withoutTenant = probes.flatMap(([name, { missesTenant }]) => (missesTenant() ? [name] : []))
  return new AuthMatrix(rows, withoutTenant)
}

/** Lists the checks of a route's policies: one for each object and action, in the order of the route's `@Checks`. */
function questionsAbout(route: RouteModel, objects: AuthMatrixOptions['objects'] = {}) {
  return checksOf(route).flatMap(({ policy, actions }) =>
    Object.entries(objects)
      .filter(([, [of]]) => of.or404() === policy.or404())
      .flatMap(([name, [, object]]) =>
        actions.map((action) => ({ object: name, question: { policy, action, object } })),
      ),
  )
}

function nameOf({ method, path, version, versionHeader }: RouteModel): string {
  return versionHeader === null ? `${method} ${path}` : `${method} ${path} (version ${version})`
}

/**
 * @param probe Sends requests without credentials.
 * @throws Error that lists the operations that change data and are public, or whose request no guard has refused.
 */
async function refuseUnguarded(
  routes: readonly RouteModel[],
  probe: Probe,
  except: readonly string[] = [],
): Promise<void> {
  const open: string[] = []
  const undecided: string[] = []
  for (const route of routes) {
    const isMeant = except.includes(nameOf(route)) || except.includes(route.name)
    if (isMeant || !CHANGING.includes(route.method)) continue
    const access = await probe(route)
    const line = `  ${nameOf(route)} (${route.name})`
    if (access === 'allowed') open.push(line)
    else if (typeof access === 'number' && !DENIALS.includes(access))
      undecided.push(`${line}: ${access}`)
  }
  const parts = [
    ...(open.length === 0 ? [] : ['Operations that change data are public:', ...open, GUARD_THEM]),
    ...(undecided.length === 0 ? [] : [UNDECIDED, ...undecided, SEND_MORE]),
  ]
  if (parts.length > 0) throw new Error(parts.join('\n'))
}

/** The statuses of refusals. A guard that hides its routes responds with 404. */
const DENIALS: readonly number[] = [401, 403, 404]
const GUARD_THEM =
  "Protect them with @Auth() or @Can(…); or, if this is intended, list them: { except: ['POST /login'] }."
const UNDECIDED =
  'authMatrix() cannot determine whether these operations are public, because no guard refused the request:'
const SEND_MORE =
  "Send the headers that these operations require, such as the tenant: app.withHeaders({ 'x-tenant-id': 'acme' }); or list the operations in except."

/** Creates the function that sends requests for one principal. A probe runs in place of the handler. */
export function createProbe(
  { connect, headers, checkExchange }: ProbeLink,
  match: CompiledRoutes['match'],
): Probe {
  const checkRefusal: CheckExchange = (exchange) =>
    exchange.status === REACHED ? undefined : checkExchange?.(exchange)
  let asked: Question | FieldQuestion | undefined
  let [isVisible, missesTenant] = [false, false]
  const agent = connect(async (req) => {
    if (asked === undefined) return
    if ('mark' in asked) isVisible = holds(req, asked)
    else await asked.policy.check(req, asked.action, asked.object)
  })
  const probe = async (route: RouteModel, question?: Question | FieldQuestion): Promise<Access> => {
    asked = question
    isVisible = false
    const named = { ...Object.fromEntries(headers), ...versionHeaders(route) }
    const request = { agent, ...requestFor(route, named, match), headers: named }
    const { status, text } = await answerOf(send(request), checkRefusal)
    if (status === 429) throw tooMany(route)
    if (status === 400 && text.includes('TENANT_REQUIRED')) missesTenant = true
    if (status !== REACHED) return status
    if (question !== undefined && 'mark' in question) return isVisible ? 'visible' : 'hidden'
    return route.webhook === null ? 'allowed' : 'signature'
  }
  return Object.assign(probe, { missesTenant: () => missesTenant })
}

/** Ends a request. Rejects if its response fails the check. */
function answerOf(
  req: ClientRequest,
  check: CheckExchange,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    req.once('response', (res: IncomingMessage) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      res.once('error', reject)
      res.once('end', () => {
        if (failure === undefined) resolve({ status: res.statusCode as number, text })
        else reject(failure)
      })
    })
    observe(req, check, (found) => {
      failure = found
    })
    req.once('error', reject)
    req.end()
  })
}

/** The framework's rate limits do not apply to probes, so other code must have refused the request. */
function tooMany(route: RouteModel): Error {
  return new Error(
    `authMatrix() cannot determine who is allowed to call ${nameOf(route)} (${route.name}): the response is 429. Disable the limit in tests.`,
  )
}

/** Whether the caller of a request is allowed to see fields with a mark. */
function holds(req: Request, { mark }: FieldQuestion): boolean {
  return visibilityOf(req)?.some((held) => held.join() === mark.join()) === true
}

/** Finds a method and a path that match this route and no other. */
function requestFor(
  route: RouteModel,
  headers: Readonly<Record<string, string>>,
  match: CompiledRoutes['match'],
): { method: string; path: string } {
  const methods = route.method === 'ALL' ? ['GET', ...CHANGING.slice(0, 4)] : [route.method]
  for (const value of ['1', 'a', '00000000-0000-4000-8000-000000000000']) {
    const path = writePath(route.path, () => value)
    for (const method of methods) {
      const found = match(method, path, headers)
      if (found.kind === 'route' && found.index === route.index) return { method, path }
    }
  }
  throw new Error(`authMatrix() did not find a path that leads to ${route.name} (${route.path}).`)
}

/** Returns the marks of a route whose fields a principal is not allowed to see. */
export function hiddenMarks(
  visibilityOf: CompiledRoutes['visibilityOf'],
  probe: Probe,
): (route: RouteModel) => Promise<readonly (readonly string[])[]> {
  return async (route) => {
    const hidden: (readonly string[])[] = []
    for (const mark of visibilityOf(route)?.marks ?? []) {
      if ((await probe(route, { mark })) !== 'visible') hidden.push(mark)
    }
    return hidden
  }
}
