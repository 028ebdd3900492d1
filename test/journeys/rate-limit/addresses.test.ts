import { Agent } from 'node:http'
import { networkInterfaces } from 'node:os'
import { type AppOptions, Controller, Get, RateLimit } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootWarnings } from '../../support.js'
import { appsOfTest, statusOf } from './support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }
}

const options: AppOptions = {
  controllers: [ItemsController],
  rateLimit: { limit: 1, window: '1h' },
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
if (!hasIpv6)
  console.warn('Skipped: clients of a dual-stack socket, because this machine has no ::1.')

/** Statuses of requests whose `X-Forwarded-For` is each of the values. */
async function forwarded(port: number, values: readonly string[]): Promise<number[]> {
  const found: number[] = []
  for (const value of values)
    found.push(await statusOf({ port, headers: { 'x-forwarded-for': value } }))
  return found
}

describe('the client address of a rate limit', () => {
  const apps = appsOfTest()

  it('comes from the socket, whatever headers the client sends', async () => {
    const port = await apps.listening(options)
    const forged = Array.from({ length: 10 }, (_, i) => `9.9.9.${i}`)
    expect(await forwarded(port, forged)).toEqual([200, ...Array(9).fill(429)])
    const headers = {
      forwarded: 'for=8.8.8.8',
      'x-real-ip': '8.8.8.8',
      'cf-connecting-ip': '8.8.8.8',
    }
    expect(await statusOf({ port, headers })).toBe(429)
  })

  it('is different for clients on one machine that use different addresses', async () => {
    const port = await apps.listening(options)
    const from = (localAddress: string) => statusOf({ port, localAddress })
    expect([await from('127.0.0.1'), await from('127.0.0.1'), await from('127.0.0.2')]).toEqual([
      200, 429, 200,
    ])
  })

  it.skipIf(!hasIpv6)('is different for each IPv4 client of a dual-stack socket', async () => {
    const port = await apps.listening(options, '::')
    const from = (localAddress: string) => statusOf({ port, localAddress })
    expect([await from('127.0.0.1'), await from('127.0.0.2'), await from('127.0.0.1')]).toEqual([
      200, 200, 429,
    ])
    expect(await statusOf({ port, host: '::1' })).toBe(200)
    expect(await statusOf({ port, host: '::1' })).toBe(429)
  })

  it('is counted separately by each limit, even on one connection', async () => {
    @Controller('others')
    class OthersController {
      @Get('once')
      @RateLimit({ limit: 1, window: '1h' })
      once() {
        return []
      }

      @Get('twice')
      @RateLimit({ limit: 2, window: '1h' })
      twice() {
        return []
      }
    }
    const port = await apps.listening({ controllers: [OthersController] })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: number[] = []
    for (const name of ['once', 'twice', 'once', 'twice', 'twice']) {
      statuses.push(await statusOf({ port, agent, path: `/others/${name}` }))
    }
    agent.destroy()
    expect(statuses).toEqual([200, 200, 429, 200, 429])
  })

  it('is read for each request, because a proxy can use one connection for several clients', async () => {
    const sockets = new Set<unknown>()
    const port = await apps.listening({
      ...options,
      middlewares: [
        (req, _res, next) => {
          sockets.add(req.socket)
          const value = req.get('x-client')
          Object.defineProperty(req.socket, 'remoteAddress', { value, configurable: true })
          next()
        },
      ],
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const from = (client: string) => statusOf({ port, agent, headers: { 'x-client': client } })
    const clients = ['9.9.9.1', '9.9.9.2', '::ffff:9.9.9.1', '9.9.9.2']
    const statuses: number[] = []
    for (const client of clients) statuses.push(await from(client))
    agent.destroy()
    expect(statuses).toEqual([200, 200, 429, 429])
    expect(sockets.size).toBe(1)
  })

  it('is the entry of a trusted proxy, not an entry from the client', async () => {
    const port = await apps.listening({ ...options, trustProxy: 1 })
    expect(await forwarded(port, ['9.9.9.1', '9.9.9.1', '9.9.9.2'])).toEqual([200, 429, 200])
    expect(await forwarded(port, ['1.1.1.1, 9.9.9.1', '2.2.2.2,9.9.9.1'])).toEqual([429, 429])
  })

  it('is the last address that is not a trusted proxy', async () => {
    const port = await apps.listening({ ...options, trustProxy: ['127.0.0.0/8', '10.0.0.0/8'] })
    const chain = ['9.9.9.1, 10.1.1.1', '9.9.9.1, 10.2.2.2, 10.1.1.1', '8.8.8.8, 9.9.9.1, 10.1.1.1']
    expect(await forwarded(port, chain)).toEqual([200, 429, 429])
  })

  it.each([
    ['an IPv4 address in IPv6', '1.2.3.4', '::ffff:1.2.3.4'],
    ['the hexadecimal spelling of this address', '1.2.3.4', '::ffff:102:304'],
    ['the long spelling of this address', '1.2.3.4', '0:0:0:0:0:FFFF:0102:0304'],
    ['a mixed spelling', '1.2.3.4', '0000:0000::ffff:1.2.3.4'],
    ['a port', '1.2.3.4', '1.2.3.4:5678'],
    ['a port of IPv6', '2001:db8::1', '[2001:db8::1]:443'],
    ['brackets', '2001:db8::1', '[2001:db8::1]'],
    ['letter case', '2001:db8:ab::1', '2001:DB8:AB::1'],
    ['zeros', '2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0001'],
    ['a zone', 'fe80::1', 'fe80::1%eth0'],
    ['another address in the same /56', '2001:db8:1:200::1', '2001:db8:1:2ff:ffff:ffff:ffff:ffff'],
    ['an end in dotted form', '2001:db8::102:304', '2001:db8::1.2.3.4'],
  ])('is the same if it is written differently: %s', async (_, one, other) => {
    const port = await apps.listening({ ...options, trustProxy: 1 })
    expect(await forwarded(port, [one, other])).toEqual([200, 429])
  })

  it.each([
    ['1.2.3.4', '1.2.3.5'],
    ['1.2.3.4', '::1.2.3.4'],
    ['2001:db8:1:200::1', '2001:db8:1:300::1'],
    ['2001:db8:1:200::1', '2001:db8:2:200::1'],
    ['::ffff:0:1.2.3.4', '::ffff:1.2.3.4'],
    ['::1', '100::1'],
  ])('is different for %s and %s', async (one, other) => {
    const port = await apps.listening({ ...options, trustProxy: 1 })
    expect(await forwarded(port, [one, other])).toEqual([200, 200])
  })

  it.each([
    'unknown',
    '_hidden',
    '-',
    '1.2.3',
    '1.2.3.4.5',
    '01.02.03.04',
    '1.2.3.4:port',
    '256.1.1.1',
    '0x7f.1',
    '2001:db8::1::2',
    '[2001:db8::1',
    ':::',
    '%',
    '[]',
    '[[::1]]',
    '::ffff:999.1.1.1',
    '<script>',
    '"1.2.3.4"',
    'x'.repeat(4000),
    Array(1000).fill('y').join(','),
  ])('is the address of the proxy if the entry of the proxy is invalid: %s', async (garbage) => {
    const port = await apps.listening({ ...options, trustProxy: 1 })
    expect(await statusOf({ port })).toBe(200)
    expect(await forwarded(port, [garbage])).toEqual([429])
  })

  it('is the socket address if a "trust proxy" function throws', async () => {
    const { App } = await import('blazon')
    const app = new App({ ...options, logger: false })
    app.express.set('trust proxy', () => {
      throw new Error('broken')
    })
    const { port } = await app.listen(0, '127.0.0.1')
    expect([await statusOf({ port }), await statusOf({ port })]).toEqual([200, 429])
    await app.close()
  })
})

describe('the warning W_RATE_LIMIT_FORGEABLE', () => {
  it.each([
    ['a limit of the application', { ...options, trustProxy: true }],
    [
      'a limit by user, which counts other callers by address',
      { rateLimit: { by: 'user' }, trustProxy: true },
    ],
  ] as const)('is logged for %s if every proxy is trusted', async (_, given) => {
    expect(await bootWarnings(given)).toMatchObject([{ code: 'W_RATE_LIMIT_FORGEABLE' }])
  })

  it('is not logged without a limit, or if `trustProxy` is a number', async () => {
    expect(await bootWarnings({ trustProxy: true, rateLimit: false })).toEqual([])
    expect(await bootWarnings({ trustProxy: true })).toEqual([])
    expect(await bootWarnings({ trustProxy: 1, rateLimit: true })).toEqual([])
  })
})
