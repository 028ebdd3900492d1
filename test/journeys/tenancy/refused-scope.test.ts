import { EventEmitter, once } from 'node:events'
import {
  Controller,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  Tenant,
  type TenantInfo,
  type TenantStore,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { RawConnection, request } from '../hostile/raw-connection.js'

let signals = new EventEmitter()

@Tenant()
@Controller('mine')
class MineController {
  @Get()
  mine() {
    return { tenant: getTenantId() }
  }

  /** Waits until the next request on the connection has been refused. */
  @Get('slow')
  async slow() {
    await once(signals, 'refused')
    return { tenant: getTenantId() }
  }
}

const KEEP = 'Connection: keep-alive'
function find(id: string): TenantInfo | null {
  if (id === 'gone') return null
  return { id, status: id === 'asleep' ? 'suspended' : 'active' }
}
const store: TenantStore = { find }
const later: TenantStore = { find: async (id) => find(id) }

describe.each([
  ['synchronously', store],
  ['asynchronously', later],
])('a request whose tenant the store refuses %s', (_, tenants) => {
  it('runs its error middlewares without the tenant of earlier requests on the connection', async () => {
    const seen: unknown[] = []
    const onError: ErrorRequestHandler = async (error, _req, _res, next) => {
      seen.push(getTenantId() ?? null)
      await Promise.resolve()
      seen.push(getTenantId() ?? null)
      next(error)
    }
    const { port } = await start({
      controllers: [MineController],
      tenant: { store: tenants },
      middlewares: [onError],
    })
    const connection = await RawConnection.open(port)
    const ids = ['acme', 'gone', 'acme', 'asleep', 'not a name!', 'gone', 'zeta']
    for (const [index, id] of ids.entries()) {
      connection.write(request('/mine', [KEEP, `X-Tenant-Id: ${id}`]))
      await connection.answers(index + 1)
    }
    const answers = await connection.answers(ids.length)
    const bodies = answers.map(({ status, text }) => [status, JSON.parse(text).data?.tenant])
    expect(bodies).toEqual([
      [200, 'acme'],
      [expect.any(Number), undefined],
      [200, 'acme'],
      [expect.any(Number), undefined],
      [400, undefined],
      [expect.any(Number), undefined],
      [200, 'zeta'],
    ])
    expect(seen).toEqual(Array.from({ length: 8 }, () => null))
    connection.destroy()
  })

  it('runs its listeners without the tenant of the previous response on the connection', async () => {
    signals = new EventEmitter()
    const seen: unknown[] = []
    const note = (where: string) => () => void seen.push([where, getTenantId() ?? null])
    const onError: ErrorRequestHandler = (error, req, res, next) => {
      for (const event of ['finish', 'close']) res.on(event, note(event))
      req.on('close', note('request'))
      next(error)
      setImmediate(() => signals.emit('refused'))
    }
    const { port } = await start({
      controllers: [MineController],
      tenant: { store: tenants },
      middlewares: [onError],
    })
    const connection = await RawConnection.open(port)
    // Both requests are in one packet. The second response waits for the first, and is written after it.
    const slow = request('/mine/slow', [KEEP, 'X-Tenant-Id: acme'])
    connection.write(slow + request('/mine', [KEEP, 'X-Tenant-Id: gone']))
    const [first, second] = await connection.answers(2)
    expect(JSON.parse(first?.text ?? '').data).toEqual({ tenant: 'acme' })
    expect(second?.status).toBe(404)
    connection.destroy()
    await expect.poll(() => seen.length).toBe(3)
    expect(seen.map((each) => (each as unknown[])[1])).toEqual([null, null, null])
  })
})
