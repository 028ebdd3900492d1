import type { User } from '../../contracts/handler.js'
import { ORIGIN } from '../memory-fetch.js'
import { INJECTED } from './hostile-values.js'
import type { Finding } from './inspect-response.js'
import { headersOf } from './send-request.js'
import type { WireRequest } from './wire-request.js'

/** The settings of the run that are needed to send a request again. */
export interface RequestSetting {
  /** The headers of the application and of the options, in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The headers of the options only. */
  readonly own: Readonly<Record<string, string>>
  readonly as: User | null | undefined
}

/** The address of the application in the command. */
const SERVER = 'http://localhost:3000'

/** Returns a curl command for bash. It contains no credentials, because test output is often stored. */
export function curlOf(request: WireRequest, { headers, as }: RequestSetting): string {
  const { method, target, body } = request
  const sent = new Map(Object.entries(headersOf(request, headers)))
  // Only credentials set by the test are hidden. Hostile values of the request itself are no secrets.
  const isGiven = (name: string) => !Object.hasOwn(request.headers, name)
  const authorization = isGiven('authorization') ? sent.get('authorization') : undefined
  if (authorization !== undefined) sent.delete('authorization')
  const isAuthorized = authorization !== undefined || (as ?? null) !== null
  const parts = [
    `curl --path-as-is -X ${method} ${quote(SERVER + target)}`,
    ...(isAuthorized ? [`-H "Authorization: ${schemeOf(authorization)} $TOKEN"`] : []),
    ...Array.from(sent, ([name, value]) => {
      if (isGiven(name) && isSecret(name)) return `-H "${name}: $${variableOf(name)}"`
      // curl sends a header with an empty value only when it ends with a semicolon.
      return value === '' ? `-H ${quote(`${name};`)}` : `-H ${quote(`${name}: ${value}`)}`
    }),
    ...(body === null ? [] : [`--data-raw ${quote(body, 'utf8')}`]),
  ]
  return parts.join(' \\\n  ')
}

/** A scheme such as `Basic` stays, because it shows which credentials to fill in. */
function schemeOf(authorization = ''): string {
  return /^([\w-]+) ./.exec(authorization)?.[1] ?? 'Bearer'
}

/** `X_API_KEY` for `x-api-key`. */
function variableOf(name: string): string {
  return name.toUpperCase().replace(/\W/g, '_')
}

/** Whether a header carries credentials, according to its name. */
function isSecret(name: string): boolean {
  return /auth|cookie|credential|jwt|key|pass|secret|session|signature|token/i.test(name)
}

/** Replaces the values of secret headers by `<secret>`. */
function withoutSecrets(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, isSecret(name) ? '<secret>' : value]),
  )
}

/** Quotes one word for bash. Headers are sent as Latin-1. */
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

/** Returns the code of a test that sends the request; `app` is the application. It contains no credentials. */
export function snippetOf(
  request: WireRequest,
  { headers, own, as }: RequestSetting,
  { kind }: Finding,
): string {
  const { method, target, body } = request
  const caller = as === undefined ? 'app' : `app.as(${JSON.stringify(as)})`
  const { pathname, search } = new URL(target, ORIGIN)
  // `app.fetch` would add a header that this request must not have.
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
  // `fetch` would normalise the path and add the headers of the application.
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
