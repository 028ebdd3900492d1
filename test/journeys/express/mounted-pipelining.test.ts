import { createServer } from 'node:http'
import { App, Controller, defineControllers, Get } from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { exchange, request } from '../hostile/raw-connection.js'
import { appsOfTest } from './support.js'

@Controller('things')
class ThingsController {
  @Get(':id')
  get({ params }: { params: { id: string } }) {
    return params.id
  }
}

const keep = ['Connection: keep-alive']
const [first, second] = [request('/things/1', keep), request('/things/2', keep)]
const last = request('/things/3')

describe('pipelined requests', () => {
  const apps = appsOfTest()
  const inner = () =>
    apps.track(new App({ controllers: defineControllers(ThingsController), logger: false }))
  const passing = () => apps.track(new App({ controllers: [], logger: false }))

  const HOSTS: Record<string, () => Promise<number>> = {
    'in an App that is mounted in another App': async () =>
      (await apps.listening({ controllers: [], middlewares: [inner().handler] })).port,
    'in the second of two Apps of one Express application': () =>
      apps.serving(createServer(express().use(passing().handler, inner().handler))),
  }

  it.each(Object.entries(HOSTS))('all receive a response %s', async (_, serve) => {
    const answers = await exchange(await serve(), first + second + last)
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).data])).toEqual([
      [200, '1'],
      [200, '2'],
      [200, '3'],
    ])
  })

  // A server that is not ours answers 400 itself: Node's parser refuses bytes after such a request.
  it('receive no response after a request that closes the connection', async () => {
    const { port } = await apps.listening({ controllers: [], middlewares: [inner().handler] })
    const answers = await exchange(port, first + last + second)
    expect(answers.map(({ text }) => JSON.parse(text).data)).toEqual(['1', '3'])
  })
})
