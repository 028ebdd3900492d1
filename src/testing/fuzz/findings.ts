import type { User } from '../../contracts/handler.js'
import { curlCommand } from '../../http/curl-command.js'
import { isSecretName } from '../../schema/secret-name.js'
import { ORIGIN } from '../memory-fetch.js'
import type { FuzzCase } from './fuzz-cases.js'
import type { FuzzAllowance } from './fuzz-options.js'
import { INJECTED } from './hostile-values.js'
import { type FuzzResponse, headersOf, type WireRequest } from './wire-request.js'

/** The problem with a response. */
export interface Finding {
  readonly kind: 'server-error' | 'injection' | 'contract' | 'stricter' | 'looser' | 'hidden'
  readonly expected: string
}

/** Statuses that mean that the data of a request was refused. */
const REFUSALS = [400, 413, 415, 422]

/** The settings of an operation. */
interface InspectConfig {
  readonly allowed: readonly FuzzAllowance[]
  /** The response status if a schema rejects a request. */
  readonly validationStatus: number
}

/** Returns the problem with the response to a request; `undefined` if there is none. */
export function inspectResponse(
  { kind, what }: FuzzCase,
  { status, headers, violation }: FuzzResponse,
  { allowed, validationStatus }: InspectConfig,
): Finding | undefined {
  if (status >= 500) return { kind: 'server-error', expected: 'no server error' }
  if (INJECTED in headers) {
    return {
      kind: 'injection',
      expected: `no header ${INJECTED}, which a request value added`,
    }
  }
  const isRefused = REFUSALS.includes(status) || status === validationStatus
  if (kind === 'valid' && isRefused && !allowed.includes('stricter')) {
    return { kind: 'stricter', expected: `not ${status}: the document allows this request` }
  }
  if (kind === 'hidden' && (status < 400 || isRefused)) {
    return { kind: 'hidden', expected: `403: the caller is not allowed to send ${what}` }
  }
  const isTaken = kind === 'invalid' && (status < 400 || status >= 500)
  if (isTaken && !allowed.includes('looser')) {
    return { kind: 'looser', expected: `4xx: the document does not allow ${what}` }
  }
  if (violation !== undefined) return { kind: 'contract', expected: violation.message }
  return undefined
}

/** The settings of the run that are needed to send a request again. */
export interface RequestSetting {
  /** The headers of the application and of the options, in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The headers of the options only. */
  readonly own: Readonly<Record<string, string>>
  readonly as: User | null | undefined
}

/** The origin of the application in the curl command. */
const SERVER = 'http://localhost:3000'

/** Returns a curl command for bash. It contains no credentials, because test output is often stored. */
export function curlOf(request: WireRequest, { headers, as }: RequestSetting): string {
  const { method, target, body } = request
  const sent = new Map(Object.entries(headersOf(request, headers)))
  // Hide only credentials that the test has set. Hostile values in the request itself are not secrets.
  const isGiven = (name: string) => !Object.hasOwn(request.headers, name)
  const authorization = isGiven('authorization') ? sent.get('authorization') : undefined
  if (authorization !== undefined) sent.delete('authorization')
  const isAuthorized = authorization !== undefined || (as ?? null) !== null
  const credential = [`${schemeOf(authorization)} `, { secret: 'token' }]
  const command = curlCommand({
    method,
    url: SERVER + target,
    headers: [
      ...(isAuthorized ? [['Authorization', credential] as const] : []),
      ...Array.from(sent, ([name, value]) => {
        const isHidden = isGiven(name) && isSecretName(name)
        return [name, isHidden ? [{ secret: name }] : value] as const
      }),
    ],
    body: typeof body === 'string' ? body : null,
    more: body === null || typeof body === 'string' ? [] : ['--data-binary @-'],
  })
  return inputOf(body) + command
}

/** A command that prints bytes, because a command-line argument cannot contain all bytes. */
function inputOf(body: WireRequest['body']): string {
  if (body === null || typeof body === 'string') return ''
  const commands = piecesOf(body).map((piece) => {
    if (typeof piece !== 'string')
      return `yes ${piece.character} | head -${piece.count} | tr -d '\\n'`
    const text = piece.replace(/[^\x20-\x7e]|['\\%]/g, (character) =>
      character === '%' ? '%%' : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
    )
    return `printf -- '${text}'`
  })
  return `{ ${commands.join('; ')}; } | `
}

/** A repeated character. */
interface Run {
  readonly character: string
  readonly count: number
}

/** The bytes as Latin-1, in pieces. Long runs of a letter, which make a file too large, are separate pieces. */
function piecesOf(body: Buffer): (string | Run)[] {
  const text = body.toString('latin1')
  const pieces: (string | Run)[] = []
  let end = 0
  for (const { 0: run, index } of text.matchAll(/([a-z])\1{199,}/g)) {
    if (index > end) pieces.push(text.slice(end, index))
    pieces.push({ character: run.charAt(0), count: run.length })
    end = index + run.length
  }
  return [...pieces, text.slice(end)]
}

/** The body as a literal in test code. */
function bodyLiteral(body: string | Buffer): string {
  if (typeof body === 'string') return literal(body)
  const parts = piecesOf(body).map((piece) =>
    typeof piece === 'string'
      ? literal(piece)
      : `${literal(piece.character)}.repeat(${piece.count})`,
  )
  return `Buffer.from(${parts.join(' + ')}, 'latin1')`
}

/** A scheme such as `Basic` is kept, to show which credentials are required. */
function schemeOf(authorization = ''): string {
  return /^([\w-]+) ./.exec(authorization)?.[1] ?? 'Bearer'
}

/** Replaces the values of secret headers with `<secret>`. */
function withoutSecrets(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, isSecretName(name) ? '<secret>' : value]),
  )
}

/** Returns test code that sends the request; `app` is the application. The code contains no credentials. */
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
    const all = [...fields, ...(body === null ? [] : [`body: ${bodyLiteral(body)},`])]
    return [
      `const response = await ${caller}.fetch(${literal(target)}, {`,
      ...all.map((field) => `  ${field}`),
      '})',
      expectationOf(kind, 'status'),
    ].join('\n')
  }
  // `fetch` would normalize the path and add the headers of the application.
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
    `  req.end(${body === null ? '' : bodyLiteral(body)})`,
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
    hidden: `expect(response.${status}).toBe(403)`,
    looser: `expect(response.${status}).toBeGreaterThanOrEqual(400)`,
  }
  return expectations[kind]
}
