import type { Random } from '../conformance/random.js'

/** Texts that have caused bugs in parsers, routers, validators and databases. */
const TOKENS: readonly string[] = [
  '\r\n',
  '\n',
  '\0',
  '\x7f',
  '\xff\xfe',
  ' ',
  '\t',
  ':',
  ',',
  '%00',
  '%2e%2e%2f',
  '%2F',
  '%5c',
  '%E0%A4%A',
  '%u0041',
  '//',
  '/../',
  ';a=b',
  '#',
  '*',
  '?',
  '?q=1&q=2',
  '&page[]=1',
  '&__proto__[x]=1',
  '&page=9007199254740993',
  '__proto__',
  'constructor',
  '"__proto__":{"x":1},',
  '[[[[[[[[[[[[[[[[',
  '{"a":',
  '\\ud800',
  '\\u0000',
  '1e400',
  '-0',
  'null',
  "' or '1'='1",
  '; set role postgres; --',
  '*/',
  '$where',
  '{{7*7}}',
  '<script>',
  'X-Tenant-Id: zeta\r\n',
  'X-Tenant-Id: acme\r\n',
  'X-Tenant-Id: acme, zeta\r\n',
  'X_Tenant_Id: zeta\r\n',
  'X-Tenant-Id:\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 3\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Type: text/plain\r\n',
  'Expect: 100-continue\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Host: evil.example\r\n',
  'Origin: null\r\n',
  'Origin: https://one.example\r\n',
  'Range: bytes=0-1\r\n',
  'If-None-Match: *\r\n',
  'Cookie: connect.sid=s%3Ax.y; a=b; a=c\r\n',
  'Accept: application/problem+json\r\n',
  'Accept-Encoding: gzip\r\n',
  'X-HTTP-Method-Override: DELETE\r\n',
  'X-Forwarded-For: 1.2.3.4\r\n',
  `X-Long: ${'a'.repeat(5000)}\r\n`,
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

type Mutation = (text: string, random: Random, others: readonly string[]) => string

const MUTATIONS: readonly Mutation[] = [
  function flipByte(text, random) {
    const at = random.below(text.length)
    return `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`
  },
  function insertToken(text, random) {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + random.pick(TOKENS) + text.slice(at)
  },
  function insertLine(text, random) {
    const lines = TOKENS.filter((token) => token.length > 2 && token.endsWith('\r\n'))
    const end = text.indexOf('\r\n')
    return end === -1 ? text : text.slice(0, end + 2) + random.pick(lines) + text.slice(end + 2)
  },
  function removePiece(text, random) {
    const at = random.below(text.length)
    return text.slice(0, at) + text.slice(at + 1 + random.below(12))
  },
  function repeatPiece(text, random) {
    const at = random.below(text.length)
    const piece = text.slice(at, at + 1 + random.below(40))
    return text.slice(0, at) + piece.repeat(1 + random.below(20)) + text.slice(at)
  },
  function changeMethod(text, random) {
    return text.replace(/^\S+/, random.pick(METHODS))
  },
  function changeCase(text, random) {
    const at = random.below(text.length)
    const piece = text.slice(at, at + 20)
    return `${text.slice(0, at)}${piece === piece.toUpperCase() ? piece.toLowerCase() : piece.toUpperCase()}${text.slice(at + 20)}`
  },
  function endEarly(text, random) {
    return text.slice(0, 1 + random.below(text.length))
  },
  function goOn(text, random, others) {
    return text.replace('Connection: close\r\n', '') + random.pick(others)
  },
  function splice(text, random, others) {
    const other = random.pick(others)
    return text.slice(0, random.below(text.length)) + other.slice(random.below(other.length))
  },
  function swapBody(text, random, others) {
    const [, body = ''] = random.pick(others).split('\r\n\r\n')
    return `${text.split('\r\n\r\n')[0]}\r\n\r\n${body}`
  },
]

/** Changes a request up to four times. Each character of the text is one byte. */
export function mutate(text: string, random: Random, others: readonly string[]): string {
  let changed = text
  for (let left = random.below(5); left > 0 && changed !== ''; left--) {
    changed = random.pick(MUTATIONS)(changed, random, others)
  }
  return changed
}
