import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SECTIONS, WHOLE, type WireCase } from './cases.js'
import { show, tryCase } from './outcome.js'
import { type Row, writePage, writeRow } from './page.js'
import { SERVERS, type ServerName, type WireServer } from './servers.js'

const PAGE = new URL('README.md', import.meta.url)
const NAMES = Object.keys(SERVERS) as ServerName[]

async function startAll(): Promise<Record<ServerName, WireServer>> {
  const started = await Promise.all(
    NAMES.map(async (name) => [name, await SERVERS[name]()] as const),
  )
  return Object.fromEntries(started) as Record<ServerName, WireServer>
}

/** What has happened to each case, and which methods have reached the handlers. */
interface Tried extends Row {
  readonly ran: Readonly<Record<ServerName, readonly string[]>>
}

async function tryAll(wireCase: WireCase, servers: Record<ServerName, WireServer>): Promise<Tried> {
  const outcomes = await Promise.all(NAMES.map((name) => tryCase(servers[name].port, wireCase)))
  const [node = [], express = [], blazon = []] = outcomes
  const ran = { node: [...servers.node.ran], express: [], blazon: [...servers.blazon.ran] }
  for (const { ran } of Object.values(servers)) ran.length = 0
  return { node, express, blazon, ran }
}

describe('the HTTP behavior', () => {
  it('matches the documented behavior', { timeout: 120_000 }, async () => {
    const servers = await startAll()
    const rows = new Map<WireCase, Tried>()
    for (const wireCase of SECTIONS.flatMap(({ cases }) => cases)) {
      rows.set(wireCase, await tryAll(wireCase, servers))
    }
    const laxer = [...rows].filter(([, { ran }]) => !isPart(ran.blazon, ran.node))
    expect(laxer.map(([{ name }, { ran }]) => ({ name, ran }))).toEqual([])
    // Without a reason, a case must not differ; with one, it must, unless versions of Node differ.
    const wrong = [...rows].filter(([{ reason, varies }, row]) => {
      const differs = show(row.blazon) !== show(row.express)
      return varies === undefined && differs !== (reason !== undefined)
    })
    expect(wrong.map(([wireCase, row]) => writeRow(wireCase, row))).toEqual([])
    const page = writePage(rows)
    if (process.env['UPDATE_WIRE'] !== undefined) writeFileSync(PAGE, page)
    expect(page).toBe(readFileSync(PAGE, 'utf8'))
  })
})

/** Whether the second list has all that the first has. Handlers of pipelined requests run in any order. */
function isPart(part: readonly string[], whole: readonly string[]): boolean {
  const rest = [...whole]
  return part.every((method) => rest.includes(method) && rest.splice(rest.indexOf(method), 1))
}

describe.each(NAMES)('%s', (name) => {
  let server: WireServer
  it.each(WHOLE)('sends the same responses wherever a $name is split', async (wireCase) => {
    server = await SERVERS[name]()
    const whole = show(await tryCase(server.port, wireCase))
    for (let cut = 1; cut < wireCase.bytes.length; cut++) {
      expect({ cut, got: show(await tryCase(server.port, wireCase, cut)) }).toEqual({
        cut,
        got: whole,
      })
    }
  })
})
