import type { Random } from '../conformance/random.js'

const CRLF = '\r\n'

/** A request: its first line, its headers, and the content of its body. */
interface Draft {
  readonly line: string
  readonly lines?: readonly string[]
  readonly body?: string
}

/** The ways to announce and send a body. */
export const BODIES = ['complete', 'chunked', 'partial', 'partial chunks', 'expected'] as const
type BodyKind = (typeof BODIES)[number]

const JSON_TYPE = 'Content-Type: application/json'
const manyLines = Array.from({ length: 40 }, (_, i) => `X-${i}: 1`)

/** One request for every way in which a request is refused. */
export const REFUSALS: Readonly<Record<string, Draft>> = {
  'no route': { line: 'POST /zz' },
  'an undecodable path': { line: 'POST /later/%zz' },
  'no token': { line: 'POST /secret' },
  'a wrong method': { line: 'POST /only' },
  'a wrong type': { line: 'POST /body', lines: ['Content-Type: text/plain'] },
  'an unknown coding': { line: 'POST /body', lines: [JSON_TYPE, 'Content-Encoding: x'] },
  'too often': { line: 'POST /limited' },
  'too large': { line: 'POST /body', lines: [JSON_TYPE], body: `{"a":"${'x'.repeat(300)}"}` },
  invalid: { line: 'POST /body', lines: [JSON_TYPE], body: '{"a":"x"}' },
  'no JSON': { line: 'POST /any', lines: [JSON_TYPE], body: '{{{{' },
  'a bad host': { line: 'POST /zz', lines: ['Host: a@b'] },
  'two hosts': { line: 'POST /zz', lines: ['Host: a', 'Host: b'] },
  'a contradicting target': { line: 'POST http://other/zz' },
  'too many header lines': { line: 'POST /zz', lines: manyLines },
  'too long a head': { line: 'POST /zz', lines: [`X: ${'x'.repeat(20_000)}`] },
  'no HTTP': { line: 'WHAT EVER' },
  'a bad tenant': { line: 'POST /any', lines: ['X-Tenant-Id: /'] },
}

/** Requests with a successful response, a late one, or one that fails halfway. */
export const OTHERS: readonly Draft[] = [
  ...['ok', 'stream', 'file', 'half', 'never', 'signal', 'throws', 'rejects', 'next'],
  ...['held', 'held/stream', 'nothing', 'moved', 'api-docs', 'api-docs.json', 'only', 'ok?a=1'],
]
  .map((path): Draft => ({ line: `GET /${path}` }))
  .concat(
    [0, 1, 3, 60].flatMap((ms) =>
      ['later', 'callback', 'sized', 'headed'].map((path) => ({ line: `GET /${path}/${ms}` })),
    ),
    [1, 2].flatMap((key) => [
      { line: `GET /cached/${key}`, lines: [`X-Tenant-Id: t${key}`] },
      { line: `GET /kept/${key}` },
    ]),
    { line: 'HEAD /ok' },
    { line: 'HEAD /sized/1' },
    { line: 'OPTIONS /body' },
    { line: 'GET /ok', lines: ['Connection: close'] },
    { line: 'POST /secret', lines: ['Authorization: good'], body: 'x' },
    { line: 'POST /body', lines: [JSON_TYPE], body: '{"a":1}' },
    { line: 'POST /any', lines: [JSON_TYPE], body: '[1,2,3]' },
    { line: 'POST /upload', body: 'x'.repeat(5000) },
    { line: 'POST /ignored', body: 'x'.repeat(500) },
  )

/** A request as text. */
export function write({ line, lines = [], body }: Draft, kind: BodyKind): string {
  const hosts = lines.some((each) => each.startsWith('Host:')) ? [] : ['Host: localhost']
  const head = (more: readonly string[]) =>
    [`${line} HTTP/1.1`, ...hosts, ...lines, ...more, '', ''].join(CRLF)
  const content = body ?? (line.startsWith('POST') ? 'null' : undefined)
  if (content === undefined) return head([])
  const { length } = content
  const chunk = length.toString(16) + CRLF + content + CRLF
  if (kind === 'chunked') return `${head(['Transfer-Encoding: chunked'])}${chunk}0${CRLF}${CRLF}`
  if (kind === 'partial chunks') return head(['Transfer-Encoding: chunked']) + chunk
  if (kind === 'partial') return head([`Content-Length: ${length + 5}`]) + content
  if (kind === 'expected')
    return head([`Content-Length: ${length}`, 'Expect: 100-continue']) + content
  return head([`Content-Length: ${length}`]) + content
}

/**
 * Requests in one text. Only the last may lack a part of its body, because the server reads the bytes after it as that
 * part.
 */
export function pipeline(drafts: readonly Draft[], kind: BodyKind, random: Random): string {
  const isPartial = kind.startsWith('partial')
  const whole = () => random.pick(['complete', 'chunked', 'complete', 'expected'] as const)
  return drafts
    .map((draft, i) => write(draft, isPartial && i < drafts.length - 1 ? whole() : kind))
    .join('')
}
