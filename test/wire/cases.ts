/** A case of the page: bytes on a new connection, after which the next request follows on the same connection. */
export interface WireCase {
  readonly name: string
  readonly bytes: string
  /** No next request follows, because the response closes the connection, or the client ends its side after the bytes. */
  readonly end?: 'server' | 'client'
  /** Why Blazon does not respond as Express does. A case without a reason must not differ. */
  readonly reason?: string
  /** What Node and Express do, if versions of Node differ. */
  readonly varies?: string
}

/** A section of the page. */
export interface WireSection {
  readonly title: string
  readonly cases: readonly WireCase[]
}

const HELLO = 'GET /hello HTTP/1.1'
const HOST = 'Host: localhost'
const JSON_TYPE = 'Content-Type: application/json'

/** A request of these lines. */
function lines(...parts: string[]): string {
  return `${parts.join('\r\n')}\r\n\r\n`
}

function echo(body: string, ...headers: string[]): string {
  return lines('POST /echo HTTP/1.1', HOST, JSON_TYPE, ...headers) + body
}

function chunked(body: string, ...headers: string[]): string {
  return echo(body, 'Transfer-Encoding: chunked', ...headers)
}

function withHeader(...headers: string[]): string {
  return lines(HELLO, HOST, ...headers)
}

function target(text: string, method = 'GET'): string {
  return lines(`${method} ${text} HTTP/1.1`, HOST)
}

/** The simplest request, and one with a body, with and without chunks: for tests that cut them at each byte. */
export const WHOLE: readonly WireCase[] = [
  { name: 'GET', bytes: withHeader('X-Empty:', 'X-Text: a b') },
  { name: 'POST with a length', bytes: echo('"hello"', 'Content-Length: 7') },
  {
    name: 'POST in chunks',
    bytes: chunked('3;a=b\r\n"he\r\n4\r\nllo"\r\n0\r\nX-Sum: 1\r\n\r\n'),
  },
]

/** Why Blazon differs from Express. */
const REASON = {
  method: 'The path has other methods, so the response is 405 with `Allow`.',
  absolute: 'The handler sees the path alone, as for other targets (RFC 9112, section 3.2.2).',
  otherHost: 'The target names another host than `Host`, which middlewares and logs read.',
  asterisk: '`OPTIONS *` asks about the server (RFC 9110, section 9.3.7).',
  target: 'The target is not in a form of RFC 9112, section 3.2.',
  percent: 'The target cannot be decoded, so it is malformed, and not unknown.',
  host: '`Host` must be one valid host (RFC 9112, section 3.2).',
  coding: 'No code decodes the other coding, so the handler would read compressed bytes as JSON.',
  emptyCoding:
    'A proxy may read an empty coding in another way, which lets a client hide a request.',
  oldChunks:
    'HTTP/1.0 has no chunks: a proxy may read the body in another way (RFC 9112, section 6.1).',
  headers:
    'A request has at most 200 lines, or `limits.headers`; Node drops lines above 1,000 or 2,000, or refuses them.',
  expectNothing:
    'Nothing reads a body, so no 100 is sent, and Node closes the connection of a client that waits for one.',
  expectation: 'The client may wait, or send a body: the connection is closed.',
  order: 'Requests that were understood get their responses, in order, before the 400.',
  unread: 'No code reads the body, so it is not received, and the connection is closed.',
} as const

export const SECTIONS: readonly WireSection[] = [
  { title: 'Whole requests', cases: WHOLE },
  {
    title: 'The request line',
    cases: [
      { name: 'empty lines before it', bytes: `\r\n\r\n${withHeader()}` },
      { name: 'a lower-case method', bytes: target('/hello', 'get') },
      { name: 'an unknown method', bytes: target('/hello', 'BREW') },
      {
        name: 'a known method that the path does not have',
        bytes: target('/hello', 'DELETE'),
        reason: REASON.method,
      },
      { name: 'two spaces before the target', bytes: target(' /hello') },
      { name: 'a space in the target', bytes: target('/hel lo') },
      { name: 'a tab for a space', bytes: lines('GET\t/hello\tHTTP/1.1', HOST) },
      { name: 'no version', bytes: lines('GET /hello', HOST), end: 'server' },
      { name: 'HTTP/1.0', bytes: lines('GET /hello HTTP/1.0'), end: 'server' },
      { name: 'HTTP/1.2', bytes: lines('GET /hello HTTP/1.2', HOST) },
      { name: 'HTTP/2.0', bytes: lines('GET /hello HTTP/2.0', HOST), end: 'server' },
      { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
      { name: 'bare line feeds', bytes: withHeader().replaceAll('\r', '') },
      { name: 'a bare carriage return', bytes: lines(HELLO, `${HOST}\rX-A: b`) },
    ],
  },
  {
    title: 'The target',
    cases: [
      { name: 'a query', bytes: target('/hello?a=b') },
      { name: 'absolute', bytes: target('http://localhost/hello'), reason: REASON.absolute },
      {
        name: 'absolute, of another host',
        bytes: target('http://other.example/hello'),
        reason: REASON.otherHost,
      },
      { name: 'absolute, without a path', bytes: target('http://localhost') },
      { name: 'an asterisk', bytes: target('*', 'OPTIONS'), reason: REASON.asterisk },
      { name: 'an asterisk for GET', bytes: target('*'), reason: REASON.target },
      { name: 'an authority', bytes: target('localhost:80') },
      { name: 'CONNECT', bytes: target('localhost:80', 'CONNECT') },
      { name: 'two slashes', bytes: target('//hello') },
      { name: 'dots', bytes: target('/a/../hello') },
      { name: 'an encoded slash', bytes: target('/%2fhello') },
      { name: 'a broken percent sign', bytes: target('/hello%'), reason: REASON.percent },
      { name: 'a fragment', bytes: target('/hello#a'), reason: REASON.target },
      { name: 'a backslash', bytes: target('\\hello') },
      { name: 'raw UTF-8', bytes: target('/h\xc3\xa9llo') },
      { name: 'a zero byte', bytes: target('/hello\0') },
    ],
  },
  {
    title: 'Host',
    cases: [
      { name: 'missing', bytes: lines(HELLO) },
      { name: 'twice, equal', bytes: lines(HELLO, HOST, HOST), reason: REASON.host },
      {
        name: 'twice, not equal',
        bytes: lines(HELLO, HOST, 'Host: other.example'),
        reason: REASON.host,
      },
      { name: 'empty', bytes: lines(HELLO, 'Host:'), reason: REASON.host },
      { name: 'with a path', bytes: lines(HELLO, 'Host: a/b'), reason: REASON.host },
      { name: 'with a user', bytes: lines(HELLO, 'Host: a@b'), reason: REASON.host },
      { name: 'a list', bytes: lines(HELLO, 'Host: a, b'), reason: REASON.host },
      { name: 'with a port', bytes: lines(HELLO, 'Host: localhost:8080') },
      {
        name: 'with a port of letters',
        bytes: lines(HELLO, 'Host: localhost:http'),
        reason: REASON.host,
      },
      { name: 'an IPv6 address', bytes: lines(HELLO, 'Host: [::1]:80') },
    ],
  },
  {
    title: 'Length and transfer coding',
    cases: [
      { name: 'a length and chunks', bytes: chunked('0\r\n\r\n', 'Content-Length: 5') },
      {
        name: 'the same length twice',
        bytes: echo('"a"', 'Content-Length: 3', 'Content-Length: 3'),
      },
      { name: 'two lengths', bytes: echo('"a"', 'Content-Length: 3', 'Content-Length: 4') },
      { name: 'a list of lengths', bytes: echo('"a"', 'Content-Length: 3, 3') },
      { name: 'a signed length', bytes: echo('"a"', 'Content-Length: +3') },
      { name: 'a negative length', bytes: echo('', 'Content-Length: -1') },
      { name: 'a hexadecimal length', bytes: echo('"a"', 'Content-Length: 0x3') },
      { name: 'a length with spaces around', bytes: echo('"a"', 'Content-Length:   3  ') },
      { name: 'a length with a space in it', bytes: echo('"abcdefgh"', 'Content-Length: 1 0') },
      { name: 'a length of 30 digits', bytes: echo('', `Content-Length: ${'9'.repeat(30)}`) },
      { name: 'an empty length', bytes: echo('', 'Content-Length:') },
      { name: 'identity', bytes: echo('', 'Transfer-Encoding: identity') },
      {
        name: 'gzip, chunked',
        bytes: echo('3\r\n"a"\r\n0\r\n\r\n', 'Transfer-Encoding: gzip, chunked'),
        reason: REASON.coding,
      },
      { name: 'chunked, gzip', bytes: echo('', 'Transfer-Encoding: chunked, gzip') },
      {
        name: 'chunked twice in a line',
        bytes: echo('0\r\n\r\n', 'Transfer-Encoding: chunked, chunked'),
      },
      { name: 'chunked in two lines', bytes: chunked('0\r\n\r\n', 'Transfer-Encoding: chunked') },
      { name: 'CHUNKED', bytes: echo('3\r\n"a"\r\n0\r\n\r\n', 'Transfer-Encoding: CHUNKED') },
      { name: 'xchunked', bytes: echo('0\r\n\r\n', 'Transfer-Encoding: xchunked') },
      {
        name: 'a vertical tab before chunked',
        bytes: echo('0\r\n\r\n', 'Transfer-Encoding: \x0bchunked'),
      },
      {
        name: 'an empty coding',
        bytes: echo('', 'Transfer-Encoding:'),
        varies: 'read on Node 20, 400 on later ones',
        reason: REASON.emptyCoding,
      },
      {
        name: 'an empty coding and a length',
        bytes: echo('"a"', 'Transfer-Encoding:', 'Content-Length: 3'),
        varies: 'read on Node 20, 400 on later ones',
        reason: REASON.emptyCoding,
      },
      {
        name: 'chunks in HTTP/1.0',
        bytes: chunked('0\r\n\r\n').replace('1.1', '1.0'),
        end: 'server',
        reason: REASON.oldChunks,
      },
    ],
  },
  {
    title: 'Chunks',
    cases: [
      { name: 'leading zeros', bytes: chunked('0003\r\n"a"\r\n0\r\n\r\n') },
      { name: 'an upper-case size', bytes: chunked('A\r\n"abcdefgh"\r\n0\r\n\r\n') },
      { name: 'an extension', bytes: chunked('3;a="b c"\r\n"a"\r\n0\r\n\r\n') },
      { name: 'a long extension', bytes: chunked(`3;${'a'.repeat(17_000)}\r\n"a"\r\n0\r\n\r\n`) },
      { name: 'a line feed in an extension', bytes: chunked('3;a\nb\r\n"a"\r\n0\r\n\r\n') },
      { name: 'a space after the size', bytes: chunked('3 \r\n"a"\r\n0\r\n\r\n') },
      { name: '0x before the size', bytes: chunked('0x3\r\n"a"\r\n0\r\n\r\n') },
      { name: 'a negative size', bytes: chunked('-1\r\n"a"\r\n0\r\n\r\n') },
      { name: 'no size', bytes: chunked('\r\n"a"\r\n0\r\n\r\n') },
      { name: 'a size of 17 digits', bytes: chunked('10000000000000000\r\n"a"\r\n0\r\n\r\n') },
      { name: 'bare line feeds', bytes: chunked('3\n"a"\n0\n\n') },
      { name: 'no line break after the data', bytes: chunked('3\r\n"a"0\r\n\r\n') },
      { name: 'a bare carriage return after the data', bytes: chunked('3\r\n"a"\r0\r\n\r\n') },
    ],
  },
  {
    title: 'Trailers',
    cases: [
      { name: 'a field', bytes: chunked('3\r\n"a"\r\n0\r\nX-Sum: 1\r\n\r\n') },
      { name: 'a length', bytes: chunked('3\r\n"a"\r\n0\r\nContent-Length: 9\r\n\r\n') },
      {
        name: 'a transfer coding',
        bytes: chunked('3\r\n"a"\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'),
      },
      { name: 'not a field', bytes: chunked('3\r\n"a"\r\n0\r\nnothing\r\n\r\n') },
      {
        name: 'more than 16 KiB',
        bytes: chunked(`3\r\n"a"\r\n0\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`),
      },
    ],
  },
  {
    title: 'Header fields',
    cases: [
      { name: 'a space before the colon', bytes: withHeader('X-A : b') },
      { name: 'a space before the name', bytes: withHeader(' X-A: b') },
      { name: 'a folded line', bytes: withHeader('X-A: b', ' c') },
      { name: 'no colon', bytes: withHeader('X-A') },
      { name: 'no name', bytes: withHeader(': b') },
      { name: 'a zero byte', bytes: withHeader('X-A: \0') },
      { name: 'a byte above 127', bytes: withHeader('X-A: \xe9') },
      { name: 'a name with brackets', bytes: withHeader('X(A): b') },
      { name: '__proto__', bytes: withHeader('__proto__: b', 'constructor: c') },
      { name: '200 lines', bytes: withHeader(...numbered(198)) },
      { name: '500 lines', bytes: withHeader(...numbered(498)), reason: REASON.headers },
      { name: 'a field of 17,000 bytes', bytes: withHeader(`X-A: ${'a'.repeat(17_000)}`) },
      { name: 'a target of 17,000 bytes', bytes: target(`/hello?${'a'.repeat(17_000)}`) },
      {
        name: 'Connection: close, keep-alive',
        bytes: withHeader('Connection: close, keep-alive'),
        end: 'server',
      },
      { name: 'Connection names a field', bytes: withHeader('Connection: Host') },
    ],
  },
  {
    title: 'Expect and Upgrade',
    cases: [
      {
        name: 'Expect: 100-continue',
        bytes: echo('"a"', 'Content-Length: 3', 'Expect: 100-continue'),
      },
      {
        name: 'Expect without a body',
        bytes: withHeader('Expect: 100-continue'),
        reason: REASON.expectNothing,
      },
      {
        name: 'Expect in HTTP/1.0',
        bytes: echo('"a"', 'Content-Length: 3', 'Expect: 100-continue').replace('1.1', '1.0'),
        end: 'server',
      },
      {
        name: 'Expect something else',
        bytes: withHeader('Expect: tea'),
        reason: REASON.expectation,
      },
      {
        name: 'Upgrade: websocket',
        bytes: withHeader('Connection: Upgrade, close', 'Upgrade: websocket'),
        end: 'server',
      },
      {
        name: 'Upgrade: h2c',
        bytes: withHeader(
          'Connection: Upgrade, HTTP2-Settings, close',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABk',
        ),
        end: 'server',
      },
      {
        name: 'Upgrade of a POST',
        bytes: echo('"a"', 'Content-Length: 3', 'Connection: Upgrade, close', 'Upgrade: x'),
        end: 'server',
      },
    ],
  },
  {
    title: 'Several requests on a connection',
    cases: [
      {
        name: 'three in one packet',
        bytes: withHeader() + echo('"a"', 'Content-Length: 3') + withHeader(),
      },
      {
        name: 'a malformed one after a good one',
        bytes: `${withHeader()}nonsense\r\n\r\n`,
        reason: REASON.order,
      },
      {
        name: 'a malformed one after a body',
        bytes: `${echo('"a"', 'Content-Length: 3')}\0`,
        reason: REASON.order,
      },
      {
        name: 'a body longer than its length',
        bytes: echo('"a"GARBAGE', 'Content-Length: 3'),
        reason: REASON.order,
      },
      { name: 'a GET with a body', bytes: `${withHeader('Content-Length: 3')}abc` },
      {
        name: 'a body for a path that does not exist',
        bytes: `${lines('POST /nowhere HTTP/1.1', HOST, 'Content-Length: 3')}abc`,
        reason: REASON.unread,
      },
      {
        name: 'a large body for a path that does not exist',
        bytes:
          lines('POST /nowhere HTTP/1.1', HOST, 'Content-Length: 200000') + 'x'.repeat(200_000),
        reason: REASON.unread,
      },
      { name: 'a body that is not JSON', bytes: echo('{a}', 'Content-Length: 3') },
    ],
  },
  {
    title: 'The client ends its side',
    cases: [
      { name: 'after nothing', bytes: '', end: 'client' },
      { name: 'in the request line', bytes: 'GET /hel', end: 'client' },
      { name: 'in a header', bytes: `${HELLO}\r\nHos`, end: 'client' },
      { name: 'in a body with a length', bytes: echo('"a', 'Content-Length: 3'), end: 'client' },
      { name: 'in a chunk', bytes: chunked('5\r\n"a'), end: 'client' },
      { name: 'before the last chunk', bytes: chunked('3\r\n"a"\r\n'), end: 'client' },
    ],
  },
]

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: a`)
}
