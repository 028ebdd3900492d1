import { PEOPLE } from './every-feature-app.js'

interface Parts {
  readonly lines?: readonly string[]
  readonly body?: string
  readonly type?: string
}

function write(start: string, { lines = [], body, type = 'application/json' }: Parts = {}): string {
  const entity =
    body === undefined
      ? []
      : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`]
  const head = [`${start} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, ...entity]
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}

const BOUNDARY = 'boundary'
const FORM = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="title"',
  '',
  'A title',
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  'Content-Type: text/plain',
  '',
  'text of the file',
  `--${BOUNDARY}--`,
  '',
].join('\r\n')

const chunked = (body: string) =>
  `POST /json-schema HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** Valid requests of a person with access. */
function ofPerson(index: number): string[] {
  const { tenant, token } = PEOPLE[index % PEOPLE.length] as (typeof PEOPLE)[number]
  const own = [`Authorization: Bearer ${token}`, `X-Tenant-Id: ${tenant}`]
  const claim = Buffer.from(JSON.stringify({ tenant })).toString('base64url')
  const note = JSON.stringify({ text: 'buy milk', tags: ['a', { name: 'b' }] })
  return [
    write('GET /notes?page=1&q=milk', { lines: own }),
    write('GET /notes/1', { lines: own }),
    write('HEAD /notes', { lines: own }),
    write('OPTIONS /notes', {
      lines: ['Origin: https://one.example', 'Access-Control-Request-Method: PUT'],
    }),
    write('POST /notes', { lines: own, body: note }),
    write('POST /notes', { lines: own, body: '{"text":"","tags":[1,2,3],"at":"x"}' }),
    write('PUT /notes/2', { lines: own, body: note }),
    write('DELETE /notes/3', { lines: own }),
    write('GET /desk/inner/rows/1', { lines: own }),
    write('GET /desk/inner/rows/1', { lines: [own[1] as string] }),
    write('GET /notes', { lines: [own[1] as string] }),
    write('GET /notes', { lines: [`Authorization: Bearer e30.${claim}.x`] }),
    write('GET /whoami', { lines: [`X-Api-Key: ${token}`] }),
  ]
}

const OPEN: readonly string[] = [
  write('GET /whoami'),
  write('GET /echo/a/b/c?x=1&y[]=2', { lines: ['X-Number: 12'] }),
  write('POST /json-schema', { body: '{"items":[1,2,{"a":1,"b":2}]}' }),
  chunked('{"items":[1,1,{}]}'),
  write('POST /valibot', { body: '{"name":"x","age":3}' }),
  write('POST /anything', { body: '[{"deep":[[[]]]}]' }),
  write('POST /anything', { body: 'a=1&b=2', type: 'application/x-www-form-urlencoded' }),
  write('POST /uploads', { body: FORM, type: `multipart/form-data; boundary=${BOUNDARY}` }),
  write('GET /slow'),
  write('GET /stream'),
  write('GET /moved'),
  write('GET /visits', { lines: ['Cookie: seen=1; theme="dark"'] }),
  write('GET /limited'),
  write('PATCH /all', { lines: ['X-Tenant-Id: acme'] }),
  write('GET /api-docs'),
  write('GET /api-docs.json', { lines: ['Accept-Encoding: gzip'] }),
  write('GET /legacy/name'),
  write('POST /legacy/form', {
    body: 'a[b][c]=1&a[b]=2',
    type: 'application/x-www-form-urlencoded',
  }),
  write('GET /near/48.2,16.37'),
  write('GET /download/a.b.tar?tag=a&tag=b', { lines: ['idempotency-key: k'] }),
  write('GET /export', { lines: ['Accept: text/csv'] }),
  write('GET /export', { lines: ['Accept: application/json;q=0.5, text/csv;q=0.1'] }),
  write('GET /nowhere'),
]

/** Valid requests of all persons, for all routes. */
export const TEMPLATES: readonly string[] = [
  ...PEOPLE.flatMap((_, at) => ofPerson(at)),
  ...OPEN,
  ...OPEN,
]
