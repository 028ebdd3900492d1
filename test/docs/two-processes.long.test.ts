import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { isServerMissing, server } from '../../examples/orders/databases.js'
import { describeWithServer, Server } from '../integrations/redis/server.js'
import { compareAll, conversation } from './conversation.js'
import { blocksOf, root } from './markdown.js'
import { endAll, firstLine, ORDERS, start, tokensOfTour, urlIn } from './servers.js'

afterEach(endAll)

const TOUR = 'docs/tour.md'

/** The variables that the tour sets for each process. */
function commands(): Record<string, string>[] {
  const block = blocksOf(TOUR).find(({ text }) => text.startsWith('DATABASE_URL='))
  const lines = block?.text.trim().split('\n') ?? []
  expect(lines.every((line) => line.endsWith(' npm start'))).toBe(true)
  return lines.map((line) =>
    Object.fromEntries([...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  )
}

describeWithServer('two processes of the tour with one PostgreSQL and one Redis', () => {
  it.skipIf(isServerMissing)('share data, cached responses and rate limits', async () => {
    const { places, drop } = await server.make()
    onTestFinished(drop)
    await using redis = await Server.start()
    const two = commands()
    expect(two.map((variables) => Object.keys(variables))).toEqual([
      ['DATABASE_URL', 'REDIS_URL', 'PORT'],
      ['DATABASE_URL', 'REDIS_URL', 'PORT'],
    ])
    expect(two.map(({ PORT }) => PORT)).toEqual(['3001', '3002'])
    const env = { DATABASE_URL: places.DATABASE_URL ?? '', REDIS_URL: redis.url }
    // At the same time, in a database that is empty.
    const children = two.map(() => start(ORDERS, env))
    const [one, other] = (await Promise.all(children.map(firstLine))).map(urlIn) as [string, string]

    const tokens = await tokensOfTour()
    const auditor = { authorization: `Bearer ${tokens['auditor']}` }
    // Each answers what the other has made.
    const read = async (url: string, path: string) => {
      const answer = await fetch(url + path, { headers: auditor })
      return { cache: answer.headers.get('x-cache'), body: await answer.text() }
    }
    const made = await read(one, '/orders')
    const found = await read(other, '/orders')
    expect([made.cache, found.cache]).toEqual(['MISS', 'HIT'])
    expect(found.body).toBe(made.body)

    await compareAll(conversation(TOUR, 'two processes'), { 3001: one, 3002: other }, tokens)
    const again = await read(other, '/orders')
    expect(again.cache).toBe('MISS')
    expect(JSON.parse(again.body).data.items[1]).toMatchObject({ id: 2, status: 'paid' })

    // What is used up at one is used up at the other, unless a minute has just passed.
    const status = async (url: string) => (await fetch(`${url}/orders`)).status
    const isShared = async () => {
      while ((await status(one)) !== 429);
      return (await status(other)) === 429
    }
    expect((await isShared()) || (await isShared())).toBe(true)

    for (const child of children) child.kill('SIGTERM')
    await expect.poll(() => children.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  })
})

it('the repository ignores the data folders of the examples', () => {
  expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('examples/*/.data/')
})
