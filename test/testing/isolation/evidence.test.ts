import { describe, expect, it } from 'vitest'
import { Canaries } from '../../../src/testing/isolation/canaries.js'
import { Gate } from '../../../src/testing/isolation/gate.js'
import { type LeakFact, Observation } from '../../../src/testing/isolation/observations.js'
import { searchResponse } from '../../../src/testing/isolation/search-response.js'
import { turns } from '../../journeys/turns.js'

/** The observations about an operation of two tenants, each of which has received a response with the status. */
function observe(statuses: readonly number[] = [200, 200], isStream = false) {
  const documented = { name: 'GET /a', operationId: 'a', handler: 'A.a' } as never
  const seen = new Observation(documented, ['ana', 'ben'])
  for (const [index, status] of statuses.entries())
    seen.answered(index === 0 ? 'ana' : 'ben', { status, isStream } as never)
  const row = () => {
    const { verdict, evidence } = seen.toRow()
    return `${verdict}: ${evidence}`
  }
  return { seen, row }
}

const LEAK: LeakFact = {
  ...{ kind: 'response', from: 'ana', to: 'ben', origin: 'POST /a', phase: 'p', curl: 'curl' },
  where: 'body [0].text',
}

describe('the verdict on an operation', () => {
  it('passes only if each tenant has received its own data', () => {
    const { seen, row } = observe()
    expect(row()).toBe('INCONCLUSIVE: no tenant saw its own data')
    seen.sawOwn('ana', false)
    expect(row()).toBe('INCONCLUSIVE: ben never saw its own data')
    seen.sawOwn('ben', true)
    expect(row()).toBe('PASS: each tenant saw the data it had just sent')
    seen.sawOwn('ben', false)
    expect(row()).toBe('PASS: each tenant saw its own data')
  })

  it('passes without data if own IDs work, and those of others are refused for each tenant', () => {
    const { seen, row } = observe()
    for (const name of ['ana', 'ben']) seen.served(name)
    seen.keptOut('ana')
    expect(row()).toBe('INCONCLUSIVE: ben never saw its own data')
    seen.keptOut('ben')
    expect(row()).toMatch(/^PASS: own IDs are accepted, and IDs of other tenants get the same/)
  })

  it('names the statuses, the refusal or the limits if no response could show data', () => {
    const never = 'INCONCLUSIVE: no tenant got a 2xx response: '
    expect(observe([]).row()).toBe(`${never}no request was sent`)
    expect(observe([404, 302]).row()).toBe(`${never}302, 404`)
    const refused = observe([422, 422])
    refused.seen.refusal = 'code: is short'
    expect(refused.row()).toMatch(/: 422 \(code: is short\); set a value for the field/)
    const one = observe([200, 403])
    one.seen.sawOwn('ana', false)
    expect(one.row()).toBe('INCONCLUSIVE: ben got no 2xx response: 403')
    const stream = observe([200, 200], true)
    stream.seen.answered('ana', { status: 200, isStream: false } as never)
    expect(stream.row()).toMatch(/^INCONCLUSIVE: a stream: only its beginning/)
    const limited = observe()
    limited.seen.limits = () => ['no random text fits a', 'b']
    expect(limited.row()).toMatch(/its own data; no random text fits a; b; set a value/)
  })

  it('is a leak, whatever else was seen, and places in a list count as one', () => {
    const { seen, row } = observe()
    for (const name of ['ana', 'ben']) seen.sawOwn(name, false)
    seen.leaked(LEAK)
    seen.leaked({ ...LEAK, where: 'body [17].text', phase: 'later' })
    expect(seen.leaks).toMatchObject([{ times: 2, where: 'body [0].text', phase: 'p' }])
    expect(row()).toMatch(/^LEAK: (?!.* more$)/)
    seen.leaked({ ...LEAK, from: 'cy' })
    seen.notTested = 'skipped'
    expect(row()).toMatch(/^LEAK: .*; and 1 more$/)
  })
})

it('the data of a tenant is found in each part of a response', () => {
  const canaries = new Canaries(1)
  const [one, two, three, four, five] = [1, 2, 3, 4, 5].map(() => canaries.mint('ana', 'POST /a'))
  canaries.learn('2031050607', { owner: 'ana', origin: 'POST /a' })
  const response = {
    statusText: `OK ${one}`,
    rawHeaders: ['Location', `/a/${two}`, 'Set-Cookie', `sid=${three}; Path=/`],
    body: JSON.stringify({ list: [{ n: 2031050607 }, { text: four }], [String(five)]: null }),
    isJson: true,
  }
  const placesIn = (more: object) =>
    searchResponse({ ...response, ...more } as never, canaries).map(({ where }) => where)
  expect(placesIn({})).toEqual([
    ...['status line', 'header location', 'cookie sid'],
    ...['body list[0].n', 'body list[1].text', 'body , a name in it'],
  ])
  for (const more of [{ isJson: false }, { body: `{${four}` }])
    expect(placesIn(more).slice(3)).toContain('body')
  expect(placesIn({ rawHeaders: [], body: 'null', statusText: 'OK' })).toEqual([])
})

describe('requests that wait for each other', () => {
  const plan = { place: 'handler', order: ['ben', 'ana'], held: 'ana', turns: 0 } as const

  function start() {
    const gate = new Gate()
    const passed: string[] = []
    gate.arm(plan)
    const arrive = (name: string) => void gate.pass(name, 'handler')?.then(() => passed.push(name))
    return { gate, passed, arrive }
  }

  it('continue in the planned order when the last has arrived', async () => {
    const { passed, arrive } = start()
    arrive('ana')
    await turns(5)
    expect(passed).toEqual([])
    arrive('ben')
    await turns(1)
    expect(passed).toEqual(['ben', 'ana'])
  })

  it('continue without one that does not arrive, or when the plan ends', async () => {
    const { gate, passed, arrive } = start()
    arrive('ana')
    await turns(40)
    expect(passed).toEqual(['ana'])
    arrive('ben')
    gate.disarm()
    await turns(1)
    expect([passed, gate.pass('ana', 'handler')]).toEqual([['ana', 'ben'], undefined])
  })

  it('do not wait at other places, except for the delayed response', () => {
    const { gate } = start()
    expect([gate.pass('ana', 'entry'), gate.pass('ben', 'response')]).toEqual([
      undefined,
      undefined,
    ])
    expect(gate.pass('ana', 'response')).toBeInstanceOf(Promise)
  })
})
