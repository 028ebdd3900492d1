import type { User } from '../../contracts/handler.js'
import { ORIGIN } from '../memory-fetch.js'
import { INJECTED } from './hostile-values.js'
import type { Finding } from './judge-response.js'
import { headersOf } from './send-request.js'
import type { WireRequest } from './wire-request.js'

/** How a request was sent, beside what it says itself. */
export interface RequestSetting {
  /** Of the application and of the options, in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Of the options alone. */
  readonly own: Readonly<Record<string, string>>
  readonly as: User | null | undefined
}

/** Where the command looks for the application. */
const SERVER = 'http://localhost:3000'

/** A command for bash that sends a request. Credentials stay out of it: it is printed where tests run, and kept. */
export function curlOf(request: WireRequest, { headers, as }: RequestSetting): string {
  const { method, target, body } = request
  const sent = new Map(Object.entries(headersOf(request, headers)))
  // Only somebody: hostile values are the request's own, and no secret.
  const isGiven = (name: string) => !Object.hasOwn(request.headers, name)
  const authorization = isGiven('authorization') ? sent.get('authorization') : undefined
  if (authorization !== undefined) sent.delete('authorization')
  const isAuthorized = authorization !== undefined || (as ?? null) !== null
  const parts = [
    `curl --path-as-is -X ${method} ${quote(SERVER + target)}`,
    ...(isAuthorized ? [`-H "Authorization: ${schemeOf(authorization)} $TOKEN"`] : []),
    ...Array.from(sent, ([name, value]) => {
      if (isGiven(name) && isSecret(name)) return `-H "${name}: $${variableOf(name)}"`
      // A header without a value is spelt with a semicolon.
      return value === '' ? `-H ${quote(`${name};`)}` : `-H ${quote(`${name}: ${value}`)}`
    }),
    ...(body === null ? [] : [`--data-raw ${quote(body, 'utf8')}`]),
  ]
  return parts.join(' \\\n  ')
}

/** `Basic` and its like stay: they say what to put there. */
function schemeOf(authorization = ''): string {
  return /^([\w-]+) ./.exec(authorization)?.[1] ?? 'Bearer'
}

/** `X_API_KEY` for `x-api-key`. */
function variableOf(name: string): string {
  return name.toUpperCase().replace(/\W/g, '_')
}

/** Whether a header, by its name, carries what lets somebody in. */
function isSecret(name: string): boolean {
  return /auth|cookie|credential|jwt|key|pass|secret|session|signature|token/i.test(name)
}

/** What a snippet shows of headers that the test has given. */
function withoutSecrets(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, isSecret(name) ? '<secret>' : value]),
  )
}

/** One word of bash. Headers travel as Latin-1. */
function quote(text: string, encoding: 'latin1' | 'utf8' = 'latin1'): string {
  const isPlain = encoding === 'utf8' || /^[\x20-\x7e]*$/.test(text)
  if (isPlain) return `'${text.replaceAll("'", "'\\''")}'`
  const bytes = Array.from(Buffer.from(text, 'latin1'), (byte) =>
    byte < 0x20 || byte > 0x7e
      ? `\\x${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte).replace(/['\\]/, '\\$&'),
  )
  return `$'${bytes.join('')}'`
}

/** A test that sends a request and says what should come back; `app` is the application. Credentials stay out of it, too. */
export function snippetOf(
  request: WireRequest,
  { headers, own, as }: RequestSetting,
  { kind }: Finding,
): string {
  const { method, target, body } = request
  const caller = as === undefined ? 'app' : `app.as(${JSON.stringify(as)})`
  const { pathname, search } = new URL(target, ORIGIN)
  // The application would add a header that this request must not have.
  const isBare = request.without.some((name) => headers.has(name))
  const isNormal = pathname + search === target && !isBare
  const chosen = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const)
  const beside = isNormal ? chosen : headers
  const sent = headersOf(request, new Map(Object.entries(withoutSecrets(beside))))
  const fields = [
    `method: ${literal(method)},`,
    ...(Object.keys(sent).length > 0 ? [`headers: ${literal(sent)},`] : []),
  ]
  if (isNormal) {
    const all = [...fields, ...(body === null ? [] : [`body: ${literal(body)},`])]
    return [
      `const response = await ${caller}.fetch(${literal(target)}, {`,
      ...all.map((field) => `  ${field}`),
      '})',
      expectationOf(kind, 'status'),
    ].join('\n')
  }
  // `fetch` would tidy the path up, and send what the application sends with every request.
  return [
    "import { request } from 'node:http'",
    '',
    'const response = await new Promise((resolve, reject) => {',
    '  const req = request({',
    `    createConnection: ${caller}.connect,`,
    `    path: ${literal(target)},`,
    ...fields.map((field) => `    ${field}`),
    '  }, resolve)',
    "  req.on('error', reject)",
    `  req.end(${body === null ? '' : literal(body)})`,
    '})',
    expectationOf(kind, 'statusCode'),
  ].join('\n')
}

function literal(value: unknown): string {
  return JSON.stringify(value)
}

function expectationOf(kind: Finding['kind'], status: 'status' | 'statusCode'): string {
  const header =
    status === 'status'
      ? `expect(response.headers.get('${INJECTED}')).toBeNull()`
      : `expect(response.headers).not.toHaveProperty('${INJECTED}')`
  const expectations: Record<Finding['kind'], string> = {
    'server-error': `expect(response.${status}).toBeLessThan(500)`,
    injection: header,
    contract: 'expect(app.contractReport()).toEqual([])',
    stricter: `expect([400, 413, 415, 422]).not.toContain(response.${status})`,
    looser: `expect(response.${status}).toBeGreaterThanOrEqual(400)`,
  }
  return expectations[kind]
}
