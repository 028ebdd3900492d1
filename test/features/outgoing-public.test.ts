import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, type LookupFunction, Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/app/system-clock.js'
import { Caller } from '../../src/features/outgoing/caller.js'
import type { OutgoingInit } from '../../src/features/outgoing/outgoing-options.js'
import { isPublicAddress, type LookUp } from '../../src/features/outgoing/public-hosts.js'
import { followRedirects, sendPinned } from '../../src/features/outgoing/transport.js'
import { gate } from '../journeys/gate.js'

const PUBLIC = '93.184.216.34'

function callerWith(lookUp: LookUp | undefined) {
  const settings = { retries: false, circuit: false, timeoutMs: 30_000 }
  const caller = new Caller(
    {
      clock: systemClock,
      logger: { warn() {} },
      settings,
      credentials: [],
      answer: null,
      ...(lookUp !== undefined && { lookUp }),
    },
    () => ({
      onCall: null,
      needs: { stacks: false, bodies: false },
      restOf: () => null,
      addMetric() {},
    }),
  )
  return (input: string, init: OutgoingInit = {}) =>
    caller.call({ input, init: { public: true, ...init }, stack: undefined, req: undefined })
}

/** Counts the sockets that are opened, and opens none. */
function watchConnections() {
  return vi.spyOn(Socket.prototype, 'connect').mockImplementation(function connect(this: Socket) {
    process.nextTick(() => this.destroy(new Error('no connection in this test')))
    return this
  } as never)
}

const REFUSED = `
  http://169.254.169.254/latest/meta-data http://[::1]/ http://127.1/ http://0x7f000001/ http://2130706433/ http://0177.0.0.1/
  http://localhost/ http://localhost./ http://api.localhost/ http://LOCALHOST/ http://0.0.0.0/ http://0/ http://[::]/
  http://[fd00::1]/ http://[fc00::1]/ http://[fe80::1]/ http://[ff02::1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
  http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://[2002:7f00:1::]/ http://[2001:0:7f00:1::]/ http://[2001:db8::1]/
  http://10.0.0.1/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.0.1/ http://100.64.0.1/ http://100.127.255.255/
  http://224.0.0.1/ http://255.255.255.255/ http://240.0.0.1/ http://198.18.0.1/ http://192.0.0.1/ http://127.0.0.1:80/
  http://１２７.0.0.1/ http://127。0。0。1/
`
  .trim()
  .split(/\s+/)

describe('a user-supplied URL', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each(REFUSED)('is refused without a DNS look-up or a connection: %s', async (url) => {
    const connect = watchConnections()
    const lookUp = vi.fn<LookUp>()
    const failure = await callerWith(lookUp)(url).catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 400, code: 'URL_NOT_PUBLIC' })
    expect(lookUp).not.toHaveBeenCalled()
    expect(connect).not.toHaveBeenCalled()
  })

  it.each([
    'file:///etc/passwd',
    'ftp://x.example/',
    'gopher://x.example/',
    'data:text/plain,x',
    'https://x.example:22/',
    'http://x.example:8080/',
  ])('is refused because of its scheme or port: %s', async (url) => {
    const connect = watchConnections()
    const lookUp = vi.fn<LookUp>()
    await expect(callerWith(lookUp)(url)).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    expect(lookUp).not.toHaveBeenCalled()
    expect(connect).not.toHaveBeenCalled()
  })

  it('can have only a port that the call allows', async () => {
    const connect = watchConnections()
    const send = callerWith(async () => [{ address: PUBLIC, family: 4 }])
    await expect(send('https://x.example:8443/', { ports: [8443] })).rejects.toThrow('fetch failed')
    expect(connect).toHaveBeenCalled()
    await expect(send('https://x.example/', { ports: [8443] })).rejects.toThrow('port 443')
  })

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a public and a private address', [PUBLIC, '127.0.0.1']],
    ['a private IPv6 address', ['fd00::1']],
    ['a private IPv4 address within IPv6', ['::ffff:10.0.0.1']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['no address', []],
  ])('is refused if its host name resolves to %s', async (_name, found) => {
    const connect = watchConnections()
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const send = callerWith(async () => addresses)
    await expect(send('https://rebound.example/')).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    expect(connect).not.toHaveBeenCalled()
  })

  it('is requested at the checked address even if its host name later resolves to another address', async () => {
    const connect = watchConnections()
    const answers = [PUBLIC, '127.0.0.1']
    const lookUp = vi.fn<LookUp>(async () => [{ address: answers.shift() as string, family: 4 }])
    const send = callerWith(lookUp)
    await expect(send('http://rebound.example/')).rejects.toThrow('fetch failed')
    expect(lookUp).toHaveBeenCalledTimes(1)
    const [options] = connect.mock.calls[0] as unknown as [[{ lookup: LookupFunction }]]
    const found = vi.fn()
    options[0].lookup('rebound.example', { all: true }, found)
    expect(found).toHaveBeenCalledWith(null, [{ address: PUBLIC, family: 4 }])
    // The second look-up belongs to the second call, which is refused.
    await expect(send('http://rebound.example/')).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    expect(connect).toHaveBeenCalledTimes(1)
  })

  it('is not requested if the signal aborts while the host name is being resolved', async () => {
    const controller = new AbortController()
    const send = callerWith(() => new Promise(() => {}))
    const sent = send('http://slow.example/', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
  })

  it('is looked up once for all of its addresses by default, without a final dot', async () => {
    const connect = watchConnections()
    const lookUp = vi.spyOn(dns, 'lookup').mockResolvedValue([
      { address: PUBLIC, family: 4 },
      { address: '10.0.0.1', family: 4 },
    ] as never)
    const refused = callerWith(undefined)('https://mixed.example./')
    await expect(refused).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    expect(lookUp.mock.calls).toEqual([['mixed.example', { all: true }]])
    expect(connect).not.toHaveBeenCalled()
  })

  it.each([`http://${PUBLIC}/`, 'http://[2606:4700::1111]/'])(
    'needs no look-up if it contains a public address: %s',
    async (url) => {
      const connect = watchConnections()
      const lookUp = vi.fn<LookUp>()
      await expect(callerWith(lookUp)(url)).rejects.toThrow('fetch failed')
      expect(lookUp).not.toHaveBeenCalled()
      expect(connect).toHaveBeenCalledTimes(1)
    },
  )

  it('is requested at the first checked address if only one address is wanted', async () => {
    const connect = watchConnections()
    const addresses = [
      { address: PUBLIC, family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]
    await callerWith(async () => addresses)('http://two.example/').catch(() => {})
    const [options] = connect.mock.calls[0] as unknown as [[{ lookup: LookupFunction }]]
    const found = vi.fn()
    options[0].lookup('two.example', {}, found)
    expect(found).toHaveBeenCalledWith(null, PUBLIC, 4)
  })

  it('can contain the first address after each private range, but no address in it', () => {
    const inside = `0.255.255.255 10.255.255.255 100.64.0.0 127.255.255.255 169.254.0.0 172.16.0.0 192.0.0.255 192.0.2.255
      192.88.99.0 192.168.255.255 198.19.255.255 198.51.100.0 203.0.113.255 224.0.0.0 1fff:: 2001:1ff:: 2001:db8:ffff::
      2002:ffff:: 3fff:fff:: 4000:: 8000::`
    const outside = `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
      172.15.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
      198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2000:: 2001:200:: 2001:db7:: 2001:db9:: 2003::
      3ffe:: 3fff:1000::`
    const isPublic = (list: string) =>
      list.split(/\s+/).map((each) => [each, isPublicAddress(each)])
    expect(isPublic(inside).filter(([, is]) => is)).toEqual([])
    expect(isPublic(outside).filter(([, is]) => !is)).toEqual([])
    expect(isPublicAddress('no-address')).toBe(false)
  })

  it('can contain any public address', () => {
    for (const address of [
      PUBLIC,
      '1.1.1.1',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '2a00::1',
    ])
      expect(isPublicAddress(address), address).toBe(true)
  })
})

/** A server of this machine under another name, as a public host is one. */
async function pinnedHost(listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const send = (url: URL, init: { method?: string; body?: string; signal?: AbortSignal } = {}) =>
    sendPinned(
      {
        url,
        method: init.method ?? 'GET',
        headers: new Headers({ 'x-sent': '1' }),
        body: init.body === undefined ? null : Buffer.from(init.body),
        signal: init.signal ?? new AbortController().signal,
      },
      [{ address: '127.0.0.1', family: 4 }],
    )
  return { send, url: new URL(`http://no-such-name.invalid:${port}/a?b=c`) }
}

describe('a request to a pinned address', () => {
  it('reaches the address without a DNS look-up, and returns the whole response', async () => {
    const { send, url } = await pinnedHost((req, res) => {
      res.writeHead(
        201,
        'Made',
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ].flat(),
      )
      req.pipe(res)
    })
    const response = await send(url, { method: 'POST', body: 'text' })
    expect(response.status).toBe(201)
    expect(response.statusText).toBe('Made')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.text()).toBe('text')
  })

  it('contains the host and the path of its URL, and gets no response body for HEAD', async () => {
    const { send, url } = await pinnedHost((req, res) => res.end(`${req.headers.host} ${req.url}`))
    expect(await (await send(url)).text()).toBe(`${url.host} /a?b=c`)
    expect(await (await send(url, { method: 'HEAD' })).text()).toBe('')
  })

  it('uses a separate connection, so that no later call can use it without a check', async () => {
    const ports = new Set<unknown>()
    const { send, url } = await pinnedHost((req, res) => {
      ports.add(req.socket.remotePort)
      res.end('text')
    })
    for (let i = 0; i < 2; i++) expect(await (await send(url)).text()).toBe('text')
    expect(ports.size).toBe(2)
  })

  it('is canceled by its signal, even while the response body arrives', async () => {
    const controller = new AbortController()
    const { send, url } = await pinnedHost((_req, res) => void res.write('begin'))
    const response = await send(url, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(response.text()).rejects.toThrow()
    await expect(send(url, { signal: controller.signal })).rejects.toThrow('enough')
  })

  it('fails with the same error as fetch', async () => {
    const { send, url } = await pinnedHost((req) => void req.socket.destroy())
    await expect(send(url)).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  })

  it('fails with the same error as fetch for a status that a Response cannot have', async () => {
    const closed = gate()
    const { send, url } = await pinnedHost((_req, res) => {
      res.once('close', closed.open)
      res.writeHead(600).write('begin')
    })
    await expect(send(url)).rejects.toMatchObject({ message: 'fetch failed' })
    // Nobody could read the rest of the response.
    await closed.opened
  })
})

describe('redirects', () => {
  afterEach(() => void vi.restoreAllMocks())

  const message = (
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ) => ({
    url: new URL('https://one.example/a'),
    method: init.method ?? 'GET',
    headers: new Headers(init.headers),
    body: init.body === undefined ? null : Buffer.from(init.body),
    signal: new AbortController().signal,
  })
  const to = (location: string, status = 302) =>
    new Response(null, { status, headers: { location } })

  it.each(['http://10.0.0.8/', 'http://127.1/', 'file:///etc/passwd', '//localhost/'])(
    'are checked: %s is refused without a second connection',
    async (location) => {
      const { url } = await pinnedHost((_req, res) => res.writeHead(302, { location }).end())
      const ports = [80, Number(url.port)]
      const { connect } = Socket.prototype
      const opened: unknown[] = []
      vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (
        this: Socket,
        ...args: unknown[]
      ) {
        const [options] = args.flat(2) as [{ readonly port?: unknown }]
        // Other files share this process, and may open connections to their servers at the same time.
        if (!ports.includes(Number(options?.port))) return connect.apply(this, args as never)
        opened.push(options)
        // The public host is a server of this machine.
        return connect.call(this, { port: Number(url.port), host: '127.0.0.1' } as never)
      } as never)
      const send = callerWith(async () => [{ address: PUBLIC, family: 4 }])
      await expect(send(url.href, { ports })).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
      expect(opened).toHaveLength(1)
    },
  )

  it('keep credentials for the same host, and drop them for another host', async () => {
    const seen: [string, string[]][] = []
    const hops = ['/b', 'https://two.example/c']
    const names = ['authorization', 'proxy-authorization', 'cookie']
    const headers = Object.fromEntries(names.map((name) => [name, 'x']))
    const response = await followRedirects(message({ headers }), 'follow', async (sent) => {
      seen.push([sent.url.href, names.filter((name) => sent.headers.has(name))])
      const next = hops.shift()
      return next === undefined ? new Response('end') : to(next)
    })
    expect(seen).toEqual([
      ['https://one.example/a', names],
      ['https://one.example/b', names],
      ['https://two.example/c', []],
    ])
    expect(response.url).toBe('https://two.example/c')
    expect(response.redirected).toBe(true)
  })

  it.each([
    [301, 'POST', 'GET', null],
    [302, 'POST', 'GET', null],
    [301, 'PUT', 'PUT', 'x'],
    [302, 'DELETE', 'DELETE', 'x'],
    [303, 'PUT', 'GET', null],
    [303, 'HEAD', 'HEAD', null],
    [307, 'POST', 'POST', 'x'],
    [308, 'PUT', 'PUT', 'x'],
  ])('with status %i after %s lead to a %s request', async (status, method, then, body) => {
    const headers = { 'content-type': 'text/plain' }
    const given = method === 'HEAD' ? message({ method }) : message({ method, headers, body: 'x' })
    const sent: [string, string | null][] = []
    await followRedirects(given, 'follow', async (each) => {
      sent.push([each.method, each.body && Buffer.from(each.body).toString()])
      return sent.length === 1 ? to('/b', status) : new Response()
    })
    expect(sent[1]).toEqual([then, body])
  })

  it("are followed at most 20 times, and never with `redirect: 'manual'` or `'error'`", async () => {
    let count = 0
    const again = async () => {
      count++
      return to('/again')
    }
    await expect(followRedirects(message(), 'follow', again)).rejects.toThrow('fetch failed')
    expect(count).toBe(21)
    expect((await followRedirects(message(), 'manual', again)).status).toBe(302)
    await expect(followRedirects(message(), 'error', again)).rejects.toThrow('fetch failed')
  })

  it('end the response before them, even if its body is still arriving', async () => {
    const cancel = vi.fn()
    const bodies = [new ReadableStream({ cancel }), 'end']
    const headers = { location: '/b' }
    await followRedirects(message(), 'follow', async () => {
      const body = bodies.shift() as ReadableStream | string
      return body === 'end' ? new Response(body) : new Response(body, { status: 302, headers })
    })
    expect(cancel).toHaveBeenCalledTimes(1)
  })
})
