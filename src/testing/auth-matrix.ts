import { type Agent, request as send } from 'node:http'
import { App } from '../app/app.js'
import type { CompiledRoutes } from '../app/compile-routes.js'
import type { User } from '../contracts/handler.js'
import type { HttpMethod, RouteModel } from '../contracts/route-model.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { type Judge, observe } from './exchange.js'
import type { TestCaller } from './test-caller.js'

/** What one principal may do: go on to the handler, or the status of the refusal. */
export type Access = 'allowed' | number

/** Who asks: a user, whom no guard is asked about; `null` for nobody; or a caller, for whom the guard decides. */
export type Principal = User | TestCaller | null

/** One operation of an {@link AuthMatrix}. */
export interface AuthMatrixRow {
  /** `POST /orders/:id/payment` */
  readonly operation: string
  /** `OrdersController.pay` */
  readonly handler: string
  /** By the names of the principals. */
  readonly access: Readonly<Record<string, Access>>
}

/** Options of `authMatrix`. */
export interface AuthMatrixOptions {
  /** `'fail'` rejects when nobody at all may call an operation that changes something. Default: it does not. */
  readonly unguarded?: 'fail'
  /** Operations that may be: `POST /login`, `SessionsController.login`. */
  readonly except?: readonly string[]
}

/** Asks whether one caller may call a route. */
export type Probe = (route: RouteModel) => Promise<Access>

/** Connections on which no handler is called, and what is sent over them. */
export interface ProbeLink {
  readonly agent: Agent
  readonly headers: ReadonlyMap<string, string>
  /** Asked about refusals, which are answers like others; `null` asks nobody. */
  readonly judge: Judge | null
}

const CHANGING: readonly HttpMethod[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'ALL']
const REACHED = 204

/** Who may call which operation; as text, a table for snapshots. */
export class AuthMatrix {
  /** In the order of the routes. */
  readonly rows: readonly AuthMatrixRow[]

  constructor(rows: readonly AuthMatrixRow[]) {
    this.rows = rows
  }

  /** A line for each operation, a column for each principal. */
  toString(): string {
    const names = Object.keys(this.rows[0]?.access ?? {})
    const lines = [
      ['', ...names],
      ...this.rows.map(({ operation, access }) => [
        operation,
        ...Object.values(access).map(String),
      ]),
    ]
    const widths = lines[0]?.map((_, column) =>
      Math.max(...lines.map((line) => line[column]?.length ?? 0)),
    )
    const pad = (cell: string, column: number) => cell.padEnd(widths?.[column] ?? 0)
    return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
  }
}

/** @throws ConfigError for options that would ask for nothing, and where nobody asks. */
export function checkAuthMatrix(principals: object, options: AuthMatrixOptions): void {
  const { unguarded, except } = options
  const problems: Problem[] = []
  const refuse = (name: string, value: unknown, known: string) => {
    const cause = `authMatrix() cannot use ${JSON.stringify(value) ?? String(value)}.`
    const subject = `authMatrix({ ${name} })`
    problems.push(invalid(subject, cause, `It takes ${known}.`))
  }
  if (Object.keys(principals).length === 0) {
    refuse('…', principals, 'principals by name: { anonymous: null, admin: { id: 1 } }')
  }
  for (const [name, principal] of Object.entries(principals)) {
    if (typeof principal !== 'object') refuse(name, principal, 'a user, null, or a caller')
    // `app.withAuth(token)` is the application, not a caller, and would count as a user whom nobody asks about.
    if (principal instanceof App) {
      refuse(name, 'an application', "a caller: app.with({ authorization: 'Bearer …' })")
    }
  }
  if (unguarded !== undefined && unguarded !== 'fail') refuse('unguarded', unguarded, "'fail'")
  if (except !== undefined && !Array.isArray(except)) refuse('except', except, "['POST /login']")
  for (const name of Object.keys(options)) {
    if (!['unguarded', 'except'].includes(name)) refuse(name, name, 'unguarded and except')
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Asks for every route and every principal. */
export async function buildAuthMatrix(
  routes: readonly RouteModel[],
  probes: ReadonlyMap<string, Probe>,
): Promise<AuthMatrix> {
  const rows: AuthMatrixRow[] = []
  for (const route of routes) {
    const access: Record<string, Access> = {}
    for (const [name, probe] of probes) access[name] = await probe(route)
    rows.push({ operation: nameOf(route), handler: route.name, access })
  }
  return new AuthMatrix(rows)
}

function nameOf({ method, path }: RouteModel): string {
  return `${method} ${path}`
}

/**
 * @param probe Nobody's.
 * @throws Error that names the operations which change something and are open to everybody.
 */
export async function refuseUnguarded(
  routes: readonly RouteModel[],
  probe: Probe,
  except: readonly string[] = [],
): Promise<void> {
  const open: string[] = []
  for (const route of routes) {
    const isMeant = except.includes(nameOf(route)) || except.includes(route.name)
    if (isMeant || !CHANGING.includes(route.method)) continue
    if ((await probe(route)) === 'allowed') open.push(`  ${nameOf(route)} (${route.name})`)
  }
  if (open.length === 0) return
  throw new Error(
    [
      'Operations that change something are open to everybody:',
      ...open,
      "Guard them: @Auth() or @Can(…); or list them, if this is intended: { except: ['POST /login'] }.",
    ].join('\n'),
  )
}

/** Sends requests that end where the handler would be called. */
export function createProbe(
  { agent, headers, judge }: ProbeLink,
  match: CompiledRoutes['match'],
): Probe {
  const judgeRefusal: Judge = (exchange) =>
    exchange.status === REACHED ? undefined : judge?.(exchange)
  return function probe(route) {
    const request = { agent, ...requestFor(route, match), headers: Object.fromEntries(headers) }
    return new Promise((resolve, reject) => {
      let failure: Error | undefined
      const req = send(request, (res) => {
        res.resume()
        res.once('error', reject)
        res.once('end', () => {
          const { statusCode = 0 } = res
          if (failure !== undefined) reject(failure)
          else resolve(statusCode === REACHED ? 'allowed' : statusCode)
        })
      })
      observe(req, judgeRefusal, (found) => {
        failure = found
      })
      req.once('error', reject)
      req.end()
    })
  }
}

/** A method and a path that lead to a route, and to no other. */
function requestFor(
  route: RouteModel,
  match: CompiledRoutes['match'],
): { method: string; path: string } {
  const methods = route.method === 'ALL' ? ['GET', ...CHANGING.slice(0, 4)] : [route.method]
  for (const value of ['1', 'a', '00000000-0000-4000-8000-000000000000']) {
    const path = route.path.replace(/[:*]\w+/g, value)
    for (const method of methods) {
      const found = match(method, path)
      if (found.kind === 'route' && found.index === route.index) return { method, path }
    }
  }
  throw new Error(`authMatrix() finds no path that leads to ${route.name} (${route.path}).`)
}
