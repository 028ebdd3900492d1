import { connect } from 'node:net'
import { App, Auth, Controller, Get, type Plugin, type Request } from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../integrations/until.js'
import { gate } from '../gate.js'
import { turns } from '../turns.js'

/** An application whose guard and handler wait for the test, and what its observer receives. */
async function start() {
  const [entered, released] = [gate(), gate()]
  const ended: Pick<EndedRequest, 'status' | 'outcome'>[] = []
  const decisions: string[] = []
  @Controller()
  class Work {
    @Get('slow') async slow() {
      entered.open()
      await released.opened
      return 'slow'
    }

    @Get('quick') quick() {
      return 'quick'
    }

    @Auth() @Get('guarded') guarded() {
      return 'guarded'
    }
  }
  const guard = {
    async canActivate(req: Request) {
      entered.open()
      await released.opened
      req.user = { id: 'ann' }
      return true
    },
  }
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({
      onEnd: ({ status, outcome }) => void ended.push({ status, outcome }),
      onDecision: (_req, { by, verdict }) => void decisions.push(`${by} ${verdict}`),
    }),
  }
  const app = new App({
    ...{ controllers: [Work], plugins: [observer], auth: { guard }, logger: false },
  })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const client = connect(port, '127.0.0.1')
  const ask = (path: string) => client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return { client, ask, entered, released, ended, decisions }
}

it('a response that waited for an earlier response has no status if its client leaves', async () => {
  const { client, ask, entered, released, ended } = await start()
  ask('/slow')
  await entered.opened
  ask('/quick')
  // The second response is complete, but none of it can be sent before the first one.
  await turns()
  client.destroy()
  await until(() => ended.length === 2)
  released.open()
  await turns()
  expect(ended).toEqual(Array(2).fill({ status: null, outcome: 'aborted' }))
})

it('a decision about a request that has ended is not observed', async () => {
  const { client, ask, entered, released, ended, decisions } = await start()
  ask('/guarded')
  await entered.opened
  client.destroy()
  await until(() => ended.length === 1)
  released.open()
  await turns()
  expect(decisions).toEqual([])
})

it('a decision about a request that is still running is observed', async () => {
  const { client, ask, released, ended, decisions } = await start()
  released.open()
  ask('/guarded')
  await until(() => ended.length === 1)
  client.destroy()
  expect([decisions, ended]).toEqual([['guard admitted'], [{ status: 200, outcome: 'sent' }]])
})

it('observers receive a request in the order of their plugins, also after one that fails', async () => {
  const order: string[] = []
  const plugins = ['a', 'b', 'c'].map((name): Plugin => {
    const onEnd = () => {
      order.push(name)
      if (name === 'a') throw new Error('no')
    }
    return { name, requests: () => ({ onEnd }) }
  })
  await using app = await App.create({ plugins, logger: false })
  await app.fetch(new globalThis.Request('http://localhost/'))
  expect(order).toEqual(['a', 'b', 'c'])
})
