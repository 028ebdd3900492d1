import { SECTIONS, type WireCase } from './cases.js'
import { type Outcome, show } from './outcome.js'
import type { ServerName } from './servers.js'

/** What each server has made of a case. */
export type Row = Readonly<Record<ServerName, readonly Outcome[]>>

const HEAD = `<!-- Written by wire.test.ts: UPDATE_WIRE=1 npm run unit -- test/wire --project standard -->

# What the server makes of bytes

Each case is sent to a server of \`node:http\`, to Express 5, and to Blazon. Each server has \`GET /hello\` and
\`POST /echo\`, which respond with the method, and the target or body, that they have read. After each case, the client
sends \`GET /hello?next\` on the same connection, unless the response closes the connection. A response without a text in
\`< >\` was not written by a handler of the case. \`closed\` means that the connection was closed without a response.

The test verifies that

- a request that does not reach the handler of Node does not reach the handler of Blazon;
- Blazon responds with the statuses and the texts of Express, or the last column says why not, and that no reason is
  superfluous;
- the cases of the first section have the same responses if their bytes arrive in two parts, cut at any byte.
`

/** The whole page. */
export function writePage(rows: ReadonlyMap<WireCase, Row>): string {
  const sections = SECTIONS.map(({ title, cases }) => {
    const lines = cases.map((wireCase) => writeRow(wireCase, rows.get(wireCase)))
    return [
      `## ${title}`,
      '',
      '| Case | Node | Express | Blazon | Why |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n')
  })
  return [HEAD, ...sections].join('\n')
}

/** A line of a table. */
export function writeRow({ name, reason = '', varies }: WireCase, row: Row | undefined): string {
  if (row === undefined) throw new Error(`The case "${name}" was not sent.`)
  const cells = [
    name,
    varies ?? show(row.node),
    varies ?? show(row.express),
    show(row.blazon),
    reason,
  ]
  return `| ${cells.join(' | ')} |`
}
