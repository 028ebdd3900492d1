import { hasSubscribers } from 'node:diagnostics_channel'
import {
  App,
  Controller,
  Get,
  inject,
  Outgoing,
  Queries,
  type Request,
  RequestRecords,
} from 'blazon'
import { Statements } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noticeFetch } from '../../../src/app/dev/notice-fetch.js'
import { userPlaceIn } from '../../../src/testing/user-place.js'
import { otherHost } from './other-host.js'

/** The channel on which Node's `fetch` publishes its requests. */
const REQUESTS = 'undici:request:create'

@Controller('loops')
class LoopsController {
  readonly #outgoing = inject(Outgoing)
  readonly #statements = inject(Statements)

  @Get('hosts/:count') async hosts({ params }: Request) {
    for (let i = 0; i < Number(params['count']); i++) await this.#outgoing(`https://a.example/${i}`)
    throw new Error('end')
  }

  @Queries(3) @Get('counted') async counted() {
    this.#statements.begin({ system: 'x', text: 'a' })?.end({ rows: [], rowCount: 0 })
    for (let i = 0; i < 3; i++) await this.#outgoing(`https://a.example/${i}`)
    return []
  }

  @Get('direct') async direct({ query }: Request) {
    for (let i = 0; i < 2; i++) await fetch(String(query['url']), { method: 'POST', body: 'x' })
    return []
  }

  @Get('own') async own({ query }: Request) {
    await this.#outgoing(String(query['url']))
    return []
  }
}

const create = async () => {
  const app = await TestApp.create({ controllers: [LoopsController], contract: 'off' })
  onTestFinished(() => app.close())
  for (let i = 0; i < 12; i++) app.outgoing.answer('GET', `https://a.example/${i}`, {})
  return app
}

describe('a budget for outgoing calls', () => {
  it('detects a loop of calls to one host, with its source location', async () => {
    const app = await create()
    await app.request().get('/loops/hosts/9').expect(500)
    await expect(app.request().get('/loops/hosts/10').expect(500)).rejects.toThrow(
      /called the same host 10 times\. .*:\n {2}GET a\.example\n {4}at test\/journeys\/outgoing\/noticed\.test\.ts:\d+/,
    )
    await expect(app.request().get('/loops/hosts/10').expect(500)).rejects.not.toThrow(/statement:/)
    const response = await app.fetch('/loops/hosts/11').catch((error: Error) => error)
    expect(response).toMatchObject({ name: 'QueryBudgetError' })
  })

  it('also applies to the calls of a route with @Queries', async () => {
    const app = await create()
    await expect(app.request().get('/loops/counted').expect(200)).rejects.toThrow(
      /It ran 4 statements and calls, but @Queries allows 3:\n {2}a\n[\s\S]*GET a\.example/,
    )
  })

  it('appears as a decision in the record of a request that exceeds it', async () => {
    const app = await App.create({ controllers: [LoopsController], records: true, logger: false })
    onTestFinished(() => app.close())
    const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response())
    await app.fetch(new globalThis.Request('http://localhost/loops/hosts/10'))
    sent.mockRestore()
    const [record] = app.get(RequestRecords).list()
    expect(record?.decisions).toContainEqual(
      expect.objectContaining({
        by: 'queries',
        verdict: 'repeated',
        facts: { times: 10, text: 'GET a.example' },
      }),
    )
    expect(record?.callCount).toBe(10)
  })
})

describe('a direct call to fetch in a handler', () => {
  it('causes one warning with its source location in tests', async () => {
    const host = await otherHost((_req, res) => res.end())
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const app = await create()
    // That of the test itself belongs to no request.
    await fetch(host.url)
    await app.request().get('/loops/direct').query({ url: host.url }).expect(200)
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toMatch(
      /^test\/journeys\/outgoing\/noticed\.test\.ts:\d+:\d+ calls http:\/\/127\.0\.0\.1:\d+ with fetch\..*inject\(Outgoing\)/,
    )
    expect(printed).toHaveBeenCalledTimes(1)
    printed.mockRestore()
  })

  it('causes a warning under blazon dev, but a call to Outgoing does not', async () => {
    const host = await otherHost((_req, res) => res.end())
    const lines: string[] = []
    const logger = { info() {}, error() {}, warn: (_: object, text: string) => lines.push(text) }
    const isWatched = hasSubscribers(REQUESTS)
    const plugins = [noticeFetch({ placeIn: userPlaceIn })]
    const app = await App.create({ controllers: [LoopsController], plugins, logger })
    const ask = (path: string) =>
      app.fetch(new globalThis.Request(`http://localhost/loops/${path}?url=${host.url}`))
    expect((await ask('own')).status).toBe(200)
    expect(lines).toEqual([])
    expect((await ask('direct')).status).toBe(200)
    expect((await ask('direct')).status).toBe(200)
    expect(lines).toEqual([expect.stringMatching(/^test\/journeys\/outgoing\/noticed/)])
    expect(hasSubscribers(REQUESTS)).toBe(true)
    await app.close()
    expect(hasSubscribers(REQUESTS)).toBe(isWatched)
  })

  it('causes no warning outside of tests and blazon dev', async () => {
    const host = await otherHost((_req, res) => res.end())
    const lines: string[] = []
    const logger = { info() {}, error() {}, warn: (_: object, text: string) => lines.push(text) }
    const app = await App.create({ controllers: [LoopsController], logger })
    await app.fetch(new globalThis.Request(`http://localhost/loops/direct?url=${host.url}`))
    await app.close()
    expect(lines).toEqual([])
  })
})
