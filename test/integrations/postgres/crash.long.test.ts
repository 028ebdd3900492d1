import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Random, seedOfRun } from '../../conformance/random.js'
import { rounds } from '../../rounds.js'
import { compiledProgram } from '../compiled-program.js'
import { until } from '../until.js'
import { HALVES } from './pairs.js'
import { describeWithServer, runAt, Server } from './server.js'
import { createShop, LOGIN, shopUrl } from './support.js'

const FILE = fileURLToPath(new URL('./crash-app.ts', import.meta.url))
const UNDER_WAY = `select pid from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
/** Ends a test that hangs. No test measures time. */
const LIMIT = 300_000
const ROUNDS = rounds(10, 3)

let server: Server
const running = new Set<ChildProcess>()
const look = (text: string) => runAt(shopUrl(server), text)

/** An application in a process of its own. */
async function startApp(): Promise<{
  post: (path: string) => Promise<number>
  kill: () => Promise<void>
}> {
  const child = spawn(process.execPath, [await compiledProgram(FILE)], {
    env: { ...process.env, CRASH_URL: shopUrl(server, LOGIN), NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output += data
    })
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${output}`)
    return /^\d+\n/.test(output)
  })
  const port = Number.parseInt(output, 10)
  const post = async (path: string) => {
    const headers = { 'x-tenant-id': 'a' }
    const response = await fetch(`http://127.0.0.1:${port}/pairs/${path}`, {
      method: 'POST',
      headers,
    })
    await response.body?.cancel()
    return response.status
  }
  const kill = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    running.delete(child)
    // The server notices the end of the process, and rolls back its open transactions.
    await until(async () => (await look(UNDER_WAY)).length === 0)
  }
  return { post, kill }
}

describeWithServer('a killed application', () => {
  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
  })
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('saves no row of a request if it is killed between two statements', {
    timeout: LIMIT,
  }, async () => {
    const app = await startApp()
    const answer = app.post('between/slowly').catch(() => 'gone')
    const idle = `select 1 from pg_stat_activity where usename = '${LOGIN}'
      and state = 'idle in transaction' and query like 'insert%'`
    await until(async () => (await look(idle)).length === 1)
    await app.kill()
    expect(await answer).toBe('gone')
    expect(await look("select 1 from orders where note = 'between'")).toEqual([])
  })

  it('saves both rows of a request or neither, and always both after a 201 response', {
    timeout: LIMIT,
  }, async () => {
    const seed = seedOfRun()
    console.info(`SEED=${seed}`)
    const random = new Random(seed)
    const told = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const app = await startApp()
      let isOver = false
      const goal = told.size + 1 + random.below(200)
      const workers = Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; !isOver; i++) {
          const name = `r${round}-${worker}-${i}`
          const status = await app.post(name).catch(() => 'gone')
          if (status === 201) told.add(name)
          else if (status !== 'gone') throw new Error(`${name} was answered ${status}`)
        }
      })
      await until(() => told.size >= goal)
      await app.kill()
      isOver = true
      await Promise.all(workers)
      expect(await look(HALVES), `SEED=${seed}`).toEqual([])
    }
    const found = new Set((await look('select distinct note from orders')).map(({ note }) => note))
    expect([...told].filter((name) => !found.has(name))).toEqual([])
    // One request of each worker may have been committed without a response.
    expect(found.size - told.size).toBeLessThanOrEqual(ROUNDS * 8)
  })
})
