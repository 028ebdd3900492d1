import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Random } from '../conformance/random.js'
import {
  describeWithServer,
  ownName,
  ownServerDatabase,
  type ServerDatabase,
} from '../integrations/postgres/own-database.js'
import { everyFeature, failures, NOTES, PEOPLE, secretOf, violations } from './every-feature-app.js'
import { mutate } from './mutate.js'
import { rounds, seed } from './rounds.js'
import { TEMPLATES } from './templates.js'

const CONNECTIONS = rounds(12_000)
const AT_ONCE = 24
/** After this time without data, a client has sent half a request, or has received the whole response. */
const PATIENCE_MS = 150

/** Stacks, files and statements, which must not reach a client. */
const LEAKS = /\bat .+\(|node:|node_modules|\.ts:|insert into|select id|app_tenant|set_config/

/** The error of a query whose client has disconnected. */
const DISCONNECTED = 'its transaction was rolled back'

let app: App
let port: number
let database: ServerDatabase
let folder: string

/**
 * Sends bytes, sometimes in two pieces, and returns the data until the end, or until no more data arrives.
 *
 * @param firstMs After this time without any data, there will be none.
 */
function exchange(
  bytes: string,
  random: Random,
  firstMs: number = 4 * PATIENCE_MS,
): Promise<string> {
  const cut = random.below(4) === 0 ? random.below(bytes.length + 1) : bytes.length
  const isReset = random.below(5) === 0
  return new Promise((resolve) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1' })
    const giveUp = () => void (isReset ? socket.resetAndDestroy() : socket.destroy())
    let timer = setTimeout(giveUp, firstMs)
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, PATIENCE_MS)
    }
    socket.setEncoding('latin1')
    socket.on('connect', () => {
      socket.write(bytes.slice(0, cut), 'latin1')
      if (cut < bytes.length) setTimeout(() => socket.write(bytes.slice(cut), 'latin1'), 2)
      if (!bytes.includes('\r\n\r\n')) wait()
    })
    socket.on('data', (text) => {
      received += text
      wait()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}

/** The faults of a response. */
function judge(bytes: string, received: string): string[] {
  const found: string[] = []
  const mayHave = (whom: string) =>
    PEOPLE.some(({ id, tenant, token }) => [id, tenant].includes(whom) && bytes.includes(token))
  for (const whom of ['acme', 'zeta', ...PEOPLE.map(({ id }) => id)]) {
    if (received.includes(secretOf(whom)) && !mayHave(whom))
      found.push(`shows the secret of ${whom}`)
  }
  if (received !== '' && !received.startsWith('HTTP/1.1 ')) found.push('is not HTTP')
  if (/HTTP\/1\.1 500 /.test(received)) found.push('500')
  const isPage = received.includes('"openapi"') || received.includes('text/html')
  if (!isPage && LEAKS.test(received)) found.push('shows internals')
  return found.map((what) => `${what}: ${JSON.stringify(bytes)} -> ${JSON.stringify(received)}`)
}

async function attack(random: Random): Promise<string[]> {
  const found: string[] = []
  let left = CONNECTIONS
  async function client(): Promise<void> {
    while (left-- > 0 && found.length < 5) {
      const bytes = mutate(random.pick(TEMPLATES), random, TEMPLATES)
      if (bytes !== '') found.push(...judge(bytes, await exchange(bytes, random)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return found
}

describeWithServer(
  `an application that receives ${CONNECTIONS} mutated requests (SEED=${seed})`,
  () => {
    beforeAll(async () => {
      database = await ownServerDatabase()
      folder = mkdtempSync(join(tmpdir(), 'blazon-mutations-'))
      writeFileSync(join(folder, '0001_notes.sql'), NOTES)
      app = await App.create(everyFeature(database.options.url, folder, `${ownName('hostile')}:`))
      port = (await app.listen(0, '127.0.0.1')).port
    })
    afterAll(async () => {
      await app?.close()
      await database?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    it('responds to the valid requests with their data, so that mutated requests can reach the handlers', async () => {
      const random = new Random(seed)
      const statuses = new Set<string>()
      for (const bytes of TEMPLATES) {
        // Each gets a response, on a busy machine later.
        const received = await exchange(bytes, random, 30_000)
        const status = /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 'none'
        statuses.add(status)
        expect(judge(bytes, received)).toEqual([])
        const mayRead = /^GET \/(notes\?|desk)/.test(bytes) && bytes.includes('Bearer ')
        if (mayRead) expect(received).toContain('secret-')
      }
      for (const status of ['200', '201', '204', '302', '400', '401', '403', '404'])
        expect([...statuses]).toContain(status)
    })

    it('sends no data of another tenant or person, and no 500 response', async () => {
      const found = await attack(new Random(seed))
      const failed = failures.filter(
        (text) => text.includes('"status":500') && !text.includes(DISCONNECTED),
      )
      expect([...found, ...violations, ...failed.slice(0, 5)]).toEqual([])
    })

    it('still responds to a valid request afterwards', async () => {
      const random = new Random(seed)
      const received = await exchange(TEMPLATES[0] as string, random)
      expect(received).toMatch(/^HTTP\/1\.1 200 /)
      expect(received).toContain(secretOf('acme'))
    })
  },
)
