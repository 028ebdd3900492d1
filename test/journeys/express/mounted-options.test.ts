import { createServer } from 'node:http'
import { App, Controller, Delete, defineControllers, Get, Options } from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return []
  }

  @Delete(':id')
  remove() {}

  @Options('own')
  own() {
    return 'own'
  }
}

describe('an App in an Express application with routes of the same path', () => {
  const apps = appsOfTest()

  async function start() {
    const controllers = defineControllers(OrdersController)
    const app = apps.track(new App({ controllers, logger: false }))
    const outer = express().use('/api', app.handler)
    outer.options('/api/orders', (_req, res) => void res.set('Allow', 'HOST').json('host'))
    outer.post('/api/orders', (_req, res) => void res.json('host'))
    outer.options('/api/none', (_req, res) => void res.json('host'))
    return apps.serving(createServer(outer))
  }

  it('responds to OPTIONS requests itself, even if they are repeated', async () => {
    const port = await start()
    for (let i = 0; i < 2; i++) {
      const { status, headers, text } = await send(port, {
        method: 'OPTIONS',
        path: '/api/orders',
      })
      expect([status, headers.allow]).toEqual([200, 'GET, HEAD, OPTIONS'])
      expect(JSON.parse(text).data).toEqual({ allow: ['GET', 'HEAD', 'OPTIONS'] })
    }
  })

  it('passes methods and paths without a route on to the Express application', async () => {
    const port = await start()
    const post = await send(port, { method: 'POST', path: '/api/orders' })
    expect(JSON.parse(post.text)).toBe('host')
    const options = await send(port, { method: 'OPTIONS', path: '/api/none' })
    expect(JSON.parse(options.text)).toBe('host')
    const own = await send(port, { method: 'OPTIONS', path: '/api/orders/own' })
    expect(JSON.parse(own.text).data).toBe('own')
  })
})
